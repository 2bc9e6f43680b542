import type { Pool, PoolClient, QueryResultRow } from 'pg';

/** A pool or one of its connections, for single statements. */
export interface Database {
  query<Row extends QueryResultRow>(text: string, values: unknown[]): Promise<{ readonly rows: Row[] }>;
}

/** The same with a timeout for statements in milliseconds, which also applies if the server does not answer. */
export function withStatementTimeout(database: Pool | PoolClient, timeoutMs: number): Database {
  return {
    query: <Row extends QueryResultRow>(text: string, values: unknown[]) =>
      database.query<Row>({ text, values, query_timeout: timeoutMs }),
  };
}

/** Returns the first column of the first row. Throws if there is no row. */
export async function readValue<Value>(database: Database, text: string, values: unknown[] = []): Promise<Value> {
  const { rows } = await database.query<Readonly<Record<string, Value>>>(text, values);
  const [value] = Object.values(rows[0] ?? {});
  if (value === undefined) throw new Error(`No row: ${text}`);
  return value;
}
