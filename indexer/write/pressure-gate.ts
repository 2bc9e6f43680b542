import {
  initialPressure,
  nextPressure,
  type Pressure,
  type PressureLimits,
  type PressureSample,
} from './backpressure.ts';

/**
 * An amount of something (bytes, requests) that its users share, first come first served. More than all of it is
 * given when all of it is free, so that one oversized wish does not wait for ever.
 */
export class WeightedSemaphore {
  #limit: number;
  #taken = 0;
  readonly #waiting: { readonly amount: number; readonly begin: () => void }[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get taken(): number {
    return this.#taken;
  }

  setLimit(limit: number): void {
    this.#limit = limit;
    this.#admit();
  }

  /** Waits for the amount; answers what gives it back (once, however often it is called). Rejects on abort. */
  take(amount: number, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(signal.reason);
        this.#admit();
      };
      const waiter = {
        amount,
        begin: () => {
          signal.removeEventListener('abort', onAbort);
          resolve(this.#givesBack(amount));
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiter);
      this.#admit();
    });
  }

  #givesBack(amount: number): () => void {
    this.#taken += amount;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#taken -= amount;
      this.#admit();
    };
  }

  #admit(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (this.#taken > 0 && this.#taken + first.amount > this.#limit) return;
      this.#waiting.shift();
      first.begin();
    }
  }
}

/** Lets requests to one cluster through, as many at once as its answers allow. Shared by all kinds. */
export class PressureGate {
  readonly #limits: PressureLimits;
  readonly #requests: WeightedSemaphore;
  #pressure: Pressure;
  #pushedBack = 0;

  constructor(limits: PressureLimits) {
    this.#limits = limits;
    this.#pressure = initialPressure(limits);
    this.#requests = new WeightedSemaphore(limits.maxRequests);
  }

  /** Requests allowed at once, now. */
  get window(): number {
    return Math.floor(this.#pressure.window);
  }

  get inFlight(): number {
    return this.#requests.taken;
  }

  /** Requests, so far, of which something has to be sent again. */
  get pushedBack(): number {
    return this.#pushedBack;
  }

  enter(signal: AbortSignal): Promise<() => void> {
    return this.#requests.take(1, signal);
  }

  learn(seen: PressureSample): void {
    if (seen.pushedBack) this.#pushedBack += 1;
    this.#pressure = nextPressure(this.#pressure, seen, this.#limits);
    this.#requests.setLimit(this.window);
  }
}
