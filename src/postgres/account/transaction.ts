import type { Pool } from 'pg';
import { Unavailable } from '../../account/ports.ts';
import { inTransaction } from '../pool.ts';
import { type Database, withStatementTimeout } from '../statements.ts';

/** Returns the result of work with Postgres. Throws `Unavailable` for a failure. */
export async function stored<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    throw new Unavailable('postgres', cause);
  }
}

/**
 * Runs statements in one transaction with a time limit in milliseconds. `undo` rolls them back although the work returns
 * a result, which is returned all the same. Throws `Unavailable` if one of them fails, and rolls all back.
 */
export function inOneChange<Value>(
  pool: Pool,
  timeoutMs: number,
  work: (database: Database, undo: () => void) => Promise<Value>,
): Promise<Value> {
  return stored(() =>
    inTransaction(pool, (client, undo) => work(withStatementTimeout(client, timeoutMs), undo), timeoutMs),
  );
}
