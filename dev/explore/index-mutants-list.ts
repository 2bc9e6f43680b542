import type { IndexMutant } from './index-mutants.ts';

/** Each is a defect that this project had; the numbers of `seed` are where the search begins. */
export const indexMutants: readonly IndexMutant[] = [
  {
    name: 'a comparison that was cut short counts as equal',
    edits: [
      { file: 'indexer/verify.ts', find: 'return judge.differences.size < stopAfter;', replace: 'return false;' },
      { file: 'indexer/verify.ts', find: 'const equal = scanned.complete && ', replace: 'const equal = ' },
    ],
    scenario: 'verify',
    seed: 3,
    found: 'equal',
  },
  {
    name: 'a halt waits for a person',
    edits: [
      {
        file: 'indexer/sync/mend.ts',
        find: '  const rows = await estimateRows(pool, generation.kind);\n',
        replace: `  const rows = await estimateRows(pool, generation.kind);
  const nothing = { followed: false, differed: 0, written: 0, deleted: 0, beyondBounds: true };
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
        file: 'indexer/verify.ts',
        find: 'const proven = isProven({ ...report, changing }, options.rejected);',
        replace: 'const proven = isProven({ ...report, changing: unjudged }, options.rejected);',
      },
    ],
    scenario: 'failover',
    seed: 1,
    found: 'halted',
  },
  {
    name: 'an index that was restored is taken for one that moved',
    edits: [
      {
        file: 'indexer/readers.ts',
        find: 'if (state.targetHistory !== null && state.targetHistory !== history)',
        replace: "if (state.targetHistory === 'never' && history === 'ever')",
      },
    ],
    scenario: 'index-restored',
    seed: 1,
    found: 'unequal',
  },
  {
    name: "a restore of Postgres's storage goes unnoticed",
    edits: [
      {
        file: 'indexer/readers.ts',
        find: 'if (await isBehindMarker(this.#marking(), state)) {',
        replace: 'if ((await isBehindMarker(this.#marking(), state)) && state.id < 0) {',
      },
    ],
    scenario: 'storage',
    seed: 1,
    found: 'unequal',
  },
  {
    name: 'an alias on two indices is as good as one',
    edits: [
      { file: 'indexer/generations/searched.ts', find: 'if (named.length > 1) {', replace: 'if (named.length > 9) {' },
    ],
    scenario: 'alias',
    seed: 5,
    found: 'equal',
  },
  {
    name: 'where no index is searched nothing can be rolled back to',
    edits: [
      {
        file: 'indexer/rollback.ts',
        find: 'if (searched.kept.length === 0) throw',
        replace: 'if (searched.kept.length >= 0) throw',
      },
    ],
    scenario: 'alias',
    seed: 4,
    found: 'refused',
  },
];
