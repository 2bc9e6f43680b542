import type { Pool } from 'pg';
import { debounce } from '../../lib/debounce.ts';

/** Calls of an account that were served before they were counted. */
interface Uncounted {
  /** To be counted in the minute, too. */
  calls: number;
  /** From a while ago: of the month only. */
  late: number;
}

export interface UncountedCalls {
  /** Adds, or takes back with negative numbers. */
  add(accountId: number, uncounted: Partial<Readonly<Uncounted>>): void;
  /** The pending calls of one account. */
  waiting(accountId: number): number;
  /** Writes the pending calls. */
  flush(): Promise<void>;
}

// Accounts are taken in the order of the arrays, which is the same everywhere: two processes at once wait for each
// other, and never in a circle.
const write = `
  select from unnest($1::bigint[], $2::integer[], $3::integer[]) as u (account, calls, late)
  cross join lateral take_calls(u.account, array[u.calls], null, null, u.late)`;

/** Limits of one statement and one integer column. */
const accountsMax = 1_000;
const callsMax = 1_000_000_000;

/**
 * Counts calls without delaying them, once in `flushMs` and in one statement for all accounts. Counts that could not be
 * written are tried again; if Postgres wrote them but its answer got lost, they are written twice. A killed process
 * loses its pending counts.
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

  // A negative number took back what was written already: it stays until new calls outweigh it.
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
