import { LRUCache } from 'lru-cache';
import { createLimiter } from '../../lib/limiter.ts';
import type { Hex } from '../protocol/networks.ts';
import type { PaymentPlaces, PoorPayers } from './context.ts';

// How much of a process payers can take, by what is known of them: whoever has no money takes no place of those who
// have, new payers leave some to those who have paid before, and nobody takes all.

/** One in so many places is for asking the node about payers of whom nothing is known yet; the same for known ones. */
const lookShare = 4;
/** Payers who wait to be looked at, and how long, in milliseconds. */
const lookQueue = { waitingMax: 200, waitMs: 3_000, stallMs: 3_000 } as const;
/** One in so many places is kept for payers who have paid before. */
const keptShare = 3;
/** Requests of one payer at the same time, at least; those that wait for another one of his are among them. */
const payerPlacesMin = 16;

/**
 * @param max payments under way at the same time
 * @param openMax of them with a row of their own, by payer
 */
export function createPlaces(max: number, openMax: number): PaymentPlaces {
  const looksMax = Math.max(1, Math.ceil(max / lookShare));
  const unknown = createLimiter({ slotsMax: looksMax, ...lookQueue });
  const unproven = createLimiter({ slotsMax: looksMax, ...lookQueue });
  const newPayersMax = Math.max(1, max - Math.floor(max / keptShare));
  const payerMax = Math.max(payerPlacesMin, 2 * openMax);
  const taken = new Map<Hex, number>();
  let underWay = 0;
  return {
    forLook: (seen) => (seen ? unproven : unknown).acquire(),
    forPayment(payer, paidBefore) {
      const own = taken.get(payer) ?? 0;
      if (own >= payerMax) return { ok: false, payerMax };
      if (underWay >= (paidBefore ? max : newPayersMax)) return { ok: false, payerMax: null };
      underWay += 1;
      taken.set(payer, own + 1);
      const leave = (): void => {
        underWay -= 1;
        const left = (taken.get(payer) ?? 1) - 1;
        if (left === 0) taken.delete(payer);
        else taken.set(payer, left);
      };
      return { ok: true, leave };
    },
  };
}

/** How long it is believed that a payer has too little, in milliseconds, and of how many. */
const poorForMs = 2_000;
const poorMax = 10_000;

export function createPoorPayers(): PoorPayers {
  const poor = new LRUCache<Hex, true>({ max: poorMax, ttl: poorForMs });
  return { has: (payer) => poor.has(payer), add: (payer) => poor.set(payer, true) };
}
