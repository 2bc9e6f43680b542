import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { choosePort } from '../../../dev/lib/ports.ts';
import { startReady, supervised } from '../../../dev/lib/processes.ts';

/** A real PgBouncer in transaction mode, in front of one server. */
export interface PgBouncer extends AsyncDisposable {
  /** The same database as the same user, through the pooler. */
  through(url: string): string;
  /** Its output so far. */
  log(): string;
}

const startTimeoutMs = 60_000;
const stopGraceMs = 2_000;
/** The folder into which `.ci/pgbouncer` unpacks Debian's package. */
const unpacked = join(import.meta.dirname, '..', '..', '..', '.local', 'pgbouncer');

/** The program of this machine, or undefined. */
export function findPgBouncer(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', join(unpacked, 'usr', 'sbin')];
  return folders.map((folder) => join(folder, 'pgbouncer')).find((file) => existsSync(file));
}

/**
 * Starts it on loopback, with the passwords of the given addresses.
 * @param settings more lines for its section `[pgbouncer]`
 */
export async function startPgBouncer(
  command: string,
  urls: readonly string[],
  settings: Readonly<Record<string, string | number>>,
): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'entity-search-pgbouncer-'));
  // PgBouncer doesn't run as root, and its user must be able to read these files.
  chmodSync(folder, 0o755);
  const libraries = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
  const env = { LD_LIBRARY_PATH: join(unpacked, 'usr', 'lib', libraries) };
  const port = await choosePort(undefined);
  const users = new Map(urls.map((url) => new URL(url)).map(({ username, password }) => [username, password]));
  const usersFile = join(folder, 'users.txt');
  writeFileSync(usersFile, [...users].map(([name, password]) => `"${name}" "${password}"\n`).join(''));
  const own = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: usersFile,
    pool_mode: 'transaction',
    // PgBouncer supports prepared statements from 1.21 on, but most installations are older or have that switched off.
    ...(minorVersion(command, env) >= 21 ? { max_prepared_statements: 0 } : {}),
    ...settings,
  };
  const [server = ''] = urls;
  const configFile = join(folder, 'pgbouncer.ini');
  const lines = Object.entries(own).map(([name, value]) => `${name} = ${value}\n`);
  writeFileSync(
    configFile,
    `[databases]\n* = host=127.0.0.1 port=${new URL(server).port}\n[pgbouncer]\n${lines.join('')}`,
  );
  const logFile = join(folder, 'pgbouncer.log');
  const through = (url: string): string => Object.assign(new URL(url), { hostname: '127.0.0.1', port }).href;
  const asNobody = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = await startReady(
    { ...supervised(command, [...asNobody, configFile]), cwd: '/', logFile, env },
    { name: 'PgBouncer', isReady: () => answers(through(server)), timeoutMs: startTimeoutMs, graceMs: stopGraceMs },
  );
  return {
    through,
    log: () => readFileSync(logFile, 'utf8'),
    [Symbol.asyncDispose]: async () => {
      await child.stop(stopGraceMs);
      rmSync(folder, { recursive: true });
    },
  };
}

/** 18 of "PgBouncer 1.18.0". */
function minorVersion(command: string, env: Readonly<Record<string, string>>): number {
  const told = execFileSync(command, ['--version'], { encoding: 'utf8', env });
  return Number(/^PgBouncer 1\.(\d+)/m.exec(told)?.[1]);
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select');
    return true;
  } catch {
    // The caller waits until it listens, and reports its output if it never does.
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
