import pg from 'pg';

declare module 'pg' {
  interface QueryConfig<I> {
    /** The client gives up a single query after this; its types know the option for whole connections only. */
    query_timeout?: number;
  }
}

/** The address of Postgres and the limits of a pool; the process's config fills it. */
export interface PostgresSettings {
  readonly url: string;
  /** The name in `pg_stat_activity`. */
  readonly applicationName: string;
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
  /** The server ends a statement that runs longer; 0 lets it run. */
  readonly statementTimeoutMs: number;
  /** An unused connection is closed after this. */
  readonly idleTimeoutMs: number;
  /**
   * True behind a pooler in transaction mode: nothing is kept in a session then. Statements have no
   * names, and the client itself enforces the time limit of a statement, which the server does not know.
   */
  readonly poolsTransactions?: boolean;
}

/** Time limit of a pooler and the network in addition to the statement. */
const poolerMs = 1_000;

/**
 * Creates a pool of connections with limits, TCP keep-alives and bigints as numbers. An idle connection that breaks
 * (a restart of the server, a firewall) is handed to `onIdleError` and replaced at the next query; without a
 * listener it would end the process. Opens nothing until it is used; `await pool.end()` closes it.
 */
export function createPool(settings: PostgresSettings, onIdleError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({ ...clientConfig(settings), max: settings.maxConnections });
  pool.on('error', onIdleError);
  // One that breaks while it is lent out fails the statement under way or the next one; unheard, it would end the
  // process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  if (settings.poolsTransactions) pool.on('connect', sendWithoutNames);
  return pool;
}

/** A statement that is prepared under a name is known to one server connection; the next one may be another. */
function sendWithoutNames(client: pg.PoolClient): void {
  const { query } = client;
  const send = (first: unknown, ...rest: readonly unknown[]): unknown =>
    Reflect.apply(query, client, [withoutName(first), ...rest]);
  Object.assign(client, { query: send });
}

function withoutName(statement: unknown): unknown {
  if (typeof statement !== 'object' || statement === null || !('name' in statement)) return statement;
  const { name: _, ...unnamed } = statement;
  return unnamed;
}

/** In a database with other tenants a role may have a search_path of its own, with tables of the same names. */
export const ownSchemaOnly = '-c search_path=public';

/** The same settings for a connection outside a pool. */
export function clientConfig(settings: PostgresSettings): pg.PoolConfig {
  return {
    connectionString: settings.url,
    application_name: settings.applicationName,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    idleTimeoutMillis: settings.idleTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(settings.poolsTransactions
      ? { query_timeout: settings.statementTimeoutMs + poolerMs }
      : { statement_timeout: settings.statementTimeoutMs, options: ownSchemaOnly }),
    types: { getTypeParser: parserOf },
  };
}

/** A bigint from the database is beyond the numbers that JavaScript keeps exactly. */
class UnsafeBigintError extends Error {
  constructor(text: string) {
    super(`The database answered ${text}, which is beyond the numbers that JavaScript keeps exactly (2^53-1).`);
    this.name = 'UnsafeBigintError';
  }
}

// Ids and counts are checked to stay within 2^53-1, so a bigint is a number here. Dates stay the text they are:
// a Date would shift them with the time zone.
function parserOf(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (format !== 'binary' && oid === pg.types.builtins.INT8) return safeBigint;
  if (format !== 'binary' && oid === pg.types.builtins.DATE) return String;
  return pg.types.getTypeParser(oid, 'text');
}

function safeBigint(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new UnsafeBigintError(text);
  return value;
}

/** For transactions that hold locks: no statement for this long means that the process was stopped or hangs. */
export const endWhenStopped = `set local idle_in_transaction_session_timeout = '15s'`;

/**
 * Does work in a transaction; a connection on which it failed is closed, which rolls it back. `undo` rolls it back
 * although the work returns a result, which is returned all the same. Postgres ends the transaction of a process that
 * stops in the middle, which frees its locks.
 * @param timeoutMs after which beginning or ending it counts as failed, even if the server does not answer
 */
export async function inTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient, undo: () => void) => Promise<Result>,
  timeoutMs?: number,
): Promise<Result> {
  const limit = timeoutMs === undefined ? {} : { query_timeout: timeoutMs };
  const client = await pool.connect();
  let broken = true;
  let end = 'commit';
  try {
    await client.query({ text: `begin; ${endWhenStopped}`, ...limit });
    const result = await work(client, () => {
      end = 'rollback';
    });
    await client.query({ text: end, ...limit });
    broken = false;
    return result;
  } finally {
    client.release(broken);
  }
}
