import type pg from 'pg';

/** Days that a consumer's copy may go without reading the removals. After a longer gap the copy must be rebuilt. */
const keptDays = 30;

/** Few enough that no statement holds locks for long. */
const batch = 10_000;

// Deletes in the order of places, up to the last row of the batch that is too old: the rest is all that was removed
// since a place, or follows a gap. A long transaction may lose younger rows that way, but never silently.
const pruneSql = `
  with old as (
    select kind, xid, seq from entity_removals
    where removed_at < now() - $1 * interval '1 day' order by removed_at limit $2
  ), last as (
    select distinct on (kind) kind, xid, seq from old order by kind, xid desc, seq desc
  ), gap as (
    update entity_removals as r set id = null from last
    where (r.kind, r.xid, r.seq) = (last.kind, last.xid, last.seq) and r.id is not null
  )
  delete from entity_removals as r using last where r.kind = last.kind and (r.xid, r.seq) < (last.xid, last.seq)`;

/**
 * Removes rows that no cursor may request any more, in separate statements. One row per kind stays as the gap that
 * replaces the removed rows.
 */
export async function pruneRemovals(pool: pg.Pool, signal: AbortSignal): Promise<void> {
  for (let removed: number | null = batch; removed !== 0; ) {
    signal.throwIfAborted();
    ({ rowCount: removed } = await pool.query(pruneSql, [keptDays, batch]));
  }
}
