import type { Pool, PoolClient } from 'pg';
import type { Stored } from '../../account/ports.ts';
import { inTransaction } from '../pool.ts';
import { type Database, withStatementTimeout } from '../statements.ts';

/** Asks one statement; its rows are objects of which nothing is known yet. */
export type Query = (text: string, values: readonly unknown[]) => Promise<readonly object[]>;

/** A pool, or one of its connections, whose statements count as failed after so many milliseconds. */
export function queryOf(database: Pool | PoolClient, timeoutMs: number): Query {
  return asQuery(withStatementTimeout(database, timeoutMs));
}

/** The same database, asked for its rows alone. */
export function asQuery(database: Database): Query {
  return async (text, values) => (await database.query<object>(text, [...values])).rows;
}

/** What was read or written, or why that was not possible. Never rejects. */
export async function stored<Value>(work: () => Promise<Value>): Promise<Stored<Value>> {
  try {
    return { ok: true, value: await work() };
  } catch (cause) {
    return { ok: false, cause };
  }
}

/**
 * Statements that hold together. What they found out may be a reason to undo them: `undo` says so, and what the work
 * answers is answered all the same. Where one of them fails, all are undone.
 */
export function inOneChange<Value>(
  pool: Pool,
  timeoutMs: number,
  work: (query: Query, undo: () => void) => Promise<Value>,
): Promise<Stored<Value>> {
  return changeDatabase(pool, timeoutMs, (database, undo) => work(asQuery(database), undo));
}

/** The same for statements that the command line uses, too, which ask a `Database`. */
export function changeDatabase<Value>(
  pool: Pool,
  timeoutMs: number,
  work: (database: Database, undo: () => void) => Promise<Value>,
): Promise<Stored<Value>> {
  return stored(() =>
    inTransaction(pool, (client, undo) => work(withStatementTimeout(client, timeoutMs), undo), timeoutMs),
  );
}
