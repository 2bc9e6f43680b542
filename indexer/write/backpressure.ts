import { WeightedSemaphore } from '../../src/lib/concurrency/weighted-semaphore.ts';

// Limits the requests in flight: a little more after each answer, half as many when the cluster pushes back (additive
// increase, multiplicative decrease).

export interface BackpressureLimits {
  readonly maxRequests: number;
  /** One burst of refusals is one message: at most one decrease in this time. */
  readonly decreaseEveryMs: number;
}

export interface Pressure {
  /** Requests allowed at once; only the whole part counts. Between 1 and the limit. */
  readonly window: number;
  readonly decreasedAtMs: number;
}

/** The result of one request. */
export interface PressureSample {
  readonly atMs: number;
  /** 429 for the request or for one of its items, or no answer at all. */
  readonly pushedBack: boolean;
}

export function nextPressure(
  { window, decreasedAtMs }: Pressure,
  { atMs, pushedBack }: PressureSample,
  { maxRequests, decreaseEveryMs }: BackpressureLimits,
): Pressure {
  if (!pushedBack) return { window: Math.min(maxRequests, window + 1 / window), decreasedAtMs };
  if (atMs - decreasedAtMs < decreaseEveryMs) return { window, decreasedAtMs };
  return { window: Math.max(1, window / 2), decreasedAtMs: atMs };
}

/** The queue of one index's requests. */
export interface RequestTurns {
  /** Returns a function that releases the turn. Rejects on abort. */
  acquire(signal: AbortSignal): Promise<() => void>;
  record(seen: PressureSample): void;
}

/** Limits the requests to one cluster in flight, according to its answers. Shared by all kinds. */
export class RequestLimiter implements RequestTurns {
  readonly #requests: WeightedSemaphore;
  readonly #limits: BackpressureLimits;
  #pressure: Pressure;
  #pushedBack = 0;

  constructor(limits: BackpressureLimits) {
    this.#limits = limits;
    this.#pressure = { window: limits.maxRequests, decreasedAtMs: Number.NEGATIVE_INFINITY };
    this.#requests = new WeightedSemaphore(limits.maxRequests);
  }

  get window(): number {
    return Math.floor(this.#pressure.window);
  }

  get inFlight(): number {
    return this.#requests.acquired;
  }

  /** Requests, so far, with items that must be sent again. */
  get pushedBack(): number {
    return this.#pushedBack;
  }

  acquire(signal: AbortSignal): Promise<() => void> {
    return this.#requests.acquire(1, signal);
  }

  /**
   * Returns the queue of one index among several: only the first of its requests waits in the common queue, the others
   * behind it. So the few requests of a quiet index do not wait until a busy one has sent all of its own.
   */
  share(): RequestTurns {
    const own = new WeightedSemaphore(1);
    return {
      acquire: async (signal) => {
        const leave = await own.acquire(1, signal);
        try {
          return await this.acquire(signal);
        } finally {
          leave();
        }
      },
      record: (seen) => this.record(seen),
    };
  }

  record(seen: PressureSample): void {
    if (seen.pushedBack) this.#pushedBack += 1;
    this.#pressure = nextPressure(this.#pressure, seen, this.#limits);
    this.#requests.setLimit(this.window);
  }
}
