import type { Pool } from 'pg';
import { type CallCount, type CallCounter, type CallEndpoint, callDaysMax } from '../../access/calls.ts';
import { debounce } from '../../lib/debounce.ts';
import { dayMs, hourMs } from '../../lib/durations.ts';
import type { Database } from '../statements.ts';

interface CallCountSettings {
  /** Time for which calls are collected before they are written together, in milliseconds. */
  readonly flushMs: number;
  /** Maximum number of different pending counts while Postgres is unavailable. Other calls are not counted. */
  readonly waitingMax: number;
}

/** A pending count of one account, day, endpoint and outcome. */
interface Waiting {
  readonly accountId: number;
  /** Days since 1970, UTC. */
  readonly day: number;
  readonly endpoint: CallEndpoint;
  readonly outcome: string;
  calls: number;
}

// All processes lock rows in the same order, so that no deadlock can occur.
const write = `
  insert into account_calls as c (account_id, day, endpoint, outcome, calls)
  select u.account_id, date '1970-01-01' + u.day, u.endpoint, u.outcome, u.calls
  from unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::bigint[])
    as u (account_id, day, endpoint, outcome, calls)
  join accounts a on a.id = u.account_id
  order by 1, 2, 3, 4
  on conflict (account_id, day, endpoint, outcome) do update set calls = c.calls + excluded.calls`;

const removeOld = `
  delete from account_calls where ctid = any(array(
    select ctid from account_calls where day <= (now() at time zone 'UTC')::date - $1::integer order by day limit $2))`;

/** Maximum number of rows per statement. */
const rowsMax = 1_000;
/** Maximum number of deletions of old rows per hour; the rest is deleted in the next one. */
const clearStepsMax = 20;

/**
 * Counts calls by account, day, endpoint and outcome, and writes the counts every `flushMs` in one statement. Failed
 * writes are retried; if only Postgres' answer was lost, they are counted twice. Old days are deleted every hour.
 */
export function createCallCounter(
  pool: Pool,
  { flushMs, waitingMax }: CallCountSettings,
  clock: { now(): number; elapsed(): number },
  onFailure: (cause: unknown) => void,
): CallCounter & { close(): Promise<void> } {
  const waiting = new Map<string, Waiting>();
  let clearedAtMs = Number.NEGATIVE_INFINITY;

  function add({ accountId, day, endpoint, outcome, calls }: Waiting): void {
    const name = `${accountId} ${day} ${endpoint} ${outcome}`;
    const held = waiting.get(name);
    if (held !== undefined) held.calls += calls;
    else if (waiting.size < waitingMax) waiting.set(name, { accountId, day, endpoint, outcome, calls });
  }

  function takeBatch(): readonly Waiting[] {
    const batch = [...waiting].slice(0, rowsMax);
    for (const [name] of batch) waiting.delete(name);
    return batch.map(([, held]) => held);
  }

  async function flush(): Promise<void> {
    for (let batch = takeBatch(); batch.length > 0; batch = takeBatch()) {
      try {
        await pool.query(write, [
          batch.map(({ accountId }) => accountId),
          batch.map(({ day }) => day),
          batch.map(({ endpoint }) => endpoint),
          batch.map(({ outcome }) => outcome),
          batch.map(({ calls }) => calls),
        ]);
      } catch (cause) {
        onFailure(cause);
        for (const held of batch) add(held);
        return debounced.schedule();
      }
    }
    await clear();
  }

  async function clear(): Promise<void> {
    if (clock.elapsed() - clearedAtMs < hourMs) return;
    clearedAtMs = clock.elapsed();
    try {
      for (let step = 0; step < clearStepsMax; step += 1) {
        const { rowCount } = await pool.query(removeOld, [callDaysMax, rowsMax]);
        if ((rowCount ?? 0) < rowsMax) return;
      }
    } catch (cause) {
      onFailure(cause);
    }
  }

  const debounced = debounce(flush, flushMs);
  return {
    record(calls) {
      add({ ...calls, day: Math.floor(clock.now() / dayMs) });
      debounced.schedule();
    },
    close: () => debounced.flush(),
  };
}

/**
 * Returns the calls of an account, oldest day first.
 * @param days number of days, today included
 */
export async function readCallCounts(
  database: Database,
  accountId: number,
  days: number,
): Promise<readonly CallCount[]> {
  const { rows } = await database.query<CallCount>(
    `select day::text, endpoint, outcome, calls from account_calls
     where account_id = $1 and day > (now() at time zone 'UTC')::date - $2::integer
     order by account_calls.day, endpoint, outcome`,
    [accountId, days],
  );
  return rows;
}
