import type pg from 'pg';
import type { KindName } from '../../src/kinds/kind.ts';
import { identitySql } from '../../src/postgres/identity.ts';
import type { Generation } from './generations.ts';
import type { GenerationState, LoadCounts } from './model.ts';

/** A generation that never went live and may have left an index. */
export interface UnfinishedGeneration extends Generation {
  readonly hash: string;
  readonly state: GenerationState;
  readonly counts: LoadCounts;
  /** True if the database has changed or gone back since its first position: the change log does not have the rest. */
  readonly halted: boolean;
}

/** Lists builds that did not go live, the youngest first. Under the kind's lifecycle lock only. */
export async function listUnfinished(pool: pg.Pool, kind: KindName): Promise<readonly UnfinishedGeneration[]> {
  const { rows } = await pool.query<Omit<UnfinishedGeneration, 'counts'> & LoadCounts>(
    `select id, kind, number, index_name as "indexName", document_sql as "documentSql", hash, state,
            halted is not null or position is null or source_identity is distinct from ${identitySql}
              or pg_snapshot_xmax(position) > pg_snapshot_xmax(pg_current_snapshot()) as halted,
            rows_read as rows, bytes,
            (select count(*)::int from search_dead_letters where generation_id = search_generations.id) as "deadLetters"
     from search_generations
     where kind = $1 and state not in ('live', 'retired') and ended_at is null
     order by number desc`,
    [kind],
  );
  return rows.map(({ rows: read, bytes, deadLetters, ...leftover }) => ({
    ...leftover,
    counts: { rows: read, bytes, deadLetters },
  }));
}

/** Ends a build before its index is removed, so that no process resumes it meanwhile. */
export async function giveUp(
  pool: pg.Pool,
  indexName: string,
  state: 'aborted' | 'failed',
  why = 'Given up with reindex --abort.',
): Promise<void> {
  await pool.query(
    `update search_generations
     set state = $2, last_error = case when $2 = 'aborted' then $3 else coalesce(last_error, $3) end
     where index_name = $1 and state not in ('live', 'retired')`,
    [indexName, state, why],
  );
}
