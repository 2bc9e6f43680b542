import { LRUCache } from 'lru-cache';

/** How often one key may do something. */
export interface RateLimits {
  /** So many at once; then they come back evenly. */
  readonly max: number;
  /** In which all of them have come back, in milliseconds. */
  readonly perMs: number;
  /** Keys that are remembered; the one that was used least recently is forgotten, and begins anew. */
  readonly keysMax: number;
}

/** Whether one more is allowed now, and if not, in how many milliseconds the next one is. */
export type RateDecision = { readonly ok: true } | { readonly ok: false; readonly waitMs: number };

/** Counts in this process only. */
export interface RateLimiter {
  /** Counts one, unless it is refused. */
  take(key: string): RateDecision;
}

/**
 * A token bucket for each key, kept as the one number of the generic cell rate algorithm: the moment at which the
 * bucket is full again.
 * @param elapsed milliseconds of a clock that never goes back
 */
export function createRateLimiter({ max, perMs, keysMax }: RateLimits, elapsed: () => number): RateLimiter {
  const fullAtMs = new LRUCache<string, number>({ max: keysMax });
  const oneMs = perMs / max;
  return {
    take(key) {
      const nowMs = elapsed();
      const nextMs = Math.max(nowMs, fullAtMs.get(key) ?? nowMs) + oneMs;
      // Fractions of a millisecond are lost in sums; whoever waited as long as he was told is let through.
      const waitMs = Math.ceil(nextMs - nowMs - perMs - 0.001);
      if (waitMs > 0) return { ok: false, waitMs };
      fullAtMs.set(key, nextMs);
      return { ok: true };
    },
  };
}
