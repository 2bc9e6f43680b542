import type { Draw, Theme } from './draw.ts';
import { transaction } from './log-themes.ts';
import type { DrainStep, RunStep, Step } from './step.ts';

// Schedules in which several readers follow an index, each some parts of it: at different speeds, twice the same part
// where one takes over from another that is not gone yet, and divided into another number of parts in the middle.

const sync: RunStep = { do: 'run', args: ['sync', '--once'] };

const reindex = (kind: string): RunStep => ({ do: 'run', args: ['reindex', kind] });

const someParts = (draw: Draw): readonly number[] => draw.one([0], [1], [0], [1], [2], [0, 1], [1, 2]);

const divide = (draw: Draw): Step => ({ do: 'divide', parts: 1 + draw.random.whole(4) });

/** In the middle of a round others read, take over, write, and divide. */
function interrupted(draw: Draw): readonly Step[] {
  const parts = someParts(draw);
  const act = draw.one<readonly Step[]>(
    [draw.write(), { do: 'drain', parts }],
    [...draw.writes(2), { do: 'drain', parts: someParts(draw) }, { do: 'requests-end' }],
    [divide(draw), { do: 'drain' }],
    [divide(draw), { do: 'drain', parts }, ...draw.writes(2)],
  );
  const request = draw.one('bulk', 'bulk', 'any');
  return [
    ...draw.writes(4),
    { do: 'drain', parts, at: { request, nth: 1 + draw.random.whole(3), when: draw.one('before', 'after'), act } },
  ];
}

/** The others have not moved since, and need what this one has settled long ago. */
function oneAhead(draw: Draw): readonly Step[] {
  const ahead: DrainStep = { do: 'drain', parts: [draw.random.whole(2)] };
  const settled = [ahead, { do: 'requests-end' }] as const;
  return [...draw.writes(4), ...settled, ...settled, ...settled, { do: 'prune' }];
}

/** An index that is searched again, of which one reader has all. */
function swapBehind(draw: Draw): readonly Step[] {
  const kind = draw.kind();
  return [
    ...[1, 2, 3, 4, 5].map((id): Step => ({ do: 'update', kind, id })),
    { do: 'drain', parts: [draw.random.whole(2)] },
    { do: 'run', args: ['rollback', kind] },
  ];
}

export const partThemes: Readonly<Record<string, Theme>> = {
  parts: {
    kinds: [['companies', 'people'], ['people']],
    atLeast: 6,
    atMost: 10,
    begin: (draw) => [
      ...draw.one<readonly Step[]>([], [reindex(draw.kind())], [reindex(draw.kind())]),
      { do: 'divide', parts: 2 + draw.random.whole(2) },
      { do: 'drain' },
    ],
    choices: [
      [3, (draw) => draw.writes(4)],
      [2, transaction],
      [2, (draw) => [{ do: 'drain', parts: someParts(draw) }]],
      [1, (draw) => [{ do: 'drain', parts: someParts(draw), at: draw.kill('bulk') }]],
      [3, interrupted],
      [2, oneAhead],
      [2, swapBehind],
      [1, (draw) => [divide(draw)]],
      [1, (draw) => [{ do: 'truncate', kind: draw.kind() }]],
      [1, () => [sync]],
      [1, () => [{ do: 'requests-end' }]],
      [1, () => [{ do: 'prune' }]],
      [
        1,
        (draw) => [
          { do: 'close-index', kind: draw.kind() },
          { do: 'open-index', kind: draw.kind() },
        ],
      ],
    ],
  },
};
