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
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { readOptional, type State, writeWhole } from '../../lib/state.ts';
import { newestPostgres, newestPrograms, type PostgresVersion } from './versions.ts';

const run = promisify(execFile);

/** The user and the wrapper with which a Postgres program is started. */
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

/** The database's files and its password. Both are created on first use and kept. */
export interface Cluster {
  readonly dataDir: string;
  readonly password: string;
  /** Returns the command that starts `postgres` with these arguments on this cluster. */
  launch(args: readonly string[]): Launch;
}

export interface Programs {
  readonly version: PostgresVersion;
  readonly folder: string;
}

/**
 * Finds or creates the database cluster in the state directory. It is created under another name and then renamed, so
 * that an interrupted start leaves no incomplete database. Throws if the folder has a cluster of another version than
 * the programs (by default the newest).
 */
export async function prepareCluster(
  state: State,
  options: {
    readonly sync: boolean;
    readonly signal?: AbortSignal | undefined;
    readonly programs?: Programs | undefined;
  },
): Promise<Cluster> {
  const programs = options.programs ?? { version: newestPostgres, folder: newestPrograms() };
  const dataDir = state.path('postgres');
  refuseOtherVersion(dataDir, programs.version);
  const password = readOrMakePassword(state.path('postgres-password'));
  const user = osUserFor(dataDir);
  const launchOf = (program: string, args: readonly string[]): Launch =>
    launchAs(user, [state.dir, programs.folder], join(programs.folder, program), args);
  if (!existsSync(join(dataDir, 'PG_VERSION'))) {
    await initialise(state, { ...options, version: programs.version, dataDir, password, user, launchOf });
  }
  return { dataDir, password, launch: (args) => launchOf('postgres', args) };
}

function refuseOtherVersion(dataDir: string, version: PostgresVersion): void {
  const found = readOptional(join(dataDir, 'PG_VERSION'))?.trim();
  if (found === undefined || found === String(version)) return;
  throw new Error(
    `${dataDir} holds a database of Postgres ${found}, which Postgres ${version} can't open: choose another folder or delete that one.`,
  );
}

/** The same sort order and case folding on every machine, whatever its locales. */
function localeOf(version: PostgresVersion): readonly string[] {
  if (version >= 17) return ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  return ['--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
}

async function initialise(
  state: State,
  options: {
    readonly dataDir: string;
    readonly password: string;
    readonly user: OsUser | undefined;
    readonly sync: boolean;
    readonly signal?: AbortSignal | undefined;
    readonly version: PostgresVersion;
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
  const launch = options.launchOf('initdb', [
    `--pgdata=${draft}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    ...localeOf(options.version),
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

/** The user and group to spawn with, if they are not our own. */
export function idsOf(launch: Launch): { uid?: number; gid?: number } {
  return launch.uid === undefined || launch.gid === undefined ? {} : { uid: launch.uid, gid: launch.gid };
}

/** Returns the password of the database user `postgres`. It is created once, and readable by its owner only. */
export function readOrMakePassword(file: string): string {
  const kept = readOptional(file)?.trim();
  if (kept !== undefined && kept !== '') return kept;
  const made = randomBytes(18).toString('base64url');
  writeWhole(file, made);
  return made;
}

/**
 * Postgres refuses to run as root. For root, it runs as the owner of an existing database, or as `postgres` or
 * `nobody`, which every Linux has. No user is added to the machine.
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
 * The database's user can't enter a clone in root's home or in a private temporary folder. There, the program gets the
 * capability to pass closed folders, so that their permissions stay.
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
