import type { Run, Scenario, Task } from '../../../dev/explore/engine/types.ts';

/** Small worlds with a known number of schedules, or a known defect. */

function atOnce<T>(run: Run, task: Task, name: string, apply: () => T): Promise<T> {
  return run.operation({ task, name, outcomes: [{ label: 'ok', cost: 0, apply }] });
}

/** Independent tasks with this many operations each. */
export function independent(...lengths: number[]): Scenario {
  return {
    name: `independent-${lengths.join('-')}`,
    createWorld(run) {
      for (const [nth, length] of lengths.entries()) {
        run.start(run.process(`process-${nth}`, { memory: 'separate' }), `task-${nth}`, async (task) => {
          for (let at = 0; at < length; at++) await atOnce(run, task, `step ${at}`, () => at);
        });
      }
      return { fingerprint: () => '', check: () => null };
    },
  };
}

/** Two tasks read a counter and write it back: one preemption between read and write loses an update. */
export const lostUpdate: Scenario = {
  name: 'lost-update',
  createWorld(run) {
    let counter = 0;
    for (const name of ['a', 'b']) {
      run.start(run.process(name), `add-${name}`, async (task) => {
        await atOnce(run, task, 'unrelated', () => null);
        const seen = await atOnce(run, task, 'read', () => counter);
        await atOnce(run, task, 'write', () => {
          counter = seen + 1;
        });
      });
    }
    return {
      fingerprint: () => String(counter),
      check: () => null,
      atRest: () => (counter === 2 ? null : `lost update: the counter is ${counter} after two additions`),
      describe: () => `counter: ${counter}`,
    };
  },
};

/** The same with a compare-and-set: nothing to find. */
export const safeUpdate: Scenario = {
  name: 'safe-update',
  createWorld(run) {
    let counter = 0;
    for (const name of ['a', 'b']) {
      run.start(run.process(name), `add-${name}`, async (task) => {
        for (let done = false; !done; ) {
          const seen = await atOnce(run, task, 'read', () => counter);
          done = await atOnce(run, task, 'compare and set', () => {
            if (counter !== seen) return false;
            counter = seen + 1;
            return true;
          });
        }
      });
    }
    return {
      fingerprint: () => String(counter),
      check: () => null,
      atRest: () => (counter === 2 ? null : `lost update: ${counter}`),
    };
  },
};
