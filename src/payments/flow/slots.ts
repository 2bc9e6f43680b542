import { type ConcurrencyLimiter, createLimiter, noQueue, type Release } from '../../lib/concurrency/limiter.ts';
import { createRateLimiter } from '../../lib/rate-limiter.ts';
import type { Hex } from '../protocol/networks.ts';
import type { PaymentSlots } from './context.ts';

// The limits on concurrent payments of a process. Payers without money take no slot from payers with money, new payers
// leave some slots to those who have paid before, and no payer can take all.

/** One slot in this many is for lookups of payers without rows, and another one for payers with rows. */
const lookupShare = 4;
/** The maximum number of payers that wait for a lookup, and their longest wait in milliseconds. */
const lookupQueue = { waitingMax: 200, waitMs: 3_000, stallMs: 3_000 } as const;
/** One slot in this many is kept for payers who have paid before. */
const reservedShare = 3;
/** The smallest limit on concurrent requests of one payer, including requests that wait for each other. */
const payerSlotsMin = 16;

/** Attempts per minute of one payer, and of one address with any number of payers, that may end without an answer. */
const fruitless = { payerMax: 60, callerMax: 240, perMs: 60_000, keysMax: 10_000 } as const;

/**
 * @param max payments under way at the same time
 * @param openMax how many of these may have a row of their own, per payer
 * @param elapsed milliseconds of a clock that never goes back
 */
export function createPaymentSlots(max: number, openMax: number, elapsed: () => number): PaymentSlots {
  const byWallet = createRateLimiter({ ...fruitless, max: fruitless.payerMax }, elapsed);
  const byCaller = createRateLimiter({ ...fruitless, max: fruitless.callerMax }, elapsed);
  const lookupsByCaller = createRateLimiter({ ...fruitless, max: fruitless.callerMax }, elapsed);
  const lookupsMax = Math.max(1, Math.ceil(max / lookupShare));
  const newPayers = createLimiter({ slotsMax: lookupsMax, ...lookupQueue });
  const unproven = createLimiter({ slotsMax: lookupsMax, ...lookupQueue });
  const newPayersMax = Math.max(1, max - Math.floor(max / reservedShare));
  const payerMax = Math.max(payerSlotsMin, 2 * openMax);
  const payments = createLimiter({ slotsMax: max, ...noQueue });
  const paymentsOfNew = createLimiter({ slotsMax: newPayersMax, ...noQueue });
  const byPayer = new Map<Hex, ConcurrencyLimiter>();
  return {
    countAttempt(payer, caller) {
      if (!byCaller.take(caller).ok) return null;
      if (payer !== null && !byWallet.take(payer).ok) return null;
      return () => {
        byCaller.giveBack(caller);
        if (payer !== null) byWallet.giveBack(payer);
      };
    },
    async acquireLookup(hasRows, caller) {
      return lookupsByCaller.take(caller).ok ? (hasRows ? unproven : newPayers).acquire() : null;
    },
    acquirePayment(payer, paidBefore) {
      const own = byPayer.get(payer) ?? createLimiter({ slotsMax: payerMax, ...noQueue });
      if (own.counts().active >= payerMax) return { release: null, payerMax };
      const releaseAll = acquireEach(paidBefore ? [own, payments] : [own, payments, paymentsOfNew]);
      if (releaseAll === null) return { release: null, payerMax: null };
      byPayer.set(payer, own);
      const release = (): void => {
        releaseAll();
        if (own.counts().active === 0) byPayer.delete(payer);
      };
      return { release };
    },
  };
}

/** Takes a slot of each limiter, or none if one of them is full. */
function acquireEach(limiters: readonly ConcurrencyLimiter[]): Release | null {
  const acquired: Release[] = [];
  const releaseAll = (): void => {
    for (const release of acquired) release();
  };
  for (const limiter of limiters) {
    const release = limiter.tryAcquire();
    if (release === null) {
      releaseAll();
      return null;
    }
    acquired.push(release);
  }
  return releaseAll;
}
