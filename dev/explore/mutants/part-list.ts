import type { IndexMutant } from './index.ts';

/** Where several readers follow an index: what happens when one of them is taken for all. */
export const partMutants: readonly IndexMutant[] = [
  {
    name: "the log is pruned by one part's position",
    edits: [
      {
        file: 'indexer/change-log/prune.ts',
        find: 'coalesce(settled_position, position) as seen from search_positions',
        replace: 'coalesce(settled_position, position) as seen from search_positions where part = 0',
      },
    ],
    scenario: 'parts',
    seed: 49,
    found: 'unequal',
  },
  {
    name: 'a swap waits for one part',
    edits: [
      {
        file: 'indexer/change-log/reader-status.ts',
        find: 'where p.generation_id = $1 and search_concerns_part(',
        replace: 'where p.generation_id = $1 and p.part = 0 and search_concerns_part(',
      },
    ],
    scenario: 'parts',
    seed: 63,
    found: 'alias',
  },
  {
    name: 'readers of a new division begin where the one that came farthest stood',
    edits: [
      {
        file: 'src/schema/baseline/12-reader-parts.sql',
        find: 'select min(pg_snapshot_xmax(one)) as xid from unnest(snapshots) as one',
        replace: 'select max(pg_snapshot_xmax(one)) as xid from unnest(snapshots) as one',
      },
    ],
    scenario: 'parts',
    seed: 19,
    found: 'unequal',
  },
];
