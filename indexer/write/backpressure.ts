import { WeightedSemaphore } from '../../src/lib/concurrency/weighted-semaphore.ts';

// Limits the requests in flight: a little more after each calm answer, clearly fewer when the cluster pushes back
// (additive increase, multiplicative decrease).

export interface BackpressureLimits {
  readonly maxRequests: number;
  /** An answer is slow beyond this many times the calm latency … */
  readonly slowFactor: number;
  /** … and beyond this, so that small differences between quick answers don't count. */
  readonly slowFloorMs: number;
  /** One burst of refusals is one message: at most one decrease in this time. */
  readonly decreaseEveryMs: number;
}

export interface Pressure {
  /** Requests allowed at once; only the whole part counts. Between 1 and the limit. */
  readonly window: number;
  /** The duration of a request when the cluster is idle; undefined before the first. */
  readonly calmMs: number | undefined;
  readonly decreasedAtMs: number;
}

/** The result of one request. */
export interface PressureSample {
  readonly atMs: number;
  readonly latencyMs: number;
  /** 429 for the request or for one of its items, or no answer at all. */
  readonly pushedBack: boolean;
}

export function initialPressure(limits: BackpressureLimits): Pressure {
  return { window: limits.maxRequests, calmMs: undefined, decreasedAtMs: Number.NEGATIVE_INFINITY };
}

export function nextPressure(pressure: Pressure, seen: PressureSample, limits: BackpressureLimits): Pressure {
  if (seen.pushedBack) return decreased(pressure, seen.atMs, 1 / 2, limits);
  // The floor rises slowly, so that one lucky answer does not make all later ones look slow.
  const calmMs = pressure.calmMs === undefined ? seen.latencyMs : Math.min(seen.latencyMs, pressure.calmMs * 1.01);
  const slow = seen.latencyMs > Math.max(limits.slowFloorMs, limits.slowFactor * calmMs);
  if (slow) return decreased({ ...pressure, calmMs }, seen.atMs, 3 / 4, limits);
  return { ...pressure, calmMs, window: Math.min(limits.maxRequests, pressure.window + 1 / pressure.window) };
}

function decreased(pressure: Pressure, atMs: number, factor: number, limits: BackpressureLimits): Pressure {
  if (atMs - pressure.decreasedAtMs < limits.decreaseEveryMs) return pressure;
  return { ...pressure, window: Math.max(1, pressure.window * factor), decreasedAtMs: atMs };
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
    this.#pressure = initialPressure(limits);
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
