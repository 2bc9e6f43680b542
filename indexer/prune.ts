import type pg from 'pg';

/** Taking a first position (shared) and pruning (alone) exclude each other. */
export const pruneLock = `hashtext('entity-search prune')`;

const chunkRows = 20_000;

/**
 * Removes entries that no reader can need: older than every settled position, so that going back to it finds all.
 * In short transactions. Answers how many were removed.
 */
export async function pruneChanges(pool: pg.Pool, signal: AbortSignal): Promise<number> {
  let pruned = 0;
  for (;;) {
    signal.throwIfAborted();
    const count = await pruneChunk(pool);
    pruned += count;
    if (count < chunkRows) return pruned;
  }
}

async function pruneChunk(pool: pg.Pool): Promise<number> {
  const client = await pool.connect();
  let broken = true;
  try {
    await client.query('begin');
    await client.query(`select pg_advisory_xact_lock(${pruneLock})`);
    // A statement of its own, so that its snapshot sees all positions taken before we had the lock.
    const { rowCount } = await client.query(
      `delete from search_changes where ctid = any(array(
         select ctid from search_changes
         where xid < (
           select least(pg_snapshot_xmin(pg_current_snapshot()),
                        min(pg_snapshot_xmin(coalesce(settled_position, position))))
           from search_generations
           where ended_at is null and position is not null and state not in ('failed', 'aborted'))
         order by xid, seq limit $1))`,
      [chunkRows],
    );
    await client.query('commit');
    broken = false;
    return rowCount ?? 0;
  } finally {
    client.release(broken);
  }
}
