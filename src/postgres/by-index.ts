import pg from 'pg';
import { inTransaction } from './pool.ts';

/** A pool, or one connection that is in no transaction. */
export type Queryable = pg.Pool | pg.PoolClient;

/** Lasts until the end of the transaction. */
export const byIndexSql =
  'set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off';

/** Runs work in a transaction in which rows are looked up by index wherever possible. */
export async function byIndex<Result>(
  database: Queryable,
  work: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  const run = async (client: pg.ClientBase): Promise<Result> => {
    await client.query(byIndexSql);
    return work(client);
  };
  if (database instanceof pg.Pool) return inTransaction(database, run);
  await database.query('begin');
  try {
    return await run(database);
  } finally {
    // The transaction only read.
    await database.query('rollback');
  }
}
