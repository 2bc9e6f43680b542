import type pg from 'pg';
import type { KindName } from '../../src/kinds/kind.ts';
import { isoTimestamp } from '../../src/lib/iso-timestamp.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { CommandError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';

/** A lock while it is held. */
export interface HeldLock extends AsyncDisposable {
  /** Aborted when the connection that holds the lock breaks: another may hold it from then on. */
  readonly lost: AbortSignal;
}

/** Who has the lock that was wanted. */
export interface LockHolder {
  readonly pid: number;
  readonly applicationName: string;
  /** When its connection was opened, ISO 8601; null where this role may not see it. A connection is opened for the lock. */
  readonly since: string | null;
}

/** Who has a lock, for a sentence; another role's connections show their number only. */
export function describeHolder(holder: LockHolder | undefined): string {
  if (holder === undefined) return 'another process';
  const { applicationName, pid, since } = holder;
  if (since === null) return `a process of another role (Postgres process ${pid})`;
  return `"${applicationName}" (Postgres process ${pid}, since ${since})`;
}

/** The lock of a generation's reader is held by another. */
export function readerLockedError(indexName: string, holder: LockHolder | undefined): CommandError {
  return new CommandError(`${indexName} is followed already by ${describeHolder(holder)}.`, exitCodes.refused);
}

export type TakenLock = { readonly held: HeldLock } | { readonly holder: LockHolder | undefined };

/** `lifecycle`: of a kind, for making, swapping and removing its generations. `reader`: of one generation's index. */
export interface LockName {
  readonly space: 'lifecycle' | 'reader';
  readonly name: string;
}

/** The two numbers of a lock, as SQL; `$1` is its name. */
const spaceSql = {
  lifecycle: `hashtext('entity-search lifecycle')`,
  reader: `hashtext('entity-search reader')`,
} as const;

/**
 * Takes the lifecycle lock of a kind, or says who has it (undefined: he let go just now). It lies on a connection of
 * its own, and Postgres looks after that with TCP keep-alives: a holder that vanished loses it within half a minute.
 * One who has it for a moment, to tidy up, is waited for.
 */
export async function takeLock(pool: pg.Pool, kind: KindName, applicationName: string): Promise<TakenLock> {
  for (let attempt = 1; ; attempt += 1) {
    const taken = await takeNamedLock(pool, { space: 'lifecycle', name: kind }, applicationName);
    if ('held' in taken || attempt === tidyingAttempts) return taken;
    if (!taken.holder?.applicationName.startsWith(cleanUpPrefix)) return taken;
    await sleep(tidyingPauseMs);
  }
}

/** How the connection of one who only removes old indices is called, before his own name. */
export const cleanUpPrefix = 'removing old indices: ';
const tidyingAttempts = 100;
const tidyingPauseMs = 100;

/** The same for the lock of one generation's reader. */
export function takeReaderLock(pool: pg.Pool, indexName: string, applicationName: string): Promise<TakenLock> {
  return takeNamedLock(pool, { space: 'reader', name: indexName }, applicationName);
}

async function takeNamedLock(pool: pg.Pool, lock: LockName, applicationName: string): Promise<TakenLock> {
  const client = await pool.connect();
  const lost = new AbortController();
  client.on('error', (error) => lost.abort(lostError(lock.name, error)));
  client.on('end', () => lost.abort(lostError(lock.name, undefined)));
  try {
    await watchConnection(client, applicationName);
    if (!(await tryLock(client, lock))) {
      const holder = await findHolder(client, lock);
      client.release(true);
      return { holder };
    }
  } catch (error) {
    client.release(true);
    throw error;
  }
  return { held: { lost: lost.signal, [Symbol.asyncDispose]: () => letGo(client, lock) } };
}

/** Makes a session that holds locks end soon after its other side has vanished, and shows who it is. */
export async function watchConnection(client: pg.ClientBase, applicationName: string): Promise<void> {
  await client.query(
    `select set_config('application_name', $1, false), set_config('idle_session_timeout', '0', false),
            set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
            set_config('tcp_keepalives_count', '3', false)`,
    [applicationName],
  );
}

/** True where this session holds the lock now. */
export async function tryLock(client: pg.ClientBase, { space, name }: LockName): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(
    `select pg_try_advisory_lock(${spaceSql[space]}, hashtext($1)) as taken`,
    [name],
  );
  return rows[0]?.taken === true;
}

export async function unlock(client: pg.ClientBase, { space, name }: LockName): Promise<void> {
  await client.query(`select pg_advisory_unlock(${spaceSql[space]}, hashtext($1))`, [name]);
}

// Said aloud, because Postgres notices a closed connection a little later than whoever comes next; closed as well,
// because that lets go of the lock whatever state the session is in.
async function letGo(client: pg.PoolClient, lock: LockName): Promise<void> {
  try {
    await unlock(client, lock);
  } catch {
    // The connection is broken, so it holds nothing any more; whoever cared was told by `lost`.
  } finally {
    client.release(true);
  }
}

/** Who holds a lock, as far as it is still held. */
export async function findHolder(
  client: pg.ClientBase | pg.Pool,
  { space, name }: LockName,
): Promise<LockHolder | undefined> {
  // The halves of a two-number key are shown as unsigned numbers.
  const { rows } = await client.query<LockHolder>(
    `select l.pid, coalesce(a.application_name, '') as "applicationName",
            ${isoTimestamp('a.backend_start', 'seconds')} as since
     from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.granted and l.objsubid = 2
       and l.database = (select oid from pg_database where datname = current_database())
       and l.classid = (${spaceSql[space]}::bigint & 4294967295)::oid
       and l.objid = (hashtext($1)::bigint & 4294967295)::oid`,
    [name],
  );
  return rows[0];
}

function lostError(name: string, cause: Error | undefined): Error {
  const options = cause === undefined ? {} : { cause };
  return new Error(
    `The connection that held the lock of ${name} broke. Check Postgres, then run the command again.`,
    options,
  );
}
