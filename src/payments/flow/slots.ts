import { LRUCache } from 'lru-cache';
import { type ConcurrencyLimiter, createLimiter, noQueue, type Release } from '../../lib/concurrency/limiter.ts';
import type { Hex } from '../protocol/networks.ts';
import type { PaymentSlots, PurchaseDeps } from './context.ts';

// How much of a process payers can take, by what is known of them: whoever has no money takes no slot of those who
// have, new payers leave some to those who have paid before, and nobody takes all.

/** One in so many slots is for asking the node about payers who have no rows yet; the same for those who have. */
const lookupShare = 4;
/** Payers who wait for a look-up, and how long, in milliseconds. */
const lookupQueue = { waitingMax: 200, waitMs: 3_000, stallMs: 3_000 } as const;
/** One in so many slots is kept for payers who have paid before. */
const reservedShare = 3;
/** Requests of one payer at the same time, at least; those that wait for another one of his are among them. */
const payerSlotsMin = 16;

/**
 * @param max payments under way at the same time
 * @param openMax of them with a row of their own, by payer
 */
export function createPaymentSlots(max: number, openMax: number): PaymentSlots {
  const lookupsMax = Math.max(1, Math.ceil(max / lookupShare));
  const newPayers = createLimiter({ slotsMax: lookupsMax, ...lookupQueue });
  const unproven = createLimiter({ slotsMax: lookupsMax, ...lookupQueue });
  const newPayersMax = Math.max(1, max - Math.floor(max / reservedShare));
  const payerMax = Math.max(payerSlotsMin, 2 * openMax);
  const payments = createLimiter({ slotsMax: max, ...noQueue });
  const paymentsOfNew = createLimiter({ slotsMax: newPayersMax, ...noQueue });
  const byPayer = new Map<Hex, ConcurrencyLimiter>();
  return {
    acquireLookup: (hasRows) => (hasRows ? unproven : newPayers).acquire(),
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

/** Takes a slot of each limiter; none at all if one of them is full. */
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

/** How long it is believed that a payer has too little, in milliseconds, and of how many. */
const unfundedForMs = 2_000;
const unfundedMax = 10_000;

export function createUnfundedPayers(): NonNullable<PurchaseDeps['unfundedPayers']> {
  const unfunded = new LRUCache<Hex, true>({ max: unfundedMax, ttl: unfundedForMs });
  return { has: (payer) => unfunded.has(payer), add: (payer) => unfunded.set(payer, true) };
}
