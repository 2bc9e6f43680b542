import type { Draw, Theme } from './draw.ts';
import type { RunStep, Step } from './step.ts';

const sync: RunStep = { do: 'run', args: ['sync', '--once'] };
const embed: RunStep = { do: 'run', args: ['embed'] };
const both = [['companies', 'people']] as const;
const single = [['companies'], ['people']] as const;

/** A standby takes over. The new primary may lack the indexer's last writes. */
function takeover(draw: Draw, before: readonly Step[]): readonly Step[] {
  return [
    { do: 'add-standby' },
    ...draw.one([], [{ do: 'detach-standby' } as const]),
    ...draw.writes(2),
    ...before,
    { do: draw.one('promote', 'promote-after-crash') },
    draw.write(),
  ];
}

export const engineThemes: Readonly<Record<string, Theme>> = {
  failover: {
    kinds: both,
    atLeast: 3,
    atMost: 6,
    begin: (draw) => takeover(draw, [sync]),
    choices: [
      [3, (draw) => draw.writes(2)],
      [2, () => [sync]],
      // Writers continue while it is compared, and the comparing program may be killed.
      [2, (draw) => [{ ...sync, at: { request: 'refresh', nth: 1, when: 'before', act: draw.writes(3) } }]],
      [1, (draw) => [{ ...sync, at: draw.kill('any', 'refresh', 'bulk') }]],
      [1, (draw) => [{ do: 'run', args: ['repair', draw.kind()] }]],
      [1, (draw) => [{ do: 'run', args: ['verify', draw.kind()] }]],
      [1, () => [{ do: 'prune' }]],
    ],
  },
  'vectors-failover': {
    kinds: both,
    atLeast: 3,
    atMost: 6,
    embeddings: true,
    // The new primary may not know of the later vectors, which the index holds.
    begin: (draw) => [embed, ...takeover(draw, [embed, sync])],
    choices: [
      [3, (draw) => draw.writes(2)],
      [2, () => [sync]],
      [2, () => [embed]],
      [2, () => [{ do: 'serve' }]],
      [1, (draw) => [{ ...embed, at: draw.kill('embed') }]],
      [1, (draw) => [{ do: 'run', args: [draw.one('verify', 'repair'), draw.kind(), '--deep'] }]],
    ],
  },
  storage: {
    kinds: single,
    atLeast: 3,
    atMost: 6,
    begin: (draw) => {
      const kind = draw.kind();
      const id = 1 + draw.random.whole(6);
      const lost: Step = { do: 'update', kind, id };
      const repaired: Step = { do: 'run', args: ['repair', kind] };
      return [
        ...draw.one([], [draw.write()]),
        { do: 'snapshot-storage' },
        lost,
        draw.one(sync, sync, repaired),
        { do: 'restore-storage' },
        // A repair before anybody has noticed must not hide it.
        ...draw.one<readonly Step[]>([], [repaired]),
      ];
    },
    choices: [
      [4, (draw) => draw.writes(3)],
      [2, () => [sync]],
      [1, (draw) => [{ do: 'run', args: ['verify', draw.kind()] }]],
      [1, (draw) => [{ do: 'run', args: ['reindex', draw.kind()] }]],
      [1, () => [{ do: 'prune' }]],
    ],
  },
  'index-restored': {
    kinds: single,
    atLeast: 4,
    atMost: 8,
    begin: (draw) => [
      { do: 'snapshot-index', kind: draw.kind() },
      draw.write(),
      sync,
      { do: 'requests-end' },
      draw.write(),
      sync,
      { do: 'requests-end' },
    ],
    choices: [
      [3, (draw) => draw.writes(2)],
      [3, () => [sync]],
      [2, (draw) => [{ do: draw.one('restore-deleted-index', 'restore-closed-index'), kind: draw.kind() }]],
      [1, () => [{ do: 'requests-end' }]],
      [1, () => [{ do: 'prune' }]],
    ],
  },
  unflushed: {
    kinds: single,
    atLeast: 3,
    atMost: 6,
    choices: [
      [2, (draw) => [draw.write()]],
      [1, () => [sync]],
      [
        5,
        (draw) => {
          const kind = draw.kind();
          const id = 1 + draw.random.whole(6);
          const writer = draw.one<readonly string[]>(['repair', kind], ['sync', '--once']);
          return [
            // The first version drawn after a start is written to the disk, and all before it with it.
            { do: 'update', kind, id: 7 },
            { do: 'run', args: ['repair', kind] },
            { do: 'update-unflushed', kind, id },
            { do: 'run', args: writer },
            { do: 'crash-postgres' },
          ];
        },
      ],
    ],
  },
  prepared: {
    kinds: single,
    atLeast: 4,
    atMost: 8,
    choices: [
      [4, (draw) => [{ do: 'begin', tx: 1 }, draw.write(1), draw.write(1), { do: 'prepare', tx: 1 }]],
      [2, (draw) => [{ do: draw.one('commit-prepared', 'rollback-prepared'), tx: 1 }]],
      [2, () => [sync]],
      [2, (draw) => draw.writes(2)],
      [1, (draw) => [{ do: 'run', args: ['reindex', draw.kind()] }]],
    ],
  },
  'other-database': {
    kinds: single,
    atLeast: 3,
    atMost: 5,
    begin: (draw) => [{ do: 'other-database', args: ['reindex', draw.kind()] }],
    choices: [
      [2, (draw) => draw.writes(2)],
      [2, () => [sync]],
      [2, (draw) => [{ do: 'other-database', args: [draw.one('reindex', 'verify', 'rollback'), draw.kind()] }]],
    ],
  },
};
