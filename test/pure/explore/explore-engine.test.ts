import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { main } from '../../../dev/explore/engine/cli.ts';
import { replay, ScheduleMisfit } from '../../../dev/explore/engine/schedule.ts';
import type { Scenario } from '../../../dev/explore/engine/types.ts';
import { explored, onlyFinding, unbounded } from '../../support/explore/explored.ts';
import {
  atOnce,
  crashing,
  endless,
  independent,
  locked,
  lostUpdate,
  rejecting,
  resend,
  safeUpdate,
  single,
  stuck,
} from '../../support/explore/toys.ts';

describe('The explored schedules', () => {
  it('is every interleaving once: C(7, 3) of tasks with 3 and 4 operations, 3 among them 5! / (2! 2! 1!)', async () => {
    expect(await explored(independent(3, 4), { budget: unbounded, prune: false })).toMatchObject({
      schedules: 35,
      pruned: 0,
      deepest: 7,
      exhausted: true,
      failures: 0,
    });
    expect((await explored(independent(2, 2, 1), { budget: unbounded, prune: false })).schedules).toBe(30);
  });

  it('is every state once with pruning: (n + 1)(m + 1)', async () => {
    expect(await explored(independent(3, 4), { budget: unbounded })).toMatchObject({ states: 20, exhausted: true });
    expect((await explored(independent(9, 11), { budget: unbounded })).states).toBe(120);
  });

  it('is bounded by the budget: each task moves to its end, until it is preempted', async () => {
    // aabb costs 0; abba and bbaa 1; abab and baab 2; baba 3.
    for (const [budget, count] of [1, 3, 5, 6].entries()) {
      const { schedules, completedBudget } = await explored(independent(2, 2), { budget, prune: false });
      expect([completedBudget, schedules]).toEqual([budget, count]);
    }
  });

  it('does not claim a budget that time cut short', async () => {
    const report = await explored(independent(9, 9, 9, 9), { seconds: 0.3, budget: 40 });
    expect(report.exhausted).toBe(false);
    expect(report.completedBudget).toBeLessThan(40);
  });
});

describe('A defect', () => {
  it('of one preemption is found at cost 1, printed as a story, and replayed from its token', async () => {
    const finding = await onlyFinding(lostUpdate);
    expect(finding).toMatchObject({ cost: 1, failure: { kind: 'invariant' } });
    expect(finding.schedule).toHaveLength(1);
    expect(finding.story.split('\n').map((line) => line.trim())).toEqual([
      '1   a  add-a  unrelated → ok',
      '2   a  add-a  read → ok',
      '3 > b  add-b  unrelated → ok',
      '4   b  add-b  read → ok',
      '5   b  add-b  write → ok',
      '6   a  add-a  write → ok',
      '7   at rest',
      '= invariant: lost update: the counter is 1 after two additions',
      'counter: 1',
    ]);
    const again = await replay(finding.token, [lostUpdate]);
    expect(again).toMatchObject({ sameFailure: true, failure: finding.failure });
  });

  it('that takes three lost answers is found at budget 3 and not before', async () => {
    expect((await explored(resend, { budget: 2 })).findings).toEqual([]);
    const finding = await onlyFinding(resend, { budget: 3 });
    expect(finding.cost).toBe(3);
    expect(finding.schedule.map(([, label]) => label)).toEqual(
      Array(3).fill('sender  send  send → lost after it was received'),
    );
    expect((await replay(finding.token, [resend])).sameFailure).toBe(true);
  });

  it('after a crash shows what was executed and what was not', async () => {
    const { findings } = await explored(crashing);
    expect(findings.map(({ failure, schedule }) => [failure.message, schedule.at(-1)?.[1]]).sort()).toEqual([
      ['written 2, acknowledged 1', 'crash api'],
      ['written 2, acknowledged 2', 'api  write#0  acknowledge → executed, then crash'],
    ]);
  });
});

describe('A token', () => {
  it('that no longer fits names the place, and the possible choices', async () => {
    const { token } = await onlyFinding(lostUpdate);
    await expect(replay(token.replace('unrelated', 'renamed'), [lostUpdate])).rejects.toThrow(ScheduleMisfit);
    await expect(replay(token.replace('unrelated', 'renamed'), [lostUpdate])).rejects.toThrow(
      /at step 3 it wants\n {2}b {2}add-b {2}renamed → ok\nbut possible there is\n {2}a {2}add-a {2}write → ok\n/,
    );
    await expect(replay(token.replace('[[2,', '[[20,'), [lostUpdate])).rejects.toThrow(ScheduleMisfit);
  });

  it('of an unknown scenario, or that is none, is refused', async () => {
    const { token } = await onlyFinding(lostUpdate);
    await expect(replay(token, [resend])).rejects.toThrow('of scenario lost-update, which is none of resend');
    await expect(replay('{"scenario":1}', [resend])).rejects.toThrow('Not a token');
  });

  it('passes where the defect is mended', async () => {
    const { token } = await onlyFinding(resend, { budget: 3 });
    const mended: Scenario = { ...resend, createWorld: (run) => ({ ...resend.createWorld(run), check: () => null }) };
    expect(await replay(token, [mended])).toMatchObject({ sameFailure: false, failure: null });
  });
});

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

test('An unhandled rejection is a failure', async () => {
  const careless = fileURLToPath(new URL('../../support/explore/careless.ts', import.meta.url));
  // Under Jest, this process does not hear of unhandled rejections.
  const { stdout } = await promisify(execFile)(process.execPath, [careless]);
  expect(stdout).toContain('unhandled rejection');
  expect(stdout).toContain('1   p  task  first → ok');
});

describe('The command line', () => {
  async function ran(...argv: string[]): Promise<[code: number, text: string]> {
    const lines: string[] = [];
    const code = await main([lostUpdate, safeUpdate], argv, (text) => lines.push(text));
    return [code, lines.join('\n')];
  }
  const here = ['--seconds', '20'];

  it('ends with 1 and the story if something is found, with 0 and the bound if not', async () => {
    const [code, text] = await ran(...here, '--budget', '1', '--scenario', 'lost-update');
    expect(code).toBe(1);
    expect(text).toContain('lost-update: every schedule of cost <= 1 is explored');
    expect(text).toContain('FOUND in lost-update, 7 steps, cost 1: invariant\n   1   a  add-a  unrelated → ok\n');
    const token = /replay: (.*)/.exec(text)?.[1] ?? '';
    expect(await ran('--replay', token)).toEqual([1, expect.stringContaining('= invariant: lost update')]);
    expect(await ran(...here, '--budget', '1', '--scenario', 'safe-update')).toEqual([
      0,
      expect.stringMatching(/every schedule of cost <= 1 is explored\n.*\n.*: nothing found\.$/),
    ]);
  });
});
