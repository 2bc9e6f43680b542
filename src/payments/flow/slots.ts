import { LRUCache } from 'lru-cache';
import { createLimiter } from '../../lib/concurrency/limiter.ts';
import type { Hex } from '../protocol/networks.ts';
import type { PaymentSlots, PurchaseDeps } from './purchase-types.ts';

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
  const byPayer = new Map<Hex, number>();
  let underWay = 0;
  return {
    acquireLookup: (hasRows) => (hasRows ? unproven : newPayers).acquire(),
    acquirePayment(payer, paidBefore) {
      const own = byPayer.get(payer) ?? 0;
      if (own >= payerMax) return { release: null, payerMax };
      if (underWay >= (paidBefore ? max : newPayersMax)) return { release: null, payerMax: null };
      underWay += 1;
      byPayer.set(payer, own + 1);
      const release = (): void => {
        underWay -= 1;
        const left = (byPayer.get(payer) ?? 1) - 1;
        if (left === 0) byPayer.delete(payer);
        else byPayer.set(payer, left);
      };
      return { release };
    },
  };
}

/** How long it is believed that a payer has too little, in milliseconds, and of how many. */
const unfundedForMs = 2_000;
const unfundedMax = 10_000;

export function createUnfundedPayers(): NonNullable<PurchaseDeps['unfundedPayers']> {
  const unfunded = new LRUCache<Hex, true>({ max: unfundedMax, ttl: unfundedForMs });
  return { has: (payer) => unfunded.has(payer), add: (payer) => unfunded.set(payer, true) };
}
