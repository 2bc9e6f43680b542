import type { Pool } from 'pg';
import { Unavailable } from '../../account/ports.ts';
import { inTransaction } from '../pool.ts';
import { type Database, withStatementTimeout } from '../statements.ts';

/** Postgres as the stores of the account page use it. Both methods throw `Unavailable` for a failure. */
export interface AccountDatabase {
  run<Value>(work: (database: Database) => Promise<Value>): Promise<Value>;
  /**
   * Runs statements in one transaction, and rolls all back if one fails. `undo` rolls them back although the work
   * returns a result, which is returned all the same.
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
