import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findOnPath } from '../engines/elasticsearch/jdk.ts';
import { type FetchEnvironment, FetchError, fetchOnce, fetchTimeoutMs } from './fetch-once.ts';
import { logStep } from './log-step.ts';
import { readOptional } from './state.ts';

// Large packages that few people need are not dependencies of the project. npm installs them on first use, with their
// own lock file.

const run = promisify(execFile);

interface FetchedPackages {
  readonly what: string;
  readonly megabytes: number;
  /** The folder of their `package.json` and `package-lock.json`. */
  readonly lockFolder: string;
  readonly into: string;
  /** Runs after the installation, before other programs can see the packages. */
  prepare(folder: string): Promise<void>;
}

/** Installs packages unless the folder has the versions of the lock file. Throws `FetchError`. */
export async function fetchPackages(packages: FetchedPackages, options: FetchEnvironment): Promise<void> {
  const { what, into, megabytes, lockFolder } = packages;
  const lockFile = readFileSync(join(lockFolder, 'package-lock.json'), 'utf8');
  const isComplete = (): boolean => readOptional(join(into, 'package-lock.json')) === lockFile;
  await fetchOnce({ what, into, isComplete }, options.signal, () =>
    logStep(options.printLine, `${what}: fetching (${megabytes} MB, once)`, () => install(packages, options)),
  );
}

async function install(packages: FetchedPackages, { env, signal }: FetchEnvironment): Promise<void> {
  const { what, lockFolder, into } = packages;
  const npm = findOnPath('npm', env.PATH);
  if (npm === undefined) throw new FetchError(`npm fetches ${what}, and PATH does not have it: install npm.`);
  const draft = `${into}.${randomUUID()}`;
  try {
    cpSync(lockFolder, draft, { recursive: true });
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run(npm, args, { cwd: draft, env, timeout: fetchTimeoutMs, ...(signal && { signal }) });
    await packages.prepare(draft);
    // Removed, because tools that search for the project's packages would find a second project.
    rmSync(join(draft, 'package.json'));
    rmSync(into, { recursive: true, force: true });
    renameSync(draft, into);
  } catch (error) {
    signal?.throwIfAborted();
    const output = typeof error === 'object' && error !== null && 'stderr' in error ? String(error.stderr) : '';
    const [line = String(error)] = output.split('\n').filter((text) => text.startsWith('npm error'));
    throw new FetchError(`npm could not fetch ${what} (is its registry reachable?): ${line.slice(0, 300)}`, {
      cause: error,
    });
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
