import { realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { choosePort, isPortFree } from '../../lib/ports.ts';
import { type Child, findProcessesIn, hasCode, startReady, stopOrphans, supervised } from '../../lib/processes.ts';
import type { State } from '../../lib/state.ts';
import type { RunningEngine } from '../restart-on-exit.ts';
import { type Cluster, idsOf, type Programs, prepareCluster } from './cluster.ts';

const database = 'entity_search';
const startTimeoutMs = 30_000;
/** After a fast shutdown is asked for; then the processes are killed and the next start recovers from the log. */
const stopGraceMs = 6_000;

export interface PostgresOptions {
  /** False only for tests: a crash of the machine may then lose the database. */
  readonly fsync: boolean;
  readonly programs?: Programs | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Starts Postgres on loopback with the data kept in the state directory (made on first use), and makes
 * the database `entity_search` where it is missing. An orphan of a killed run is stopped first. Answers
 * when connections are accepted; throws with the server's last words when it does not come up.
 */
export async function startPostgres(state: State, options: PostgresOptions): Promise<RunningEngine> {
  const { fsync, programs, signal } = options;
  const cluster = await prepareCluster(state, { sync: fsync, programs, signal });
  await stopOrphans(() => findProcessesIn(realpathSync(cluster.dataDir), 'postgres'), 'SIGINT', stopGraceMs);
  clearStalePidFile(cluster.dataDir);
  const log = state.path(join('log', 'postgres.log'));
  for (let attempt = 1; ; attempt += 1) {
    const port = await choosePort(attempt === 1 ? state.ports().postgres : undefined);
    const url = `postgres://postgres:${cluster.password}@127.0.0.1:${port}/${database}`;
    try {
      const child = await startServer(cluster, url, log, options);
      state.rememberPorts({ postgres: port });
      return { url, exited: child.exited, stop: () => child.stop(stopGraceMs) };
    } catch (error) {
      // Another program may have taken the port since it was chosen.
      if (attempt < 3 && !signal?.aborted && !(await isPortFree(port))) continue;
      throw error;
    }
  }
}

/**
 * After a power failure the pid file may name a number that a stranger has now, and Postgres would not
 * start. It is removed only when no server process works in the data directory, which the caller has seen to.
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
    // Writers may use two-phase commit.
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
      timeoutMs: startTimeoutMs,
      graceMs: stopGraceMs,
      signal,
    },
  );
}

/** Makes the database where it is missing; false while the server does not accept connections yet. */
async function ensureDatabase(url: string): Promise<boolean> {
  const admin = new URL(url);
  admin.pathname = '/postgres';
  const client = new pg.Client({ connectionString: admin.href, connectionTimeoutMillis: 5_000 });
  // A server that goes away between two answers shows in the next query.
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
