import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Random, seededRandom } from '../../../dev/torture/random.ts';
import { getPaid, type PaidAnswer } from './paid-answer.ts';
import { type Payer, type SignedPayment, signPayment } from './payers.ts';

/** The outcome of a purchase by a client that follows the advice in every answer. */
interface Purchase {
  readonly payer: Payer;
  readonly query: string;
  readonly payment: SignedPayment;
  readonly answer: PaidAnswer;
  readonly attempts: number;
}

const pauseMs = 60;

/**
 * Buys as docs/payments.md describes: repeats the same payment after a broken connection, a 429, a 500 or a 503. A 200
 * or 402 ends the purchase.
 * @param urls returns the address of each attempt, so that a client may change processes
 */
export async function buyPatiently(
  payer: Payer,
  query: string,
  urls: () => string,
  signal: AbortSignal,
): Promise<Purchase> {
  const payment = await signPayment(payer);
  for (let attempts = 1; ; attempts += 1) {
    signal.throwIfAborted();
    const answer = await tryOnce(urls(), query, payment.header, signal);
    if (answer !== null && (answer.status === 200 || answer.status === 402)) {
      return { payer, query, payment, answer, attempts };
    }
    await delay(pauseMs);
  }
}

async function tryOnce(url: string, query: string, header: string, signal: AbortSignal): Promise<PaidAnswer | null> {
  try {
    return await getPaid(url, query, header, { signal });
  } catch {
    // The connection was refused or cut, because the process was killed.
    return null;
  }
}

/** Prints the seed, which the environment may set, and returns its generator. */
export function drawnFrom(what: string): Random {
  const seed = Number(process.env.SEED ?? randomInt(1e9));
  process.stderr.write(`${what} with SEED=${seed}\n`);
  return seededRandom(seed);
}
