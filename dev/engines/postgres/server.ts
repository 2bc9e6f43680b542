import { execFile } from 'node:child_process';
import { existsSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { startOnFreePort } from '../../lib/ports.ts';
import { findProcessesIn, hasCode, signalProcess, startReady, supervised, until } from '../../lib/processes.ts';
import { type Cluster, idsOf } from './cluster.ts';

const run = promisify(execFile);
const stopGraceMs = 5_000;

/** A server on a cluster's files that tests can make fail. */
export interface PostgresServer {
  readonly dataDir: string;
  readonly port: number;
  url(database: string): string;
  /** A fast shutdown, after which everything committed is on the disk. */
  stop(): Promise<void>;
  /** Kills all its processes, so that everything that is only in memory is lost. */
  crash(): Promise<void>;
  snapshotTo(target: string): Promise<void>;
}

/**
 * Settings for servers that fail in tests. Two-phase commit is possible. Asynchronous commits are flushed only on
 * request, so that a crash always loses them.
 */
const settings: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '60',
  shared_buffers: '32MB',
  // A killed server leaves it behind, and it must not stay in memory.
  dynamic_shared_memory_type: 'mmap',
  timezone: 'UTC',
  log_timezone: 'UTC',
  min_wal_size: '32MB',
  max_wal_size: '64MB',
  fsync: 'off',
  full_page_writes: 'on',
  wal_writer_delay: '10s',
  wal_writer_flush_after: '1GB',
  autovacuum: 'off',
  max_prepared_transactions: '10',
  max_wal_senders: '4',
  wal_level: 'replica',
};

export async function startServer(
  cluster: Cluster,
  folder: string,
  more: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const dataDir = realpathSync(folder);
  rmSync(join(dataDir, 'postmaster.pid'), { force: true });
  const urlOn = (port: number, database: string): string =>
    `postgres://postgres:${cluster.password}@127.0.0.1:${port}/${database}`;
  const logFile = join(dirname(dataDir), `${basename(dataDir)}.log`);
  const startOn = async (port: number) => {
    const flags = Object.entries({ ...settings, ...more, port: String(port) }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]);
    const launch = cluster.launch(['-D', dataDir, ...flags]);
    const child = await startReady(
      { ...supervised(launch.command, launch.args), cwd: '/', logFile, ...idsOf(launch) },
      {
        name: 'Postgres',
        isReady: () => accepts(urlOn(port, 'postgres')),
        everyMs: 15,
        graceMs: stopGraceMs,
      },
    );
    return { port, child };
  };
  const { port, child } = await startOnFreePort(startOn);
  const url = (database: string): string => urlOn(port, database);
  const processes = (): readonly number[] => findProcessesIn(dataDir, 'postgres');
  return {
    dataDir,
    port,
    url,
    stop: () => child.stop(stopGraceMs),
    async crash() {
      signalAll(processes(), 'SIGKILL');
      await child.exited;
      await until(() => processes().length === 0, { timeoutMs: stopGraceMs, everyMs: 5 });
    },
    async snapshotTo(target) {
      const stopped = processes();
      signalAll(stopped, 'SIGSTOP');
      try {
        await copyFolder(dataDir, target);
      } finally {
        signalAll(stopped, 'SIGCONT');
      }
    },
  };
}

/**
 * Copies a folder with owners and times, and replaces the target. `live`: the files of a running server may vanish
 * meanwhile, and are left out then.
 */
export async function copyFolder(from: string, to: string, { live = false } = {}): Promise<void> {
  if (existsSync(to)) rmSync(to, { recursive: true });
  try {
    await run('cp', ['-a', '--reflink=auto', from, to], { env: { ...process.env, LC_ALL: 'C' } });
  } catch (error) {
    const told = error instanceof Error && 'stderr' in error ? String(error.stderr).trim().split('\n') : [];
    const vanished = told.length > 0 && told.every((line) => line.endsWith('No such file or directory'));
    if (!live || !vanished) throw error;
  }
}

export async function accepts(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  // Errors are reported by connect or by the query.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select');
    return true;
  } catch (error) {
    // 57P03: the server is starting up or recovering.
    if (['ECONNREFUSED', 'ECONNRESET', '57P03'].some((code) => hasCode(error, code))) return false;
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) signalProcess(pid, signal);
}
