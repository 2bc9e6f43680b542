import type pg from 'pg';

/** Returns the first column of the first row. Throws if there is no row. */
export async function readValue<Value>(
  database: Pick<pg.Pool, 'query'>,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Value> {
  const { rows } = await database.query<Record<string, Value>>(sql, [...values]);
  for (const value of Object.values(rows[0] ?? {})) return value;
  throw new Error(`No row: ${sql}`);
}
