import type { IndexMutant } from './index.ts';
import { poisonMutants } from './poison-list.ts';

/** Each is a defect that this project had; the numbers of `seed` are where the search begins. */
export const indexMutants: readonly IndexMutant[] = [
  {
    name: 'a comparison that was cut short counts as equal',
    edits: [
      {
        file: 'indexer/verify/verify.ts',
        find: 'return suspects.differences.size < stopAfter;',
        replace: 'return false;',
      },
      { file: 'indexer/verify/verify.ts', find: 'const equal = scanned.complete && ', replace: 'const equal = ' },
    ],
    scenario: 'verify',
    seed: 6,
    found: 'equal',
  },
  {
    name: 'a halt waits for a person',
    edits: [
      {
        file: 'indexer/sync/auto-repair.ts',
        find: '  const rows = await estimateRows(pool, generation.kind);\n',
        replace: `  const rows = await estimateRows(pool, generation.kind);
  const nothing = { differed: 0, written: 0, deleted: 0, beyondBounds: true };
  if (rows >= 0) return { ...nothing, problem: 'Somebody has to compare it.' };
`,
      },
    ],
    scenario: 'failover',
    seed: 1,
    found: 'halted',
  },
  {
    name: 'what waits in the change log keeps a halt from ending',
    edits: [
      {
        file: 'indexer/verify/verify.ts',
        find: 'const proven = isProven({ ...report, changing }, options.rejected);',
        replace: 'const proven = isProven({ ...report, changing: unjudged }, options.rejected);',
      },
    ],
    scenario: 'failover',
    seed: 2,
    found: 'halted',
  },
  {
    name: 'an index that was restored is taken for one that moved',
    edits: [
      {
        file: 'indexer/change-log/restore-detection.ts',
        find: 'if (state.indexHistory !== null && state.indexHistory !== history)',
        replace: "if (state.indexHistory === 'never' && history === 'ever')",
      },
    ],
    scenario: 'index-restored',
    seed: 2,
    found: 'unequal',
  },
  {
    name: 'a snapshot that was restored over its closed index goes unnoticed',
    edits: [
      {
        file: 'indexer/change-log/index-identity.ts',
        find: `identity: \`\${found.uuid} \${shards.sort().join(' ')}\``,
        replace: 'identity: found.uuid',
      },
    ],
    scenario: 'index-restored',
    seed: 1,
    found: 'unequal',
    needsSnapshots: true,
  },
  {
    name: "a restore of Postgres's storage goes unnoticed",
    edits: [
      {
        file: 'indexer/change-log/write-marker.ts',
        find: 'return told > own.marker && told >',
        replace: 'return told < own.marker && told >',
      },
    ],
    scenario: 'storage',
    seed: 1,
    found: 'unequal',
  },
  {
    name: 'an alias on two indices is as good as one',
    edits: [
      {
        file: 'indexer/generations/alias-state.ts',
        find: 'if (named.length > 1) {',
        replace: 'if (named.length > 9) {',
      },
    ],
    scenario: 'alias',
    seed: 5,
    found: 'equal',
  },
  {
    name: 'where no index is searched nothing can be rolled back to',
    edits: [
      {
        file: 'indexer/generations/rollback.ts',
        find: 'if (searched.kept.length === 0)',
        replace: 'if (searched.kept.length >= 0)',
      },
    ],
    scenario: 'alias',
    seed: 4,
    found: 'refused',
  },
  ...poisonMutants,
  {
    name: 'what was to be settled next stays when a reader goes back',
    edits: [
      {
        file: 'indexer/change-log/positions.ts',
        find: 'set position = coalesce(settled_position, position), between_position = null, between_at = null,',
        replace: 'set position = coalesce(settled_position, position),',
      },
      {
        file: 'src/schema/baseline/04-generations.sql',
        find: `    pg_snapshot_xmin(settled_position) <= pg_snapshot_xmin(position)
    and pg_snapshot_xmax(settled_position) <= pg_snapshot_xmax(position)),
`,
        replace: '    true),\n',
      },
      {
        file: 'src/schema/baseline/04-generations.sql',
        find: '    pg_snapshot_xmax(between_position) <= pg_snapshot_xmax(position)),',
        replace: '    true),',
      },
    ],
    scenario: 'positions',
    seed: 2,
    found: 'settled',
  },
  {
    name: 'a load resumes after the last batch that was begun',
    edits: [
      {
        file: 'indexer/reindex/resume-point.ts',
        find: 'for (let first = this.#open[0]; first?.isAcknowledged; first = this.#open[0]) {',
        replace: 'for (let first = this.#open[0]; first !== undefined; first = this.#open[0]) {',
      },
    ],
    scenario: 'load',
    seed: 1,
    found: 'unequal',
  },
  {
    name: 'parts are written without a flush',
    edits: [
      {
        file: 'indexer/partial-reindex/partial-reindex.ts',
        find: '    await advanceMarker(context, generation);\n',
        replace: '',
      },
    ],
    scenario: 'unflushed',
    seed: 4,
    found: 'unequal',
  },
  {
    name: "a restore of Postgres's storage that forgets what a part has read",
    edits: [
      {
        file: 'indexer/partial-reindex/partial-reindex.ts',
        find: '    await advanceMarker(context, generation);\n',
        replace: '',
      },
    ],
    scenario: 'storage',
    seed: 1,
    found: 'unequal',
  },
  {
    name: 'parts hide that Postgres has gone back',
    edits: [
      {
        file: 'indexer/partial-reindex/partial-reindex.ts',
        find: 'if (await isBehindMarker(context, generation)) await haltBehindMarker',
        replace: 'if ((await isBehindMarker(context, generation)) && generation.id < 0) await haltBehindMarker',
      },
    ],
    scenario: 'storage',
    seed: 1,
    found: 'unequal',
  },
  {
    name: 'a closed index is the fault of its documents',
    edits: [
      {
        file: 'indexer/write/index-states.ts',
        find: '  return byType[type] ?? ',
        replace: "  return type === 'index_closed_exception' ? undefined : ",
      },
    ],
    scenario: 'whole-index',
    seed: 2,
    found: 'letter',
  },
  {
    name: 'writers notify, and so can prepare no transaction',
    edits: [
      {
        file: 'src/schema/baseline/02-change-log.sql',
        find: "insert into search_changes (kind, id, what) select tg_argv[0], id, 'row' from new_rows;",
        replace:
          "insert into search_changes (kind, id, what) select tg_argv[0], id, 'row' from new_rows; perform pg_notify('search_changes', '');",
      },
    ],
    scenario: 'prepared',
    seed: 1,
    found: 'refused',
  },
  {
    name: 'the log is emptied of what a transaction wrote that no reader has seen',
    edits: [
      {
        file: 'indexer/change-log/prune.ts',
        find: 'if (found === undefined || found.isNeeded) return 0;',
        replace: 'if (found === undefined) return 0;',
      },
      {
        file: 'indexer/change-log/prune.ts',
        find: 'if (bytes > 0 && !isNeeded) removed',
        replace: 'if (bytes > 0 || isNeeded) removed',
      },
    ],
    scenario: 'pruning',
    seed: 1,
    found: 'unequal',
  },
  {
    name: 'vectors arrive in the indices of another model only',
    edits: [
      {
        file: 'indexer/change-log/changes.ts',
        find: 'model === embeddingModel',
        replace: 'model !== embeddingModel',
      },
    ],
    scenario: 'vectors',
    seed: 1,
    found: 'unequal',
  },
  {
    name: 'texts of a batch that was halved get the vectors of others',
    edits: [
      {
        file: 'indexer/embeddings/embed-texts.ts',
        find: 'texts.slice(0, middle), options)),',
        replace: 'texts.slice(0, middle).toReversed(), options)),',
      },
    ],
    scenario: 'vectors',
    seed: 1,
    found: 'vector',
  },
];
