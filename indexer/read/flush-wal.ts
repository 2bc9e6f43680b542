import type pg from 'pg';

/**
 * Flushes everything visible so far to Postgres' disk. If commits are asynchronous, a crash could otherwise lose a row,
 * or the number of a version, that the index already has. A commit that has written something flushes all earlier writes.
 */
export async function flushWal(pool: pg.Pool): Promise<void> {
  await pool.query(`set local synchronous_commit = local; select pg_logical_emit_message(true, 'entity-search', '')`);
}
