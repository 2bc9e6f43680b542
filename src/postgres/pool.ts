import pg from 'pg';

declare module 'pg' {
  interface QueryConfig<I> {
    /** The client's timeout of a single query. The package's types have this option for connections only. */
    query_timeout?: number;
  }
}

/** The address of Postgres, and the limits of a pool. */
export interface PostgresSettings {
  readonly url: string;
  /** The name in `pg_stat_activity`. */
  readonly applicationName: string;
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
  /** The server cancels statements that run longer; 0: no limit. */
  readonly statementTimeoutMs: number;
  /** An unused connection is closed after this. */
  readonly idleTimeoutMs: number;
  /**
   * True behind a pooler in transaction mode, where sessions keep no state. Then statements have no names, and only the
   * client enforces their timeout.
   */
  readonly poolsTransactions?: boolean;
}

/** Additional time for the pooler and the network. */
const poolerMs = 1_000;

/**
 * Creates a pool of connections with limits, TCP keep-alives and bigints as numbers. An idle connection that breaks (a
 * restart of the server, a firewall) is reported to `onIdleError` and replaced at the next query. Opens no connection
 * until it is used; `await pool.end()` closes all.
 */
export function createPool(settings: PostgresSettings, onIdleError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({ ...clientConfig(settings), max: settings.maxConnections });
  pool.on('error', onIdleError);
  // If a connection in use breaks, its current or next statement fails. Without a listener, the process would end.
  pool.on('connect', (client) => client.on('error', () => undefined));
  if (settings.poolsTransactions) pool.on('connect', sendWithoutNames);
  return pool;
}

/** A named statement is prepared on one server connection, and the next statement may get another connection. */
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

/** In a shared database, the role may have its own search_path, with tables of the same names. */
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

/** A bigint from the database exceeds the integers that JavaScript represents exactly. */
class UnsafeBigintError extends Error {
  constructor(text: string) {
    super(`The database answered ${text}, which is beyond the numbers that JavaScript keeps exactly (2^53-1).`);
    this.name = 'UnsafeBigintError';
  }
}

// Bigints become numbers, because constraints keep ids and counts within 2^53-1. Dates stay text, because a Date would
// shift them with the time zone.
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

/** Idle timeout of transactions that hold locks, after which the process is considered stopped or hung. */
export const endWhenStopped = `set local idle_in_transaction_session_timeout = '15s'`;

/**
 * Runs work in a transaction. If it fails, the connection is closed, which rolls it back. `undo` rolls it back too, but
 * the work's result is still returned. If the process stops in the middle, Postgres ends the transaction, which
 * releases its locks.
 * @param timeoutMs time after which its begin or end has failed, even if the server does not answer
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
