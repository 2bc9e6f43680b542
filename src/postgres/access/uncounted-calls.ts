import type { Pool } from 'pg';
import { debounce } from '../../lib/debounce.ts';

/** Calls of an account that were served before they were counted. */
interface Uncounted {
  /** Calls to count in the minute and in the month. */
  calls: number;
  /** Earlier calls, to count in the month only. */
  late: number;
}

export interface UncountedCalls {
  /** Adds calls, or takes them back with negative numbers. */
  add(accountId: number, uncounted: Partial<Readonly<Uncounted>>): void;
  /** The pending calls of one account. */
  waiting(accountId: number): number;
  /** Writes the pending calls. */
  flush(): Promise<void>;
}

// All processes lock accounts in the same order, so that no deadlock can occur.
const write = `
  select from unnest($1::bigint[], $2::integer[], $3::integer[]) as u (account, calls, late)
  cross join lateral take_calls(u.account, array[u.calls], null, null, u.late)`;

/** The limits of one statement and of an integer column. */
const accountsMax = 1_000;
const callsMax = 1_000_000_000;

/**
 * Counts calls without delaying them, and writes the counts of all accounts every `flushMs` in one statement. Failed
 * writes are retried; if only Postgres' answer was lost, they are counted twice. A killed process loses its pending
 * counts.
 */
export function createUncountedCalls(pool: Pool, flushMs: number, onFailure: (cause: unknown) => void): UncountedCalls {
  const uncounted = new Map<number, Uncounted>();

  function add(accountId: number, { calls = 0, late = 0 }: Partial<Readonly<Uncounted>>): void {
    const held = uncounted.get(accountId) ?? { calls: 0, late: 0 };
    held.calls += calls;
    held.late += late;
    if (held.calls === 0 && held.late === 0) uncounted.delete(accountId);
    else uncounted.set(accountId, held);
  }

  // A negative number takes back calls that were written already. It stays until new calls outweigh it.
  function due(): (readonly [accountId: number, Readonly<Uncounted>])[] {
    return [...uncounted]
      .map(([id, { calls, late }]) => [id, { calls: within(calls), late: within(late) }] as const)
      .filter(([, { calls, late }]) => calls + late > 0)
      .sort(([one], [other]) => one - other)
      .slice(0, accountsMax);
  }

  async function flush(): Promise<void> {
    for (let batch = due(); batch.length > 0; batch = due()) {
      if (!(await writeAll(batch))) return debounced.schedule();
    }
  }

  async function writeAll(batch: ReturnType<typeof due>): Promise<boolean> {
    for (const [id, { calls, late }] of batch) add(id, { calls: -calls, late: -late });
    const numbers = [batch.map(([id]) => id), batch.map(([, { calls }]) => calls), batch.map(([, { late }]) => late)];
    try {
      await pool.query(write, numbers);
      return true;
    } catch (cause) {
      onFailure(cause);
      for (const [id, again] of batch) add(id, again);
      return false;
    }
  }

  const debounced = debounce(flush, flushMs);
  return {
    add(accountId, counts) {
      add(accountId, counts);
      debounced.schedule();
    },
    waiting(accountId) {
      const { calls = 0, late = 0 } = uncounted.get(accountId) ?? {};
      return calls + late;
    },
    flush: debounced.flush,
  };
}

function within(count: number): number {
  return Math.min(Math.max(count, 0), callsMax);
}
