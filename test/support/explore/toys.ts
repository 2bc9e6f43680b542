import type { Process, Run, Scenario, Task, World } from '../../../dev/explore/engine/types.ts';

/** Small worlds with a known number of schedules, or a known defect. */

export function atOnce<T>(run: Run, task: Task, name: string, apply: () => T): Promise<T> {
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

/** A sender that repeats what may have been lost: three lost answers make a fourth copy. */
export const resend: Scenario = {
  name: 'resend',
  createWorld(run) {
    let copies = 0;
    const process = run.process('sender');
    run.start(process, 'send', async (task) => {
      for (let attempt = 0; attempt < 4; attempt++) {
        const answer = await run.operation<string>({
          task,
          name: 'send',
          outcomes: [
            { label: 'received', cost: 0, apply: () => receive('yes') },
            { label: 'lost after it was received', cost: 1, apply: () => receive('?') },
            { label: 'lost before it was received', cost: 1, apply: () => '?' },
          ],
        });
        if (answer === 'yes') return;
        await run.sleep(task, 1000);
      }
    });
    run.start(run.process('other'), 'noise', async (task) => {
      for (let at = 0; at < 3; at++) await atOnce(run, task, 'noise', () => at);
    });
    const receive = (answer: string): string => {
      copies++;
      return answer;
    };
    return {
      fingerprint: () => String(copies),
      check: () => (copies <= 3 ? null : `too many copies: ${copies}`),
    };
  },
};

/** Writes, then acknowledges; a crash between the two, and a restart that the world offers. */
export const crashing: Scenario = {
  name: 'crashing',
  createWorld(run) {
    let written = 0;
    let acknowledged = 0;
    let crashes = 0;
    const begin = (process: Process): void => {
      run.start(process, `write#${crashes}`, async (task) => {
        await atOnce(run, task, 'write', () => written++);
        await atOnce(run, task, 'acknowledge', () => acknowledged++);
      });
    };
    let down = false;
    begin(run.process('api', { crashCost: 1 }));
    return {
      fingerprint: () => `${written} ${acknowledged} ${crashes} ${down}`,
      crashed: () => {
        crashes++;
        down = true;
      },
      enabledActions: () => (down ? [{ label: 'restart', cost: 1, idle: true, apply: restart }] : []),
      check: () => null,
      atRest: () => (written === 1 && acknowledged === 1 ? null : `written ${written}, acknowledged ${acknowledged}`),
    };
    function restart(): void {
      down = false;
      begin(run.process('api'));
    }
  },
};

/** A scenario of one task, for what can go wrong. */
export function single(
  name: string,
  body: (run: Run, task: Task) => Promise<unknown>,
  world?: Partial<World>,
): Scenario {
  return {
    name,
    maxSteps: 50,
    createWorld(run) {
      run.start(run.process('p'), 'task', (task) => body(run, task));
      return { fingerprint: () => '', check: () => null, ...world };
    },
  };
}

export const endless = single('endless', async (run, task) => {
  for (let at = 0; ; at++) await atOnce(run, task, 'again', () => at);
});

export const stuck = single('stuck', async (run, task) => {
  await atOnce(run, task, 'first', () => null);
  await new Promise(() => {});
});

export const locked = single('locked', async (run, task) => {
  await run.operation({ task, name: 'lock', outcomes: () => [] });
});

export const rejecting = single('rejecting', async (run, task) => {
  await atOnce(run, task, 'first', () => null);
  throw new TypeError('not caught');
});

/** Rejects unobserved, after its last step. */
export const careless = single('careless', async (run, task) => {
  await atOnce(run, task, 'first', () => null);
  void Promise.reject(new Error('nobody catches this'));
});
