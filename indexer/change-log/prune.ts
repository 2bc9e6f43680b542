import type pg from 'pg';
import { inTransaction } from '../../src/postgres/pool.ts';
import type { LogOffset } from './changes.ts';

/** Taking a first position (shared) and pruning (alone) exclude each other. */
export const pruneLock = `hashtext('entity-search prune')`;

const chunkRows = 20_000;

/** Generations whose reader may need entries, as a condition on `search_generations`. */
export const followedSql = `ended_at is null and position is not null and state not in ('failed', 'aborted')`;

// What every settled position sees is needed by nobody: a reader that goes back begins there. Transactions that one of
// them does not see, below the highest that all may see, are few and known by name (they were open when it was taken),
// so the entries between them are removed range by range, and none that is to stay is ever looked at. A long
// transaction thus holds back its own entries and those that a position has not reached, nothing else.
const pruneSql = `
  with held as (
    select coalesce(settled_position, position) as seen from search_generations where ${followedSql}
  ), bound as (
    select least(pg_snapshot_xmax(pg_current_snapshot()), min(pg_snapshot_xmax(seen))) as xid from held
  ), unseen as (
    select distinct xip as xid from held, pg_snapshot_xip(seen) as xip where xip < (select xid from bound)
    union select xid from bound
  ), ranges as (
    select lag(xid, 1, '0'::xid8) over (order by xid) as after, xid as before from unseen
  ), prunable as (
    select entry.ctid from (select * from ranges order by after) as ranges cross join lateral (
      select c.ctid from search_changes c
      where c.xid > ranges.after and c.xid < ranges.before and (c.xid, c.seq) > ($2::xid8, $3::bigint)
      order by c.xid, c.seq limit $1
    ) as entry limit $1
  ), pruned as (
    delete from search_changes where ctid = any(array(select ctid from prunable)) returning xid, seq
  )
  select xid::text as xid, seq, count(*) over () as count from pruned order by pruned.xid desc, seq desc limit 1`;

// Restored from another server's dump, with transactions that this one has not begun: no position will ever tell of
// them, and no reader needs them, because a generation that came with them is compared with the tables.
const pruneForeignSql = `
  with pruned as (
    delete from search_changes where ctid = any(array(
      select ctid from search_changes
      where xid >= pg_snapshot_xmax(pg_current_snapshot()) and (xid, seq) > ($2::xid8, $3::bigint)
      order by xid, seq limit $1)) returning xid, seq
  )
  select xid::text as xid, seq, count(*) over () as count from pruned order by pruned.xid desc, seq desc limit 1`;

interface Pruned extends LogOffset {
  readonly count: number;
}

/** Removes entries that no reader can need, in short transactions. Answers how many were removed. */
export async function pruneChanges(pool: pg.Pool, signal: AbortSignal): Promise<number> {
  let removed = 0;
  for (const text of [pruneSql, pruneForeignSql]) {
    // Each goes on behind what the last one removed: while an old transaction is open, that still lies in the index.
    for (let last: Pruned | undefined = { xid: '0', seq: 0, count: 0 }; last !== undefined; ) {
      signal.throwIfAborted();
      last = await pruneChunk(pool, text, last);
      removed += last?.count ?? 0;
    }
  }
  return removed;
}

function pruneChunk(pool: pg.Pool, text: string, after: LogOffset): Promise<Pruned | undefined> {
  return inTransaction(pool, async (client) => {
    await client.query(`select pg_advisory_xact_lock(${pruneLock})`);
    // A statement of its own, so that its snapshot sees all positions taken before we had the lock.
    const { rows } = await client.query<Pruned>(text, [chunkRows, after.xid, after.seq]);
    return rows[0];
  });
}
