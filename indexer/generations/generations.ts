import type pg from 'pg';
import type { KindName } from '../../src/kinds/kind.ts';
import { identitySql } from '../../src/postgres/identity.ts';
import { inTransaction } from '../../src/postgres/pool.ts';
import { readValue } from '../../src/postgres/statements.ts';
import { pruneLock } from '../change-log/prune.ts';
import type { ReindexStatus, StepName } from './model.ts';

// The history of each index, in search_generations. Elasticsearch's alias decides which one is live; these rows follow
// it. `ended_at` is set when the index is gone, so a row without it may still have one.

export interface Generation {
  readonly id: number;
  readonly kind: KindName;
  readonly number: number;
  readonly indexName: string;
  /** SQL that selects `id` and `body`. */
  readonly documentSql: string;
}

export interface NewGeneration extends Omit<Generation, 'id'> {
  readonly hash: string;
  readonly definition: object;
  readonly embeddingModel: string | null;
}

/** Returns the kind's highest number plus one. The kind's lifecycle lock reserves it. */
export function nextNumber(pool: pg.Pool, kind: KindName): Promise<number> {
  return readValue(pool, 'select coalesce(max(number), 0) + 1 from search_generations where kind = $1', [kind]);
}

/**
 * Inserts a new generation as planned and takes its position: every change that this snapshot does not see is applied
 * after the load, so this precedes every read.
 */
export function planGeneration(pool: pg.Pool, planned: NewGeneration): Promise<Generation> {
  const { kind, number, indexName, hash, definition, documentSql, embeddingModel } = planned;
  return inTransaction(pool, async (client) => {
    // The insert takes the snapshot, while no pruning that ignores it is under way.
    await client.query(`select pg_advisory_xact_lock_shared(${pruneLock})`);
    const { rows } = await client.query<{ id: number }>(
      `insert into search_generations
         (kind, number, index_name, hash, definition, document_sql, embedding_model, position, source_identity)
       values ($1, $2, $3, $4, $5, $6, $7, pg_current_snapshot(), ${identitySql}) returning id`,
      [kind, number, indexName, hash, JSON.stringify(definition), documentSql, embeddingModel],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('Postgres returned no id for the new generation.');
    return { id: row.id, kind, number, indexName, documentSql };
  });
}

/**
 * Records the state of a reindex, if it still has the earlier one: after a stop, another process may have continued it.
 * `recordLive` records going live.
 */
export async function recordState(
  pool: pg.Pool,
  generation: Generation,
  from: StepName,
  reindex: ReindexStatus,
): Promise<void> {
  const { rowCount } = await pool.query(
    `update search_generations
     set state = $2, last_error = $5, worked_at = clock_timestamp(),
         -- During the load, its resume point is ahead of the counts of the caller.
         rows_read = greatest(rows_read, $3), bytes = greatest(bytes, $4)
     where id = $1 and state = $6`,
    [generation.id, reindex.state, reindex.counts.rows, reindex.counts.bytes, reindex.error ?? null, from],
  );
  if (rowCount !== 1) throw new Error(`${generation.indexName} is not ${from} now: another process works on it.`);
}

/**
 * Records, after the alias was read, which generation of the kind is live; the one before it is retired. Records
 * nothing if the alias names several: `rollback --generation` chooses one.
 */
export async function recordLive(pool: pg.Pool, kind: KindName, liveIndices: readonly string[]): Promise<void> {
  if (liveIndices.length > 1) return;
  // Two statements in this order: only one row of a kind may be live at any time.
  await pool.query(
    `update search_generations set state = 'retired', retired_at = now()
     where kind = $1 and state = 'live' and not index_name = any($2)`,
    [kind, liveIndices],
  );
  await pool.query(
    `update search_generations set state = 'live', live_at = coalesce(live_at, now()), retired_at = null, last_error = null
     where kind = $1 and state <> 'live' and index_name = any($2)`,
    [kind, liveIndices],
  );
  await pool.query(
    `delete from search_dead_letters l using search_generations g
     where g.id = l.generation_id and g.kind = $1 and g.ended_at is not null
       and exists (select from search_generations later
                   where later.kind = g.kind and later.number > g.number and later.state = 'live')`,
    [kind],
  );
}

async function indexNames(pool: pg.Pool, text: string, values: readonly unknown[]): Promise<readonly string[]> {
  const { rows } = await pool.query<{ index_name: string }>(text, [...values]);
  return rows.map((row) => row.index_name);
}

/** Lists the indices that were live and may be again. */
export function listRetired(pool: pg.Pool, kind: KindName): Promise<readonly string[]> {
  return indexNames(
    pool,
    `select index_name from search_generations where kind = $1 and state = 'retired' and ended_at is null`,
    [kind],
  );
}

/** Retired generations beyond the `$2` of kind `$1` that were live last. */
const surplusSql = `
  select * from search_generations where kind = $1 and state = 'retired' and ended_at is null
  order by retired_at desc nulls last, live_at desc, number desc offset $2`;

/**
 * Lists retired generations that may be removed: beyond the `kept` that were live last, and retired so long ago that no
 * request is still reading them.
 */
export function listRetirable(
  pool: pg.Pool,
  kind: KindName,
  { kept, afterMs }: { readonly kept: number; readonly afterMs: number },
): Promise<readonly string[]> {
  return indexNames(
    pool,
    `select index_name from (${surplusSql}) as surplus
     where coalesce(retired_at, '-infinity') <= clock_timestamp() - $3 * interval '1 ms'`,
    [kind, kept, afterMs],
  );
}

/**
 * Stops following retired generations beyond the `kept` that were live last: a rollback cannot go back to them, and
 * each would cost as many writes and entries of the change log as the live one. Their indices stay a while for requests
 * under way. Under the kind's lifecycle lock only.
 */
export async function dropSurplusPositions(pool: pg.Pool, kind: KindName, kept: number): Promise<void> {
  await pool.query(
    `update search_generations
     set position = null, settled_position = null, between_position = null, between_at = null,
         progress_to = null, progress_xid = null, progress_seq = null
     where position is not null and id in (select id from (${surplusSql}) as surplus)`,
    [kind, kept],
  );
}

/** Returns those of them that are still followed. */
export function listSurplusFollowed(pool: pg.Pool, kind: KindName, kept: number): Promise<readonly string[]> {
  return indexNames(pool, `select index_name from (${surplusSql}) as surplus where position is not null`, [kind, kept]);
}

/** Lists generations under construction without progress for this long, the oldest first. */
export function listAbandoned(pool: pg.Pool, kind: KindName, afterMs: number): Promise<readonly string[]> {
  return indexNames(
    pool,
    `select index_name from search_generations
     where kind = $1 and ended_at is null and state not in ('live', 'retired', 'failed', 'aborted')
       -- One that is ready is followed by sync, which does not work on it.
       and greatest(worked_at, case when state <> 'ready' then position_at end) < clock_timestamp() - $2 * interval '1 ms'
     order by number`,
    [kind, afterMs],
  );
}

/**
 * Records that a generation's index is gone; if it was under construction, it has failed with the given error. Its dead
 * letters are deleted, except those of a failed one: they show the reason and stay until another generation goes live.
 */
export async function recordEnded(pool: pg.Pool, indexName: string, error?: string): Promise<void> {
  await pool.query(
    `with ended as (
       update search_generations
       set ended_at = now(), last_error = coalesce(last_error, $2),
           state = case when state in ('retired', 'failed', 'aborted') then state else 'failed' end
       where index_name = $1 returning id, state
     )
     delete from search_dead_letters where generation_id = (select id from ended where state <> 'failed')`,
    [indexName, error ?? null],
  );
}

const exactCountUpTo = 1_000_000;

/**
 * Returns the number of a kind's rows for progress displays: counted if that is quick, otherwise as Postgres estimates.
 */
export async function estimateRows(pool: pg.Pool, kind: KindName): Promise<number> {
  const text = 'select reltuples::bigint from pg_class where oid = $1::regclass';
  const estimate = await readValue<number>(pool, text, [kind]);
  return estimate > exactCountUpTo ? estimate : countRows(pool, kind);
}

export function countRows(pool: pg.Pool, kind: KindName): Promise<number> {
  return readValue(pool, 'select count(*) from entity_ids where kind = $1', [kind]);
}
