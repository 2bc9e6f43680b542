import type { Pool, PoolClient } from 'pg';
import type { Stored } from '../../account/ports.ts';

/** Asks one statement; its rows are objects of which nothing is known yet. */
export type Query = (text: string, values: readonly unknown[]) => Promise<readonly object[]>;

/** A pool, or one of its connections, whose statements count as failed after so many milliseconds. */
export function queryOf(database: Pool | PoolClient, timeoutMs: number): Query {
  return async (text, values) => {
    const { rows } = await database.query<object>({ text, values: [...values], query_timeout: timeoutMs });
    return rows;
  };
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
 * answers is answered all the same. Where one of them fails, all are undone, and its connection is closed.
 */
export function inOneChange<Value>(
  pool: Pool,
  timeoutMs: number,
  work: (query: Query, undo: () => void) => Promise<Value>,
): Promise<Stored<Value>> {
  return stored(async () => {
    const client = await pool.connect();
    let broken = true;
    try {
      const query = queryOf(client, timeoutMs);
      let end = 'commit';
      await query('begin', []);
      const value = await work(query, () => {
        end = 'rollback';
      });
      await query(end, []);
      broken = false;
      return value;
    } finally {
      client.release(broken);
    }
  });
}
