import type pg from 'pg';

/**
 * Brings everything that is visible by now to Postgres's disk. Where commits are asynchronous, a crash could otherwise
 * take back a row, or the number of a version, that the index has been told already.
 * @param reader a connection in a transaction whose snapshot is what has to be on the disk; it takes the snapshot here,
 *   where it has none yet
 * @returns the position in the WAL behind all of that
 */
export async function flushWal(pool: pg.Pool, reader?: pg.PoolClient): Promise<string> {
  if (await flushesWithin(pool)) return lsnOf(await (reader ?? pool).query<Flushed>(flushNow));
  // Beside the reader: its own commit would end its snapshot.
  await reader?.query('select');
  return lsnOf(await pool.query<Flushed>(flushByCommit));
}

interface Flushed {
  readonly lsn: string;
}

/** Of the last of several statements. */
function lsnOf(answered: pg.QueryResult<Flushed> | readonly pg.QueryResult<Flushed>[]): string {
  const lsn = [answered].flat().at(-1)?.rows[0]?.lsn;
  if (lsn === undefined) throw new Error('Postgres answered no position in its WAL.');
  return lsn;
}

/** From Postgres 17 on: at once, and in a transaction that only reads. */
const flushNow = `select pg_logical_emit_message(false, 'entity-search', '', true) as lsn`;

/** Before: a commit flushes all that was written before it, if it has written something itself. */
const flushByCommit = `set local synchronous_commit = local; select pg_logical_emit_message(true, 'entity-search', '') as lsn`;

const asked = new WeakMap<pg.Pool, boolean>();

/** Asked once for each pool. */
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
