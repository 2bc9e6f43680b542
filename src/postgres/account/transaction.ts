import type { Pool } from 'pg';
import { Unavailable } from '../../account/ports.ts';
import { inTransaction } from '../pool.ts';
import { type Database, withStatementTimeout } from '../statements.ts';

/** Postgres for the stores of the account page. Both methods throw `Unavailable` if it fails. */
export interface AccountDatabase {
  run<Value>(work: (database: Database) => Promise<Value>): Promise<Value>;
  /**
   * Runs statements in one transaction, and rolls it back if one fails. `undo` rolls it back too, but the work's result
   * is still returned.
   */
  change<Value>(work: (database: Database, undo: () => void) => Promise<Value>): Promise<Value>;
}

/** @param timeoutMs after which a statement counts as failed */
export function accountDatabase(pool: Pool, timeoutMs: number): AccountDatabase {
  const database = withStatementTimeout(pool, timeoutMs);
  return {
    run: (work) => orUnavailable(() => work(database)),
    change: (work) =>
      orUnavailable(() =>
        inTransaction(pool, (client, undo) => work(withStatementTimeout(client, timeoutMs), undo), timeoutMs),
      ),
  };
}

async function orUnavailable<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    throw new Unavailable('postgres', cause);
  }
}
