import type { Event } from '../ledger/states.ts';
import { type Change, DatabaseLostError, type PaymentRow } from '../ports.ts';
import type { PaymentLog, PurchaseDeps } from './purchase-types.ts';

// How a request holds a row and changes it. A change compares status and lease, so whoever has lost the row changes
// nothing; where the database is away, the lease lapses, and whoever comes next finds on the chain what the row lacks.

/** Writes an event, now or, where the database is away, later in the background. `lost`: the row has changed hands. */
export async function transition(
  row: PaymentRow,
  event: Event,
  deps: PurchaseDeps,
  change: Change = {},
): Promise<'written' | 'lost' | 'away'> {
  try {
    return (await deps.rows.advance(row, event, change)) ? 'written' : 'lost';
  } catch (error) {
    deps.log.error({ err: error, payment: row.id, event }, 'the database could not record a change of a payment yet');
    // Nobody holds the row when it is written at last.
    deps.retryInBackground(event, () => deps.rows.advance(row, event, { ...change, leaseMs: 0 }));
    return 'away';
  }
}

/** Does the work and renews the row's lease meanwhile. Whoever loses it learns that from the row's next change. */
export async function withLease<T>(row: PaymentRow, deps: PurchaseDeps, work: () => Promise<T>): Promise<T> {
  const ended = new AbortController();
  // Never rejects; it ends with the work.
  void renewUntil(ended.signal, row, deps);
  try {
    return await work();
  } finally {
    ended.abort();
  }
}

async function renewUntil(ended: AbortSignal, row: PaymentRow, deps: PurchaseDeps): Promise<void> {
  for (;;) {
    await deps.sleep(deps.limits.leaseMs / 3, ended);
    if (ended.aborted) return;
    try {
      if (!(await deps.rows.renew(row, deps.limits.leaseMs))) return;
    } catch (error) {
      deps.log.warn({ err: error, payment: row.id }, 'a lease could not be renewed');
    }
  }
}

/**
 * Gives the row back so that whoever comes next need not wait for its lease. What came of the search is told even where
 * the database is away; existing.ts, which has asked for nothing yet, lets that end the request instead.
 */
export async function releaseLease(row: PaymentRow, deps: PurchaseDeps): Promise<void> {
  try {
    await deps.rows.release(row);
  } catch (error) {
    if (!(error instanceof DatabaseLostError)) throw error;
    deps.log.warn({ err: error, payment: row.id }, 'a lease could not be given back');
  }
}

/** What retrying in the background needs. */
export interface RetryDeps {
  readonly elapsed: () => number;
  /** Resolves after the time, or at once when the signal is aborted; never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Aborted when the process ends: then the change is tried once more, and no longer. */
  readonly closing: AbortSignal;
  readonly log: PaymentLog;
}

/** How long a change is offered to an absent database, and the pause between two tries, in milliseconds. */
const retryForMs = 10 * 60_000;
const pauseMs = 500;

/** Tries a change until the database takes it. Never rejects. */
export async function retryInBackground(what: string, action: () => Promise<unknown>, deps: RetryDeps): Promise<void> {
  const begun = deps.elapsed();
  for (;;) {
    const last = deps.closing.aborted || deps.elapsed() - begun > retryForMs;
    try {
      await action();
      return;
    } catch (error) {
      if (last) return deps.log.error({ err: error, what }, 'a change of a payment was given up');
    }
    await deps.sleep(pauseMs, deps.closing);
  }
}
