import type pg from 'pg';
import type { KindName } from '../../src/kinds/kind.ts';
import { createSerialQueue } from '../../src/lib/concurrency/serial-queue.ts';
import { isoTimestamp } from '../../src/lib/iso-timestamp.ts';
import { elapsedMs, presentMoment } from '../../src/lib/moment.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { readValue } from '../../src/postgres/statements.ts';
import { RefusedError } from '../errors.ts';

/**
 * Locks of one connection, until it is disposed: a lease that the session renews, and that Postgres ends for a stopped
 * process.
 */
export interface LockSession extends AsyncDisposable {
  /**
   * Aborts when the connection breaks or a renewal is late: others may take its locks from then on. Reading the property
   * checks the clock, so a process that wakes up notices it before its timers run.
   */
  readonly lost: AbortSignal;
  /** Returns true if the lock was taken, otherwise its holder (undefined: just released). */
  take(lock: LockName): Promise<true | LockHolder | undefined>;
  release(lock: LockName): Promise<void>;
}

export interface LockHolder {
  readonly pid: number;
  readonly applicationName: string;
  /** Start of its connection, ISO 8601; null if this role may not see it. A connection is opened for the lock. */
  readonly since: string | null;
}

/** Describes the holder of a lock; connections of another role show only their number. */
export function describeHolder(holder: LockHolder | undefined): string {
  if (holder === undefined) return 'another process';
  const { applicationName, pid, since } = holder;
  if (since === null) return `a process of another role (Postgres process ${pid})`;
  return `"${applicationName}" (Postgres process ${pid}, since ${since})`;
}

export class ReaderLockedError extends RefusedError {
  constructor(indexName: string, holder: LockHolder | undefined) {
    super(`${indexName} is followed already by ${describeHolder(holder)}.`);
  }
}

export type TakenLock = { readonly held: LockSession } | { readonly holder: LockHolder | undefined };

/**
 * `lifecycle`: of a kind, for creating, swapping and removing its generations. `reader`: of one generation's index.
 * `housekeeping`: for pruning the change log and removing indices. `vectors`: of a kind and a model, for making its
 * vectors.
 */
export interface LockName {
  readonly space: 'lifecycle' | 'reader' | 'housekeeping' | 'vectors';
  readonly name: string;
}

/** Returns the first number of a lock as SQL; the second is the hash of its name. */
const spaceSql = (space: LockName['space']): string => `hashtext('entity-search ${space}')`;

/** The prefix of the connection name of a process that only removes old indices. */
export const cleanUpPrefix = 'removing old indices: ';
const cleanUp = { attempts: 100, pauseMs: 100 };

/** Postgres ends a session that is silent for this long, which frees its locks. */
const leaseMs = 15_000;
const renewEveryMs = 5_000;
/** Without an answer for this long, a session counts as lost here. It is a little sooner than in Postgres. */
const heldMs = leaseMs - 1_000;

/**
 * Takes the lifecycle lock of a kind, or returns its holder (undefined if it was just released). Waits for a holder
 * that only cleans up.
 */
export async function takeLock(pool: pg.Pool, kind: KindName, applicationName: string): Promise<TakenLock> {
  for (let attempt = 1; ; attempt += 1) {
    const taken = await takeOne(pool, { space: 'lifecycle', name: kind }, applicationName);
    if ('held' in taken || attempt === cleanUp.attempts) return taken;
    if (!taken.holder?.applicationName.startsWith(cleanUpPrefix)) return taken;
    await sleep(cleanUp.pauseMs);
  }
}

/** Takes the lock of one generation's reader, or returns its holder. */
export function takeReaderLock(pool: pg.Pool, indexName: string, applicationName: string): Promise<TakenLock> {
  return takeOne(pool, { space: 'reader', name: indexName }, applicationName);
}

async function takeOne(pool: pg.Pool, lock: LockName, applicationName: string): Promise<TakenLock> {
  const session = await openLockSession(pool, applicationName, `the lock of ${lock.name}`);
  const taken = await session.take(lock).catch(async (error: unknown) => {
    await session[Symbol.asyncDispose]();
    throw error;
  });
  if (taken === true) return { held: session };
  await session[Symbol.asyncDispose]();
  return { holder: taken };
}

/**
 * Opens a connection for locks and keeps it busy. Postgres ends it if this process stops, hangs or vanishes.
 * @param what the purpose of the locks, for people
 */
export async function openLockSession(pool: pg.Pool, applicationName: string, what: string): Promise<LockSession> {
  const client = await pool.connect();
  const lost = new AbortController();
  const onLost = (cause?: Error): void =>
    lost.abort(new Error(`The connection that held ${what} broke. Check Postgres.`, { cause }));
  client.on('error', onLost);
  client.on('end', onLost);
  // Readers take locks at any time; a connection runs one statement at a time.
  const serially = createSerialQueue();
  const lease = renewLease(async () => {
    await serially(() => client.query('select 1'));
  }, onLost);
  try {
    await client.query(
      `select set_config('application_name', $1, false), set_config('idle_session_timeout', $2, false)`,
      [applicationName, String(leaseMs)],
    );
  } catch (error) {
    lease.stop();
    client.release(true);
    throw error;
  }
  return {
    get lost() {
      lease.check();
      return lost.signal;
    },
    take: (lock) => serially(async () => (await tryLock(client, lock)) || (await findHolder(client, lock))),
    release: ({ space, name }) =>
      serially(async () => {
        await client.query(`select pg_advisory_unlock(${spaceSql(space)}, hashtext($1))`, [name]);
      }),
    async [Symbol.asyncDispose]() {
      lease.stop();
      // Unlocks explicitly, because Postgres notices a closed connection a little later than the next request. Also
      // closes the connection, which releases the locks whatever the state of the session. A broken connection holds no
      // locks.
      await client.query({ text: 'select pg_advisory_unlock_all()', query_timeout: 5_000 }).catch(() => undefined);
      client.release(true);
    },
  };
}

/** Renews a lease until it is stopped, and reports a failed or late renewal. `check` reports a late one at once. */
function renewLease(renew: () => Promise<void>, onLost: (cause: Error) => void) {
  let renewedAt = presentMoment();
  const check = (): void => {
    if (elapsedMs(renewedAt) < heldMs) return;
    onLost(new Error(`No answer for ${heldMs / 1_000} s: this process was stopped or too busy, or Postgres was.`));
  };
  const timer = setInterval(() => {
    check();
    const sentAt = presentMoment();
    renew().then(() => {
      renewedAt = sentAt;
    }, onLost);
  }, renewEveryMs);
  return { check, stop: () => clearInterval(timer) };
}

function tryLock(client: pg.ClientBase, { space, name }: LockName): Promise<boolean> {
  return readValue(client, `select pg_try_advisory_lock(${spaceSql(space)}, hashtext($1))`, [name]);
}

// Postgres shows the halves of a two-number key as unsigned numbers.
const isLockSql = (space: LockName['space']): string => `
  locktype = 'advisory' and granted and objsubid = 2
  and database = (select oid from pg_database where datname = current_database())
  and classid = (${spaceSql(space)}::bigint & 4294967295)::oid
  and objid = (hashtext($1)::bigint & 4294967295)::oid`;

/** Returns the holder of a lock, if it is still held. */
export async function findHolder(
  client: pg.ClientBase | pg.Pool,
  { space, name }: LockName,
): Promise<LockHolder | undefined> {
  const { rows } = await client.query<LockHolder>(
    `select l.pid, coalesce(a.application_name, '') as "applicationName",
            ${isoTimestamp('a.backend_start', 'seconds')} as since
     from (select pid from pg_locks where ${isLockSql(space)}) as l join pg_stat_activity a on a.pid = l.pid`,
    [name],
  );
  return rows[0];
}
