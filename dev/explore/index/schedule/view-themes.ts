import type { Draw, Theme } from './draw.ts';
import { transaction } from './log-themes.ts';
import type { RunStep, Step, WriteStep } from './step.ts';

// Views over tables of a team's own: soft delete, lookups, children, writers that no trigger sees, and a copy that
// follows the removals.

const sync: RunStep = { do: 'run', args: ['sync', '--once'] };
const poll: Step = { do: 'poll' };

function write(draw: Draw): WriteStep {
  const kind = draw.kind();
  const id = draw.id();
  return draw.one<WriteStep>(
    { do: 'hide', kind, id },
    { do: 'hide', kind, id },
    { do: 'show', kind, id },
    { do: 'look-up', id },
    { do: 'forget', id },
    { do: 'rekey', id },
    { do: 'relate', person: id, company: draw.id() },
    { do: 'unrelate', person: id, company: id },
    { do: 'rename', kind, id },
    { do: 'insert', kind, id: 10 + draw.random.whole(3) },
    { do: 'delete', kind, id },
    { do: 'update', kind, id },
  );
}

const writes = (draw: Draw): readonly Step[] => Array.from({ length: 1 + draw.random.whole(3) }, () => write(draw));

/** Two transactions delete one of a person's last two jobs each, and neither sees the other. */
function writeSkew(draw: Draw): readonly Step[] {
  const id = draw.id();
  const other = id === 1 ? 2 : 1;
  return [
    { do: 'relate', person: id, company: other },
    sync,
    { do: 'begin', tx: 1 },
    { do: 'begin', tx: 2 },
    { do: 'unrelate', person: id, company: id, tx: 1 },
    { do: 'unrelate', person: id, company: other, tx: 2 },
    ...draw.one<readonly Step[]>([], [sync]),
    { do: 'commit', tx: 1 },
    ...draw.one<readonly Step[]>([], [sync, poll]),
    { do: 'commit', tx: 2 },
  ];
}

const choices: Theme['choices'] = [
  [6, writes],
  [2, transaction],
  [2, writeSkew],
  [3, () => [sync]],
  [3, () => [poll]],
  [2, (draw) => [{ ...write(draw), isReplica: true }]],
  [1, () => [{ do: 'attach' }]],
  [1, (draw) => [{ do: 'truncate', kind: draw.kind() }]],
  [2, (draw) => [{ ...sync, at: draw.kill('bulk', 'any') }]],
  [2, (draw) => [{ do: 'run', args: [draw.one('verify', 'repair', 'reindex'), draw.kind()] }]],
  [1, () => [{ do: 'prune' }]],
  [1, () => [{ do: 'requests-end' }]],
];

/** More removals than before: their numbers pass those that a copy has read. */
const hides: readonly Step[] = [1, 2, 3, 4, 5, 6].map((id) => ({ do: 'hide', kind: 'companies', id }));

const both = [['companies', 'people']] as const;

export const viewThemes: Readonly<Record<string, Theme>> = {
  views: { kinds: both, views: true, atLeast: 6, atMost: 12, begin: () => [poll], choices },
  'views-restored': {
    kinds: both,
    views: true,
    atLeast: 1,
    atMost: 5,
    begin: (draw) => {
      const [keep, restore] = draw.one(
        [{ do: 'snapshot-storage' }, { do: 'restore-storage' }] as const,
        [{ do: 'dump' }, { do: 'restore-dump' }] as const,
      );
      return [
        ...writes(draw),
        sync,
        poll,
        keep,
        ...writes(draw),
        write(draw),
        ...draw.one<readonly Step[]>([], [sync], [sync, poll], [sync, poll]),
        restore,
        ...draw.one<readonly Step[]>([], [poll], writes(draw), [sync], [...hides, sync], [...hides, sync]),
      ];
    },
    choices,
  },
  // Its session ended while it waited for an answer, and another program took over.
  'views-stopped': {
    kinds: both,
    views: true,
    atLeast: 3,
    atMost: 6,
    begin: () => [poll],
    choices: [
      [3, writes],
      [2, () => [sync]],
      [1, () => [poll]],
      [
        5,
        (draw) => {
          const act: readonly Step[] = [{ do: 'end-sessions' }, ...writes(draw), sync, ...draw.one([], [poll])];
          const request = draw.one('bulk', 'bulk', 'any');
          return [
            ...writes(draw),
            { ...sync, at: { request, nth: 1 + draw.random.whole(2), when: draw.one('before', 'after'), act } },
          ];
        },
      ],
    ],
  },
};
