import type pg from 'pg';

/**
 * Flushes everything visible so far to Postgres's disk. If commits are asynchronous, a crash could otherwise lose a
 * row, or the number of a version, that the index already has.
 * @param reader a connection in a transaction whose snapshot must be on the disk; takes the snapshot if there is none
 */
export async function flushWal(pool: pg.Pool, reader?: pg.PoolClient): Promise<void> {
  if (await flushesWithin(pool)) {
    await (reader ?? pool).query(flushNow);
    return;
  }
  // On another connection: a commit on the reader would end its snapshot.
  await reader?.query('select');
  await pool.query(flushByCommit);
}

/** From Postgres 17 on: flushes at once, also in a read-only transaction. */
const flushNow = `select pg_logical_emit_message(false, 'entity-search', '', true)`;

/** Before Postgres 17: a commit that has written something flushes all earlier writes. */
const flushByCommit = `set local synchronous_commit = local; select pg_logical_emit_message(true, 'entity-search', '')`;

const asked = new WeakMap<pg.Pool, boolean>();

async function flushesWithin(pool: pg.Pool): Promise<boolean> {
  const known = asked.get(pool);
  if (known !== undefined) return known;
  const { rows } = await pool.query<{ there: boolean }>(
    `select to_regprocedure('pg_logical_emit_message(boolean, text, text, boolean)') is not null as there`,
  );
  const there = rows[0]?.there === true;
  asked.set(pool, there);
  return there;
}
