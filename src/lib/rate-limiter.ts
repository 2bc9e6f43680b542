import { LRUCache } from 'lru-cache';

export interface RateLimits {
  /** The number of uses that may come at once. They become available again evenly. */
  readonly max: number;
  /** Time in milliseconds until all of them are available again. */
  readonly perMs: number;
  /** Maximum number of remembered keys. The least recently used one is forgotten first. */
  readonly keysMax: number;
}

/** The decision about another use. If it is refused, `waitMs` is the time until the next one. */
export type RateDecision = { readonly ok: true } | { readonly ok: false; readonly waitMs: number };

/** Counts in this process only. */
export interface RateLimiter {
  /** Counts one, unless it is refused. */
  take(key: string): RateDecision;
  /** Takes one count back. */
  giveBack(key: string): void;
}

/**
 * A token bucket per key, stored as one number as in the generic cell rate algorithm (GCRA): the time at which the
 * bucket is full again.
 * @param elapsed milliseconds of a clock that never goes back
 */
export function createRateLimiter({ max, perMs, keysMax }: RateLimits, elapsed: () => number): RateLimiter {
  // `max` would allocate the memory of all keys now: 6 ms and 1.8 MB for 100,000 of them.
  const fullAtMs = new LRUCache<string, number>({ maxSize: keysMax, sizeCalculation: () => 1 });
  const oneMs = perMs / max;
  return {
    take(key) {
      const nowMs = elapsed();
      const nextMs = Math.max(nowMs, fullAtMs.get(key) ?? nowMs) + oneMs;
      // Rounding must not refuse a caller who waited the full time.
      const waitMs = Math.ceil(nextMs - nowMs - perMs - 0.001);
      if (waitMs > 0) return { ok: false, waitMs };
      fullAtMs.set(key, nextMs);
      return { ok: true };
    },
    giveBack(key) {
      fullAtMs.set(key, (fullAtMs.get(key) ?? elapsed()) - oneMs);
    },
  };
}
