/**
 * A capacity (bytes, requests) that callers share, first come first served. A request for more than the capacity is
 * granted when all of it is free, so that it doesn't wait forever.
 */
export class WeightedSemaphore {
  #limit: number;
  #acquired = 0;
  readonly #waiting: { readonly amount: number; readonly begin: () => void }[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get acquired(): number {
    return this.#acquired;
  }

  setLimit(limit: number): void {
    this.#limit = limit;
    this.#admit();
  }

  /** Waits for the amount. Resolves with a function that releases it; further calls do nothing. Rejects on abort. */
  acquire(amount: number, signal: AbortSignal): Promise<() => void> {
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
          resolve(this.#releaseOf(amount));
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiter);
      this.#admit();
    });
  }

  #releaseOf(amount: number): () => void {
    this.#acquired += amount;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#acquired -= amount;
      this.#admit();
    };
  }

  #admit(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (this.#acquired > 0 && this.#acquired + first.amount > this.#limit) return;
      this.#waiting.shift();
      first.begin();
    }
  }
}
