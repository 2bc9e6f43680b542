import { setTimeout as delay } from 'node:timers/promises';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import type { Hex } from '../../../src/payments/protocol/networks.ts';
import { encodeHeader } from '../../../src/payments/protocol/payload.ts';
import { type SignedAuthorization, signAuthorization } from '../../chain/authorizations.ts';
import { newNonce, paymentOf, price } from '../../chain/payment.ts';
import type { PaymentStack } from '../../chain/payments-stack.ts';
import { type Random, seededRandom } from '../random.ts';
import { askOnce, type Ended, type Purchase } from './ask.ts';

export interface BuyerCounts {
  signed: number;
  served: number;
  /** 402: nothing was taken. */
  refused: number;
  /** The signal aborted before an outcome was known. */
  open: number;
  /** Unserved purchases. If one was paid anyway, the same payment must get its answer later. */
  readonly left: Purchase[];
  readonly transactions: Set<string>;
  readonly problems: string[];
}

interface Buyer {
  readonly stack: PaymentStack;
  readonly urls: readonly [string, ...string[]];
  readonly account: PrivateKeyAccount;
  readonly seed: number;
  readonly random: Random;
  readonly counts: BuyerCounts;
  readonly signal: AbortSignal;
}

const hex = z.templateLiteral(['0x', z.string()]);
const pauseMs = 150;

/** Buys searches until the signal aborts. */
export async function runBuyer(
  stack: PaymentStack,
  urls: readonly [string, ...string[]],
  seed: number,
  signal: AbortSignal,
): Promise<BuyerCounts> {
  const counts: BuyerCounts = {
    signed: 0,
    served: 0,
    refused: 0,
    open: 0,
    left: [],
    transactions: new Set(),
    problems: [],
  };
  const account = privateKeyToAccount(hex.parse(stack.payerKey));
  const buyer: Buyer = { stack, urls, seed, signal, account, counts, random: seededRandom(seed) };
  while (!signal.aborted) {
    await buy(await sign(buyer), buyer);
    await delay(pauseMs);
  }
  return counts;
}

/** Sends the payment to any of the processes until the purchase has ended. */
async function buy(purchase: Purchase, { urls, random, counts, signal }: Buyer): Promise<void> {
  let ended: Ended | null = null;
  while (ended === null && !signal.aborted) {
    ended = await askOnce(random.pick(urls), purchase);
    if (ended === null) await delay(pauseMs);
  }
  if (ended?.kind === 'served') noteServed(ended.transaction, counts);
  else {
    counts.left.push(purchase);
    counts[ended === null ? 'open' : 'refused'] += 1;
  }
}

function noteServed(transaction: string, counts: BuyerCounts): void {
  if (counts.transactions.has(transaction)) counts.problems.push(`${transaction} paid for two searches`);
  counts.transactions.add(transaction);
  counts.served += 1;
}

async function sign({ stack: { payTo }, account, random, seed, counts }: Buyer): Promise<Purchase> {
  counts.signed += 1;
  // Queries are unique: a payer is never charged again for a search that was paid and not delivered.
  const query = `First ${1 + random.whole(100)} s${seed}n${counts.signed}`;
  const signed = await signAuthorization(account, {
    from: account.address,
    to: hex.parse(payTo),
    value: price,
    validAfter: 0n,
    validBefore: BigInt(Math.floor(Date.now() / 1_000) + validSeconds),
    nonce: newNonce(),
  });
  return { ...signed, query, header: encodeHeader(paymentOf(payTo, signed.authorization, signed.signature)) };
}

export const validSeconds = 280;

/** The identity of a purchase in the ledger and on the chain. */
export function keyOf({ authorization: { from, nonce } }: SignedAuthorization): string {
  return keyFrom(from, nonce);
}

export function keyFrom(payer: Hex, nonce: Hex): string {
  return `${payer} ${nonce}`.toLowerCase();
}
