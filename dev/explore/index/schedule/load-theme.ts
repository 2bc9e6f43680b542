import type { Draw, Theme } from './draw.ts';
import type { Step } from './step.ts';

/** One document at a time, few of them read ahead, and every acknowledgement saved. */
export const smallLoads = { batchBytes: 400, bytesPerRequest: 2_500, saveEveryMs: 0 };

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
    ...draw.one<readonly Step[]>([], draw.writes(3)),
    { do: 'run', args: [...args, '--resume'], sound: true },
  ];
}

/** Others write while a load waits for an answer. */
function writtenMeanwhile(draw: Draw): readonly Step[] {
  const at = { request: 'bulk', nth: 1 + draw.random.whole(3), when: 'before', act: draw.writes(3) } as const;
  return [{ do: 'run', args: ['reindex', draw.kind()], at, sound: true }];
}

export const load: Theme = {
  kinds: [['companies'], ['people']],
  smallLoads: true,
  atLeast: 3,
  atMost: 6,
  begin: (draw) => Array.from({ length: 9 }, (_, at): Step => ({ do: 'insert', kind: draw.kind(), id: 20 + 3 ** at })),
  choices: [
    [2, (draw) => draw.writes(3)],
    [2, writtenMeanwhile],
    [4, killedAndResumed],
    [1, () => [{ do: 'run', args: ['sync', '--once'] }]],
  ],
};
