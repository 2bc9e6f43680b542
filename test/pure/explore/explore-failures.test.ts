import type { Scenario } from '../../../dev/explore/engine/types.ts';
import { explored, onlyFinding, unbounded } from '../../support/explore/explored.ts';
import { atOnce, endless, independent, locked, rejecting, single, stuck } from '../../support/explore/toys.ts';

describe('A failure is', () => {
  it.each([
    ['a step bound overrun', endless, 'step bound', 'not at rest after 50 steps'],
    ['a task that waits for nothing', stuck, 'deadlock', 'task waits for something that never comes'],
    ['a lock that is never free', locked, 'deadlock', 'task waits for something that never comes (blocked: lock)'],
    ['a rejection', rejecting, 'rejection', 'task: TypeError: not caught'],
  ])('%s', async (_title, scenario, kind, message) => {
    const { failure } = await onlyFinding(scenario);
    expect(failure.kind).toBe(kind);
    expect(failure.message.split('\n')[0]).toBe(message);
  });

  it('real I/O that the explorer does not know of', async () => {
    const impatient = single('impatient', async (run, task) => {
      await new Promise((resolve) => setTimeout(resolve, 3));
      await atOnce(run, task, 'late', () => null);
    });
    const { failure } = await onlyFinding(impatient);
    expect(failure).toMatchObject({ kind: 'not deterministic', message: expect.stringContaining('see Run.busy') });
    const patient = single('patient', async (run, task) => {
      await run.busy(new Promise((resolve) => setTimeout(resolve, 3)));
      await atOnce(run, task, 'late', () => null);
    });
    expect(await explored(patient)).toMatchObject({ exhausted: true, failures: 0, deepest: 1 });
  });
});

it('Two explorations at once in one thread are refused', async () => {
  const both = await Promise.allSettled([explored(independent(9, 9)), explored(independent(9, 9))]);
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
});

describe('Time', () => {
  it('passes only when nothing else can be done, to the earliest timer; sooner as a deviation', async () => {
    const orders = new Set<string>();
    const timers: Scenario = {
      name: 'timers',
      createWorld(run) {
        const seen: string[] = [];
        const process = run.process('p');
        for (const [name, ms] of [
          ['slow', 300],
          ['quick', 100],
        ] as const) {
          run.start(process, name, async (task) => {
            await run.sleep(task, ms);
            seen.push(`${name}@${run.now()}`);
          });
        }
        run.start(process, 'work', async (task) => {
          await atOnce(run, task, 'work', () => null);
          seen.push(`work@${run.now()}`);
        });
        return {
          fingerprint: () => seen.join(),
          check: () => null,
          atRest: () => {
            orders.add(seen.join(' '));
            return null;
          },
        };
      },
    };
    await explored(timers, { budget: 0 });
    expect([...orders]).toEqual(['work@0 quick@100 slow@300']);
    await explored(timers, { budget: unbounded });
    expect([...orders].sort()).toEqual([
      'quick@100 slow@300 work@300',
      'quick@100 work@100 slow@300',
      'slow@300 quick@300 work@300',
      'slow@300 work@300 quick@300',
      'work@0 quick@100 slow@300',
      'work@0 slow@300 quick@300',
    ]);
  });

  it('is cut short by a signal, which also takes an operation back', async () => {
    const cut = single('cut', async (run, task) => {
      const stop = new AbortController();
      const waits = [
        run.sleep(task, 1000, stop.signal),
        run.operation({ task, name: 'never', outcomes: [{ label: 'ok', cost: 0, apply: fail }], signal: stop.signal }),
      ];
      const ended = Promise.allSettled(waits);
      stop.abort(new Error('enough'));
      for (const { status } of await ended) if (status !== 'rejected') throw new Error('not cut short');
      await atOnce(run, task, 'after', () => run.now());
    });
    expect(await explored(cut, { budget: unbounded })).toMatchObject({ exhausted: true, failures: 0, schedules: 1 });
    function fail(): never {
      throw new Error('executed although it was taken back');
    }
  });
});
