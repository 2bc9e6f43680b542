import { DatabaseLostError, type PaymentRow } from '../ports.ts';
import { answerText, receiptHeader, withTransaction } from '../protocol/answer.ts';
import type { ChargeDeps, Outcome, PurchaseContext, Step } from './context.ts';
import { refused } from './context.ts';

/** The answer of a settled row that has one. */
export function serve(row: PaymentRow, options: { readonly replayed: boolean }, deps: ChargeDeps): Outcome {
  if (row.body === null || row.transaction === null) return usedUp();
  const { transaction, network, payer } = row;
  return {
    kind: 'served',
    body: withTransaction(row.body, transaction),
    receipt: receiptHeader({ transaction, network, payer }),
    replayed: options.replayed,
    // Undelivered it stays claimable: by the same payment, or by a new one of this payer for the same search.
    done: (delivered) => {
      if (delivered && row.deliveredAtMs === null)
        deps.retryInBackground('delivered', () => deps.rows.delivered(row.id));
    },
  };
}

/**
 * Makes the answer of a payment that landed after it was given up, when there was none yet. The row is settled, and
 * leased by this request.
 */
export async function answerLater(row: PaymentRow, context: PurchaseContext): Promise<Step> {
  const { purchase, deps } = context;
  const found = await purchase.search().catch(async (bug: unknown) => {
    await letGo(row, deps);
    throw bug;
  });
  if (!found.ok) {
    await letGo(row, deps);
    return { kind: 'search-failed', reason: found.reason, cause: found.cause, paid: true };
  }
  const body = answerText(found.data, purchase.request, row);
  const answered: PaymentRow = { ...row, body };
  try {
    if (!(await deps.rows.advance(row, 'landed', { body }))) return 'again';
  } catch (error) {
    deps.log.error({ err: error, payment: row.id }, 'the database could not store the answer to a payment');
    deps.retryInBackground('answer', () => deps.rows.advance(row, 'landed', { body }));
  }
  return serve(answered, { replayed: true }, deps);
}

/** Gives the row back so that whoever comes next need not wait for its lease. */
async function letGo(row: PaymentRow, deps: ChargeDeps): Promise<void> {
  try {
    await deps.rows.release(row);
  } catch (error) {
    if (!(error instanceof DatabaseLostError)) throw error;
    deps.log.warn({ err: error, payment: row.id }, 'a lease could not be given back');
  }
}

export function usedUp(): Outcome {
  return refused('payment_already_used', 'this authorization has already paid for a search');
}
