import type { Draw, Theme } from './draw.ts';
import type { RunStep, Step } from './step.ts';

// Loads in parts of two rows, which are killed and gone on with, and which others help with.

/** Limits: one document at a time, few of them read ahead, in parts of two rows, so that others have something to claim. */
export const smallLoads = {
  reindex: { batchBytes: 400, bytesPerRequest: 2_500 },
  load: { partRows: 2, beatMs: 20, leaseMs: 700, joinWaitMs: 300 },
};

/** While a load waits for an answer, others help with it, are killed, or others write. */
function helped(draw: Draw): RunStep {
  const kind = draw.kind();
  const join: RunStep = { do: 'run', args: ['reindex', kind, '--join'] };
  const act = draw.one<readonly Step[]>(
    [join],
    [{ ...join, at: draw.kill('bulk') }],
    [{ ...join, at: draw.kill('bulk') }, join, ...draw.writes(2)],
    [{ ...join, at: { request: 'bulk', nth: 1, when: 'before', act: draw.writes(3) } }],
  );
  const at = { request: 'bulk', nth: 1 + draw.random.whole(3), when: draw.one('before', 'after'), act } as const;
  return { do: 'run', args: ['reindex', kind, ...draw.one([], ['--resume'])], at, sound: true };
}

/** A load ends between two requests, and is gone on with. */
function killedAndResumed(draw: Draw): readonly Step[] {
  const args = ['reindex', draw.kind()];
  const at = {
    request: 'bulk',
    nth: 2 + draw.random.whole(9),
    when: draw.one('before', 'after'),
    act: 'crash',
  } as const;
  return [
    { do: 'run', args, at, sound: true },
    { do: 'run', args: [...args, '--resume'], sound: true },
  ];
}

export const load: Theme = {
  kinds: [['companies'], ['people']],
  smallLoads: true,
  atLeast: 3,
  atMost: 6,
  begin: (draw) => Array.from({ length: 9 }, (_, at): Step => ({ do: 'insert', kind: draw.kind(), id: 20 + 3 ** at })),
  choices: [
    [2, (draw) => draw.writes(3)],
    [4, (draw) => [helped(draw)]],
    [3, killedAndResumed],
    [1, () => [{ do: 'run', args: ['sync', '--once'] }]],
  ],
};
