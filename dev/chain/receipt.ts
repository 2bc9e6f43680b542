import { setTimeout as delay } from 'node:timers/promises';
import {
  type Hex,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  WaitForTransactionReceiptTimeoutError,
} from 'viem';

/** Interval between queries for a receipt, which the local chain has almost immediately. */
const pollingMs = 10;
const timeoutOtherwiseMs = 60_000;

/**
 * Waits for the receipt of a transaction. viem's own wait looks again only at the next block, but the local chain has no
 * next block without another transaction: a receipt that came a moment after its block was never found.
 */
export async function receiptOf(
  client: Pick<PublicClient, 'getTransactionReceipt'>,
  hash: Hex,
  timeoutMs = timeoutOtherwiseMs,
): Promise<TransactionReceipt> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await client.getTransactionReceipt({ hash });
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError)) throw error;
      if (performance.now() > end) throw new WaitForTransactionReceiptTimeoutError({ hash });
    }
    await delay(pollingMs);
  }
}
