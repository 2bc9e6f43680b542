import pg from 'pg';
import { Backoff } from '../lib/backoff.ts';
import { sleep, sleepUnlessAborted } from '../lib/sleep.ts';

// A session that waits for a lock on a table makes all later sessions wait behind it, readers included. So a migration
// waits for each lock only briefly. If a lock is not free, the whole transaction is rolled back, and tried again after a
// pause in which the others get through.

/** Limits of waiting for locks. */
export interface LockWaits {
  /** For one lock. Below Postgres' deadlock_timeout, which is a second: a circle of waiting sessions ends here. */
  readonly lockTimeoutMs: number;
  /** For all attempts together. Longer than the longest batch of an import. */
  readonly giveUpAfterMs: number;
}

export const defaultLockWaits: LockWaits = { lockTimeoutMs: 300, giveUpAfterMs: 120_000 };

const pauses = { firstPauseMs: 100, longestPauseMs: 2_000 } as const;

const lockNotAvailable = '55P03';
const deadlock = '40P01';

/** Other sessions held locks on the tables until the time was over. */
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

/** A connection whose transactions wait for locks only briefly, and another one to query the sessions that block it. */
export interface LockRetries {
  readonly client: pg.Client;
  readonly databaseUrl: string;
  readonly waits: LockWaits;
  readonly log: (line: string) => void;
}

/**
 * Runs the work in a transaction, again and again while it waits too long for a lock or ends in a deadlock. Throws
 * `TablesLockedError` when the time is over, or the error of the work; either way the work has changed nothing.
 */
export async function withLockRetries<Result>(context: LockRetries, work: () => Promise<Result>): Promise<Result> {
  const { client, waits, log } = context;
  const deadlineMs = performance.now() + waits.giveUpAfterMs;
  // Security does not depend on it.
  // nosemgrep: no-predictable-chance
  const backoff = new Backoff(pauses, Math.random);
  const finished = new AbortController();
  let blockers: readonly string[] = [];
  let watching: Promise<void> | undefined;
  try {
    for (;;) {
      try {
        return await runTransaction(client, waits, work);
      } catch (error) {
        if (!isLockFailure(error)) throw error;
        if (watching !== undefined && performance.now() > deadlineMs) {
          throw new TablesLockedError(waits, blockers, { cause: error });
        }
      }
      watching ??= watchBlockers(context, finished.signal, (names) => {
        blockers = names;
      }).catch((error: unknown) => log(`The sessions that hold the locks can't be named: ${String(error)}`));
      await sleep(backoff.next());
    }
  } finally {
    finished.abort();
    await watching;
  }
}

async function runTransaction<Result>(
  client: pg.Client,
  { lockTimeoutMs }: LockWaits,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
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

/** Reports the sessions that the client waits for, from a connection of its own, until the signal aborts. */
async function watchBlockers(
  { client, databaseUrl, waits }: LockRetries,
  signal: AbortSignal,
  report: (names: readonly string[]) => void,
): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const observer = new pg.Client({ connectionString: databaseUrl, application_name: 'entity-search migrate' });
  // A broken connection also fails the query.
  observer.on('error', () => undefined);
  await observer.connect();
  try {
    while (!signal.aborted) {
      const { rows: found } = await observer.query<{ name: string }>(
        `select format('PID %s (%s)', pid, concat_ws(', ', nullif(application_name, ''), 'user ' || usename)) as name
         from pg_stat_activity where pid = any(pg_blocking_pids($1)) order by pid`,
        [rows[0]?.pid],
      );
      if (found.length > 0) report(found.map(({ name }) => name));
      await sleepUnlessAborted(waits.lockTimeoutMs / 4, signal);
    }
  } finally {
    await observer.end();
  }
}
