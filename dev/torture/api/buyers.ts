import { setTimeout as delay } from 'node:timers/promises';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import type { Hex } from '../../../src/payments/protocol/networks.ts';
import { encodeHeader } from '../../../src/payments/protocol/payload.ts';
import {
  type SignedAuthorization,
  sendBatch,
  sendCancellation,
  signAuthorization,
} from '../../chain/authorizations.ts';
import { chainClient, mint } from '../../chain/chain.ts';
import { newNonce, paymentOf, price } from '../../chain/payment.ts';
import type { PaymentStack } from '../../chain/payments-stack.ts';
import { withClient } from '../../engines/postgres/client.ts';
import { type Random, seededRandom } from '../random.ts';
import { askOnce, type Ended, type Purchase } from './ask.ts';

export interface BuyerCounts {
  signed: number;
  served: number;
  /** 402: nothing was taken. */
  refused: number;
  /** The signal came before an outcome was known. */
  open: number;
  /** Unserved purchases. If one was paid all the same, the same payment must get its answer later. */
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
const entrances = ['http', 'mcp'] as const;

type RunBuyer = (
  stack: PaymentStack,
  urls: readonly [string, ...string[]],
  seed: number,
  signal: AbortSignal,
) => Promise<BuyerCounts>;

export const runBuyer: RunBuyer = (stack, urls, seed, signal) =>
  repeat({ stack, urls, seed, signal, account: privateKeyToAccount(hex.parse(stack.payerKey)) }, async (buyer) => {
    await buy(await sign(buyer), buyer);
  });

const pocketMoney = price * 100_000n;
const batchSize = 4;
const headStartMs = 150;
const claimedEveryMs = 30;

async function cheatOnce(buyer: Buyer, isClaimed: IsClaimed): Promise<void> {
  const { account, random, signal } = buyer;
  const { chain } = buyer.stack;
  const cancels = random.chance(0.3);
  const first = await sign(buyer);
  const others = await Promise.all(Array.from({ length: cancels ? 0 : batchSize - 1 }, () => sign(buyer)));
  let ended = false;
  const buying = Promise.all([first, ...others].map((purchase) => buy(purchase, buyer))).finally(() => {
    ended = true;
  });
  // A payment before the service knows of it is a gift.
  while (!ended && !signal.aborted && !(await isClaimed(first))) await delay(claimedEveryMs);
  if (!ended && !signal.aborted) {
    await delay(random.whole(headStartMs));
    if (cancels) await sendCancellation(chain, account, first.authorization.nonce, account);
    else await sendBatch(chain, [first, ...(await toHimself(others, account))], account);
  }
  await buying;
}

/** The purchases' authorizations with the payer as recipient. */
function toHimself(purchases: readonly Purchase[], account: PrivateKeyAccount): Promise<SignedAuthorization[]> {
  return Promise.all(
    purchases.map(({ authorization }) => signAuthorization(account, { ...authorization, to: account.address })),
  );
}

/** Returns true if the service has a row of this payment; false also if its database is down. */
type IsClaimed = (purchase: Purchase) => Promise<boolean>;

async function isClaimedIn(databaseUrl: string, { authorization }: Purchase): Promise<boolean> {
  const text = 'select 1 from x402_payments where payer = $1 and nonce = $2';
  const values = [authorization.from.toLowerCase(), authorization.nonce];
  try {
    return (await withClient(databaseUrl, (client) => client.query(text, values))).rowCount === 1;
  } catch {
    // Killed just now: it comes back.
    return false;
  }
}

/** Creates a payer with a key, dollars and gas. One after another: each mint takes the account's next number. */
export async function newCheat({ chain }: PaymentStack, databaseUrl: string): Promise<RunBuyer> {
  const account = privateKeyToAccount(generatePrivateKey());
  await mint(chain, account.address, pocketMoney);
  await chainClient(chain).setBalance({ address: account.address, value: 10n ** 20n });
  const isClaimed: IsClaimed = (purchase) => isClaimedIn(databaseUrl, purchase);
  return (stack, urls, seed, signal) =>
    repeat({ stack, urls, seed, signal, account }, (buyer) => cheatOnce(buyer, isClaimed));
}

async function repeat(
  who: Omit<Buyer, 'random' | 'counts'>,
  once: (buyer: Buyer) => Promise<void>,
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
  const buyer: Buyer = { ...who, counts, random: seededRandom(who.seed) };
  while (!who.signal.aborted) {
    await once(buyer);
    await delay(pauseMs);
  }
  return counts;
}

/** Sends the payment to any of the processes, by any of the two ways in, until the purchase has ended. */
async function buy(purchase: Purchase, { urls, random, counts, signal }: Buyer): Promise<void> {
  let ended: Ended | null = null;
  while (ended === null && !signal.aborted) {
    ended = await askOnce(random.pick(urls), purchase, random.pick(entrances));
    if (ended === null) await delay(pauseMs);
  }
  if (ended?.kind === 'served') noteServed(ended.transaction, counts);
  else {
    counts.left.push(purchase);
    counts[ended === null ? 'open' : 'refused'] += 1;
  }
}

function noteServed(transaction: string, counts: BuyerCounts): void {
  // Also a batch has but one transfer for us.
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
