import type { Pool, PoolClient } from 'pg';
import type { Stored } from '../../account/ports.ts';
import { inTransaction } from '../pool.ts';
import { type Database, withStatementTimeout } from '../statements.ts';

/** Runs one statement; its rows are unchecked objects. */
export type Query = (text: string, values: readonly unknown[]) => Promise<readonly object[]>;

/** Returns a query function with a time limit for statements in milliseconds. */
export function queryOf(database: Pool | PoolClient, timeoutMs: number): Query {
  return asQuery(withStatementTimeout(database, timeoutMs));
}

/** Returns a query function that returns rows alone. */
export function asQuery(database: Database): Query {
  return async (text, values) => (await database.query<object>(text, [...values])).rows;
}

/** Returns the result, or the reason of the failure. Never rejects. */
export async function stored<Value>(work: () => Promise<Value>): Promise<Stored<Value>> {
  try {
    return { ok: true, value: await work() };
  } catch (cause) {
    return { ok: false, cause };
  }
}

/**
 * Runs statements in one transaction. `undo` rolls them back although the work returns a result, which is returned all
 * the same. If one of them fails, all are rolled back.
 */
export function inOneChange<Value>(
  pool: Pool,
  timeoutMs: number,
  work: (query: Query, undo: () => void) => Promise<Value>,
): Promise<Stored<Value>> {
  return changeDatabase(pool, timeoutMs, (database, undo) => work(asQuery(database), undo));
}

/** Runs statements that the command line shares in a transaction with a time limit. */
export function changeDatabase<Value>(
  pool: Pool,
  timeoutMs: number,
  work: (database: Database, undo: () => void) => Promise<Value>,
): Promise<Stored<Value>> {
  return stored(() =>
    inTransaction(pool, (client, undo) => work(withStatementTimeout(client, timeoutMs), undo), timeoutMs),
  );
}
