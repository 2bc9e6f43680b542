import { realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startOnFreePort } from '../../lib/ports.ts';
import { type Child, findProcessesIn, hasCode, startReady, stopOrphans, supervised } from '../../lib/processes.ts';
import type { State } from '../../lib/state.ts';
import type { RunningEngine } from '../restart-on-exit.ts';
import { type Cluster, idsOf, type Programs, prepareCluster } from './cluster.ts';

const database = 'entity_search';
/** Time for a fast shutdown. After it, the processes are killed, and the next start recovers from the log. */
const stopGraceMs = 6_000;

export interface PostgresOptions {
  /** False only for tests, because a crash of the machine may then lose the database. */
  readonly fsync: boolean;
  readonly programs?: Programs | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Starts Postgres on loopback with the data in the state directory, and creates the database `entity_search` if it is
 * missing. Stops an orphan of a killed run first. Resolves when connections are accepted. Throws with the end of the
 * server's log if it does not start.
 */
export async function startPostgres(state: State, options: PostgresOptions): Promise<RunningEngine> {
  const { fsync, programs, signal } = options;
  const cluster = await prepareCluster(state, { sync: fsync, programs, signal });
  await stopOrphans(() => findProcessesIn(realpathSync(cluster.dataDir), 'postgres'), 'SIGINT', stopGraceMs);
  clearStalePidFile(cluster.dataDir);
  const log = state.path(join('log', 'postgres.log'));
  const startOn = async (port: number): Promise<RunningEngine> => {
    const url = `postgres://postgres:${cluster.password}@127.0.0.1:${port}/${database}`;
    const child = await startServer(cluster, url, log, options);
    state.rememberPorts({ postgres: port });
    return { url, exited: child.exited, stop: () => child.stop(stopGraceMs) };
  };
  return startOnFreePort(startOn, state.ports().postgres, signal);
}

/**
 * After a power failure, the number in the pid file may belong to another process, and Postgres would not start. The
 * caller has made sure that no server process uses the data directory.
 */
function clearStalePidFile(dataDir: string): void {
  rmSync(join(dataDir, 'postmaster.pid'), { force: true });
}

function startServer(
  cluster: Cluster,
  url: string,
  logFile: string,
  { fsync, signal }: PostgresOptions,
): Promise<Child> {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: new URL(url).port,
    unix_socket_directories: '',
    max_connections: '100',
    // Allows two-phase commit for writers.
    max_prepared_transactions: '10',
    timezone: 'UTC',
    log_timezone: 'UTC',
    max_wal_size: '2GB',
    ...(fsync ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const launch = cluster.launch(['-D', cluster.dataDir, ...flags]);
  return startReady(
    { ...supervised(launch.command, launch.args), cwd: '/', logFile, ...idsOf(launch) },
    {
      name: 'Postgres',
      isReady: () => ensureDatabase(url),
      graceMs: stopGraceMs,
      signal,
    },
  );
}

/** Creates the database if it is missing. Returns false while the server does not accept connections yet. */
async function ensureDatabase(url: string): Promise<boolean> {
  const admin = new URL(url);
  admin.pathname = '/postgres';
  const client = new pg.Client({ connectionString: admin.href, connectionTimeoutMillis: 5_000 });
  // If the server ends between two answers, the next query reports it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const found = await client.query('select 1 from pg_database where datname = $1', [database]);
    if (found.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(database)}`);
    return true;
  } catch (error) {
    // 57P03: the server is starting up or recovering.
    if (['ECONNREFUSED', 'ECONNRESET', '57P03'].some((code) => hasCode(error, code))) return false;
    throw error;
  } finally {
    await client.end();
  }
}
