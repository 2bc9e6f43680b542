import pg from 'pg';
import { Backoff } from '../lib/backoff.ts';
import { sleep } from '../lib/sleep.ts';
import { endWhenStopped } from '../postgres/pool.ts';

// A session that waits for a lock on a table makes all later sessions wait behind it, readers included. So a migration
// waits for each lock only briefly. If a lock is not free, the whole transaction is rolled back, and tried again after a
// pause in which the others get through.

export interface LockWaits {
  /** The wait for one lock. It is below Postgres' deadlock_timeout of a second, so it also ends deadlocks. */
  readonly lockTimeoutMs: number;
  /** The time for all attempts, longer than the longest batch of an import. */
  readonly giveUpAfterMs: number;
}

export const defaultLockWaits: LockWaits = { lockTimeoutMs: 300, giveUpAfterMs: 120_000 };

const pauses = { firstPauseMs: 100, longestPauseMs: 2_000 } as const;

const lockNotAvailable = '55P03';
const deadlock = '40P01';

/** Other sessions held locks on the tables for the whole time. */
export class TablesLockedError extends Error {
  constructor({ giveUpAfterMs }: LockWaits, blockers: readonly string[], options: ErrorOptions) {
    const who = blockers.length === 0 ? 'other sessions' : blockers.join(', ');
    super(
      `The tables were locked by ${who} for ${Math.round(giveUpAfterMs / 1_000)} s, and nothing was changed. End the open transaction (select pg_terminate_backend(PID)) or wait for it, then run entity-search migrate again.`,
      options,
    );
    this.name = 'TablesLockedError';
  }
}

/**
 * Runs the work in a transaction, and repeats it if it waits too long for a lock or ends in a deadlock. Throws
 * `TablesLockedError` when the time is over, or the error of the work; either way the work has changed nothing.
 */
export async function withLockRetries<Result>(
  client: pg.Client,
  waits: LockWaits,
  work: () => Promise<Result>,
): Promise<Result> {
  const deadlineMs = performance.now() + waits.giveUpAfterMs;
  // Security does not depend on it.
  // nosemgrep: no-predictable-chance
  const backoff = new Backoff(pauses, Math.random);
  for (;;) {
    try {
      return await runTransaction(client, waits, work);
    } catch (error) {
      if (!isLockFailure(error)) throw error;
      if (performance.now() > deadlineMs) {
        throw new TablesLockedError(waits, await listHolders(client), { cause: error });
      }
    }
    await sleep(backoff.next());
  }
}

async function runTransaction<Result>(
  client: pg.Client,
  { lockTimeoutMs }: LockWaits,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${lockTimeoutMs}; ${endWhenStopped}`);
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

function isLockFailure(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === lockNotAvailable || error.code === deadlock);
}

/** Names the sessions whose transactions hold locks on tables here, the oldest first. */
async function listHolders(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select format('PID %s (%s)', pid, concat_ws(', ', nullif(application_name, ''), 'user ' || usename)) as name
     from pg_stat_activity a
     where pid <> pg_backend_pid() and exists (
       select from pg_locks l left join pg_class c on c.oid = l.relation
       where l.pid = a.pid and l.granted and l.database = (select oid from pg_database where datname = current_database())
         and (l.locktype = 'advisory' or c.relnamespace = 'public'::regnamespace))
     order by xact_start limit 3`,
  );
  return rows.map(({ name }) => name);
}
