import { setTimeout as delay } from 'node:timers/promises';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { typedAuthorization } from '../../src/payment/signature.ts';
import { encodeHeader } from '../../src/payment/wire.ts';
import { balanceOf, localNetwork } from '../chain/chain.ts';
import { newNonce, paymentOf, price } from '../chain/payment.ts';
import type { PaymentStack } from '../payments-stack.ts';
import { seededRandom } from './random.ts';

export interface BuyerCounts {
  /** Payments signed. */
  signed: number;
  served: number;
  /** 402: nothing was taken. */
  refused: number;
  /** The signal came before an outcome was known. */
  open: number;
  readonly transactions: Set<string>;
  readonly problems: string[];
}

const served = z.object({ meta: z.object({ transaction: z.string(), price_paid: z.literal(price.toString()) }) });
const hex = z.templateLiteral(['0x', z.string()]);
const pauseMs = 150;

/**
 * Buys one search after another until the signal aborts, as a careful client does: the same payment again, at any of the
 * processes, until it was served or refused.
 */
export async function runBuyer(
  stack: PaymentStack,
  urls: readonly [string, ...string[]],
  seed: number,
  signal: AbortSignal,
): Promise<BuyerCounts> {
  const counts: BuyerCounts = { signed: 0, served: 0, refused: 0, open: 0, transactions: new Set(), problems: [] };
  const random = seededRandom(seed);
  while (!signal.aborted) {
    const header = await sign(stack);
    counts.signed += 1;
    // Nobody asks the same twice: a payer is never charged for what he has paid and not got, whoever of his asks.
    const query = `q=First%20${1 + random.whole(100)}%20s${seed}n${counts.signed}&limit=3`;
    let answer: { status: number; body: unknown } | null = null;
    while (answer === null && !signal.aborted) {
      answer = await buyOnce(`${random.pick(urls)}/api/v1/x402/search?${query}`, header);
      if (answer === null) await delay(pauseMs);
    }
    note(answer, counts);
    await delay(pauseMs);
  }
  return counts;
}

function note(answer: { status: number; body: unknown } | null, counts: BuyerCounts): void {
  if (answer === null) counts.open += 1;
  else if (answer.status === 402) counts.refused += 1;
  else {
    const { transaction } = served.parse(answer.body).meta;
    if (counts.transactions.has(transaction)) counts.problems.push(`${transaction} paid for two searches`);
    counts.transactions.add(transaction);
    counts.served += 1;
  }
}

async function sign({ payerKey, payTo }: PaymentStack): Promise<string> {
  const account = privateKeyToAccount(hex.parse(payerKey));
  const authorization = {
    from: account.address,
    to: hex.parse(payTo),
    value: price,
    validAfter: 0n,
    validBefore: BigInt(Math.floor(Date.now() / 1_000) + 280),
    nonce: newNonce(),
  };
  const signature = await account.signTypedData(typedAuthorization(authorization, localNetwork));
  return encodeHeader(paymentOf(payTo, authorization, signature));
}

/** An answer that ends the purchase, or null: it is to be repeated. */
async function buyOnce(url: string, header: string): Promise<{ status: number; body: unknown } | null> {
  try {
    const response = await fetch(url, {
      headers: { 'PAYMENT-SIGNATURE': header },
      signal: AbortSignal.timeout(40_000),
    });
    const body: unknown = await response.json();
    return response.status === 200 || response.status === 402 ? { status: response.status, body } : null;
  } catch {
    // No answer: nobody knows whether it was paid, so the same payment is sent again.
    return null;
  }
}

/** What the recipient has, in base units. */
export function received({ chain, payTo }: PaymentStack): Promise<bigint> {
  return balanceOf(chain, hex.parse(payTo));
}
