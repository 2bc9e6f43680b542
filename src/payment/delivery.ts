import { receiptHeader, withTransaction } from './answer.ts';
import type { ChargeDeps, Outcome } from './outcome.ts';
import { refused } from './outcome.ts';
import type { PaymentRow } from './ports.ts';

/**
 * The answer of a settled row.
 * @param held whether the row's lease is ours, so that the delivery is ours to note
 */
export function serve(
  row: PaymentRow,
  options: { readonly replayed: boolean; readonly held: boolean },
  deps: ChargeDeps,
): Outcome {
  if (row.body === null || row.transaction === null) return usedUp();
  const { transaction, network, payer } = row;
  return {
    kind: 'served',
    body: withTransaction(row.body, transaction),
    receipt: receiptHeader({ transaction, network, payer }),
    replayed: options.replayed,
    done: options.held ? (delivered) => noteDelivery(row, delivered, deps) : () => undefined,
  };
}

function noteDelivery(row: PaymentRow, delivered: boolean, deps: ChargeDeps): void {
  if (delivered) deps.keep('delivered', () => deps.rows.advance(row, 'delivered'));
  // The result stays claimable: by the same payment, or by a new one of this payer for the same search.
  else deps.keep('undelivered', () => deps.rows.release(row));
}

export function usedUp(): Outcome {
  return refused('payment_already_used', 'this authorization has already paid for a search');
}
