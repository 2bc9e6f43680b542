import type { VerifyLimits } from '../../../../indexer/limits.ts';
import type { Draw, Theme } from './draw.ts';
import { engineThemes } from './engine-themes.ts';
import { load } from './load-theme.ts';
import { logThemes, transaction } from './log-themes.ts';
import type { PoisonColumn, ProviderFault, RunStep, Step } from './step.ts';
import { viewThemes } from './view-themes.ts';

// Mixtures of steps, one for each property that schedules try to refute: a theme chooses among few steps, so that a
// handful of its schedules reaches states that a mixture of all steps would reach once in thousands.

export const sync: RunStep = { do: 'run', args: ['sync', '--once'] };

const embed: RunStep = { do: 'run', args: ['embed'] };

const killedSync = (draw: Draw): RunStep => ({ ...sync, at: draw.kill('bulk', 'any') });

/** Windows of few rows, one after the other, with few suspects checked at a time. */
function comparing(suspects: number, windowRows: number): Partial<VerifyLimits> {
  return { suspectsAtOnce: suspects, differencesAtMost: suspects, windowRows, windowsAtOnce: 1 };
}

/** The n-th request of a comparison, and what readers and writers do while it waits. */
function comparison(draw: Draw): readonly Step[] {
  const kind = draw.kind();
  const suspects = 1 + draw.random.whole(3);
  const verify = comparing(suspects, 1 + draw.random.whole(2));
  const act = draw.one<readonly Step[]>(
    [sync],
    [{ do: 'update', kind, id: draw.id() }, sync],
    [sync, ...draw.writes(2)],
  );
  const at = {
    request: draw.one('refresh', 'search', 'refresh'),
    nth: 1 + draw.random.whole(4),
    when: draw.one('before', 'after'),
    act,
  } as const;
  return [
    ...draw.one<readonly Step[]>(
      [],
      [{ do: draw.one('spoil-delete', 'spoil-change'), kind, id: 4 + draw.random.whole(3) }],
    ),
    // Rows before the damaged one are pending: applying them does not repair it.
    ...[1, 2, 3].slice(draw.random.whole(3)).map((id): Step => ({ do: 'update', kind, id })),
    { do: 'run', args: [draw.one('verify', 'verify', 'repair'), kind, ...draw.one([], ['--deep'])], verify, at },
  ];
}

const reindexSteps = ['create', 'health', 'bulk', 'merge', 'settings', 'swap', 'delete', 'any'] as const;

function build(draw: Draw): RunStep {
  const kind = draw.kind();
  return { do: 'run', args: ['reindex', kind, ...draw.one([], ['--resume'], ['--resume'], ['--abort'])] };
}

const single = [['companies'], ['people']] as const;
const pairs = [
  ['companies', 'people'],
  ['companies', 'investors'],
  ['people', 'events'],
] as const;

export const themes: Readonly<Record<string, Theme>> = {
  writes: {
    kinds: pairs,
    atLeast: 8,
    atMost: 16,
    choices: [
      [6, (draw) => [draw.write()]],
      [5, transaction],
      [1, (draw) => [{ do: 'truncate', kind: draw.kind() }]],
      [4, () => [sync]],
      [2, (draw) => [killedSync(draw)]],
      [1, (draw) => [{ do: 'run', args: ['repair', draw.kind()] }]],
      [1, () => [{ do: 'prune' }]],
      [1, () => [{ do: 'requests-end' }]],
    ],
  },
  verify: {
    kinds: single,
    atLeast: 4,
    atMost: 8,
    choices: [
      [2, (draw) => [{ do: 'update-all', kind: draw.kind() }]],
      [2, (draw) => draw.writes(3)],
      [5, comparison],
      [1, (draw) => [{ do: draw.one('spoil-delete', 'spoil-change'), kind: draw.kind(), id: draw.id() }]],
      [1, () => [sync]],
    ],
  },
  poison: {
    kinds: [
      ['companies', 'people'],
      ['people', 'events'],
      ['companies', 'people'],
    ],
    atLeast: 4,
    atMost: 8,
    begin: (draw) => {
      const column = draw.kinds.includes('events')
        ? draw.one('events.start_date', 'roles.position')
        : draw.one('companies.founded_date', 'companies.tags', 'roles.position');
      const kind = ({ companies: 'companies', events: 'events', roles: 'people' } as const)[tableOf(column)];
      const poison: Step = { do: 'poison', column, id: 4 + draw.random.whole(3) };
      // A statement that also reads the other row meets the poison.
      return [poison, { do: 'update', kind, id: 1 + draw.random.whole(3) }];
    },
    choices: [
      [4, (draw) => draw.writes(3)],
      [3, () => [sync]],
      [1, (draw) => [{ do: 'run', args: ['repair', draw.kind()] }]],
      [1, (draw) => [{ do: 'run', args: ['reindex', draw.kind(), '--allow-dead-letters', '10'] }]],
      [1, (draw) => [{ do: 'run', args: ['verify', draw.kind()] }]],
      [
        1,
        (draw) => [{ do: 'repair-row', column: draw.one('companies.founded_date', 'companies.tags'), id: draw.id() }],
      ],
    ],
  },
  positions: {
    kinds: single,
    atLeast: 8,
    atMost: 14,
    begin: (draw) => [draw.write(), { do: 'drain' }, { do: 'requests-end' }, draw.write(), { do: 'drain' }],
    choices: [
      [
        3,
        (draw) => [
          { do: 'requests-end' },
          ...reopened(draw),
          ...draw.writes(4),
          { do: 'drain', at: draw.kill('bulk') },
        ],
      ],
      [4, (draw) => draw.writes(4)],
      [2, () => [{ do: 'drain' }]],
      [3, (draw) => [{ do: 'drain', at: draw.kill('bulk') }]],
      [2, () => [{ do: 'requests-end' }]],
      [1, () => [{ do: 'prune' }]],
      [1, (draw) => reopened(draw)],
    ],
  },
  'whole-index': {
    kinds: single,
    atLeast: 4,
    atMost: 8,
    begin: (draw) => [{ do: draw.one('close-index', 'block-index'), kind: draw.kind() }, draw.write()],
    choices: [
      [3, (draw) => draw.writes(3)],
      [3, () => [sync]],
      [1, (draw) => [{ do: draw.one('close-index', 'block-index'), kind: draw.kind() }]],
      [1, (draw) => [{ do: 'run', args: ['repair', draw.kind()] }]],
      [1, (draw) => [{ do: draw.one('open-index', 'unblock-index'), kind: draw.kind() }]],
    ],
  },
  alias: {
    kinds: single,
    atLeast: 4,
    atMost: 7,
    begin: (draw) => [{ do: 'run', args: ['reindex', draw.kind()] }],
    choices: [
      [2, (draw) => draw.writes(2)],
      [2, () => [sync]],
      [
        5,
        (draw) => {
          const kind = draw.kind();
          const spoil = draw.one('alias-on-two', 'delete-index', 'remove-alias', 'alias-on-two');
          return [
            { do: spoil, kind },
            { do: 'run', args: [draw.one('verify', 'rollback', 'repair'), kind] },
          ];
        },
      ],
      [1, (draw) => [{ do: 'run', args: ['reindex', draw.kind()] }]],
    ],
  },
  reindex: {
    kinds: pairs,
    atLeast: 5,
    atMost: 9,
    choices: [
      [3, (draw) => draw.writes(3)],
      [2, transaction],
      [3, (draw) => [{ ...build(draw), at: draw.kill(...reindexSteps) }]],
      [2, (draw) => [build(draw)]],
      [2, (draw) => [buildUnderWriters(draw)]],
      [2, () => [sync]],
      [1, (draw) => [{ do: 'run', args: ['rollback', draw.kind()] }]],
      [1, () => [{ do: 'prune' }]],
      [1, () => [{ do: 'requests-end' }]],
    ],
  },
  vectors: {
    kinds: pairs,
    atLeast: 6,
    atMost: 12,
    embeddings: true,
    begin: (draw) => draw.one<readonly Step[]>([], [embed], [embed, { do: 'run', args: ['reindex', draw.kind()] }]),
    choices: [
      [5, (draw) => draw.writes(3)],
      [2, transaction],
      [2, () => [embed]],
      [3, (draw) => [{ ...embed, at: draw.kill('embed') }]],
      // Texts change, ids are reassigned and vectors vanish while the model works.
      [
        3,
        (draw) => [
          { ...embed, at: { request: 'embed', nth: 1 + draw.random.whole(4), when: 'after', act: changes(draw) } },
        ],
      ],
      // All texts of a kind wait for a provider that fails, or refuses some of them.
      [
        3,
        (draw) => [
          { do: 'update-all', kind: draw.kind() },
          { ...embed, fault: fault(draw) },
        ],
      ],
      [1, (draw) => [{ ...embed, model: 'second', ...draw.one({}, { at: draw.kill('embed') }) }]],
      [2, () => [{ do: 'serve' }]],
      [1, (draw) => [{ do: 'serve', at: { request: 'embed', nth: 1, when: 'after', act: changes(draw) } }]],
      [1, (draw) => [{ do: 'serve', at: draw.kill('embed', 'bulk') }]],
      [1, (draw) => [{ do: 'serve', fault: fault(draw) }]],
      [3, () => [sync]],
      [1, (draw) => [killedSync(draw)]],
      [1, (draw) => [{ do: draw.one('remove-vectors', 'empty-vectors'), kind: draw.kind() }]],
      [1, (draw) => [{ do: 'truncate', kind: draw.kind() }]],
      [2, (draw) => [{ ...build(draw), model: draw.one('first', 'first', 'second') }]],
      [1, (draw) => [{ do: 'run', args: ['rollback', draw.kind()] }]],
      [1, (draw) => [{ do: 'run', args: [draw.one('verify', 'repair'), draw.kind(), '--deep'] }]],
      [1, () => [{ do: 'prune' }]],
    ],
  },
  ...logThemes,
  ...engineThemes,
  ...viewThemes,
  load,
};

function fault(draw: Draw): ProviderFault {
  return draw.one('unavailable', 'wrong-dimension', 'refuses-some', 'refuses-some');
}

/** Writes and manual changes while vectors are created. */
function changes(draw: Draw): readonly Step[] {
  const kind = draw.kind();
  const id = draw.id();
  return draw.one<readonly Step[]>(
    draw.writes(3),
    [{ do: 'update-all', kind }],
    [
      { do: 'delete', kind, id },
      { do: 'insert', kind, id },
    ],
    [{ do: 'truncate', kind }],
    [{ do: 'remove-vectors', kind }],
  );
}

function tableOf(column: PoisonColumn): 'companies' | 'events' | 'roles' {
  if (column.startsWith('companies')) return 'companies';
  return column.startsWith('events') ? 'events' : 'roles';
}

function reopened(draw: Draw): readonly Step[] {
  const kind = draw.kind();
  return [
    { do: 'close-index', kind },
    { do: 'open-index', kind },
  ];
}

/** Writers, and manual changes that damage the new index before it is compared. */
function buildUnderWriters(draw: Draw): RunStep {
  const kind = draw.kind();
  const spoil: Step = { do: 'spoil-delete', kind, id: 4 + draw.random.whole(3), newest: true };
  const act = draw.one<readonly Step[]>(draw.writes(3), [{ do: 'update-all', kind }, spoil]);
  const at = {
    request: draw.one('merge', 'settings', 'bulk'),
    nth: 1,
    when: draw.one('before', 'after'),
    act,
  } as const;
  return { do: 'run', args: ['reindex', kind], verify: comparing(2, 1), at };
}
