import type { PaymentRow } from '../ports.ts';
import type { ChargeDeps } from './context.ts';

/** Does the work and renews the row's lease meanwhile. Whoever loses it learns that from the row's next change. */
export async function whileLeased<T>(row: PaymentRow, deps: ChargeDeps, work: () => Promise<T>): Promise<T> {
  const ended = new AbortController();
  // Never rejects; it ends with the work.
  void renewUntil(ended.signal, row, deps);
  try {
    return await work();
  } finally {
    ended.abort();
  }
}

async function renewUntil(ended: AbortSignal, row: PaymentRow, deps: ChargeDeps): Promise<void> {
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
