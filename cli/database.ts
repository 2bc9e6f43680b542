import type pg from 'pg';
import { databaseConfig } from '../src/config/indexer.ts';
import { createPool } from '../src/postgres/pool.ts';
import type { CommandContext } from './context.ts';

/** Lends a pool to a command and closes it afterwards, whatever happens. */
export async function withDatabase<Result>(
  context: Pick<CommandContext, 'env' | 'log'>,
  work: (pool: pg.Pool) => Promise<Result>,
): Promise<Result> {
  const pool = createPool(databaseConfig(context.env), (error) =>
    context.log.warn({ err: error }, 'an idle database connection broke'),
  );
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
