/** Hears what rings since it last listened. */
export interface Ears {
  /** Resolves at the next ring, at once where it rang since the last call, or after so much time. */
  listen(timeoutMs: number): Promise<void>;
}

/** Wakes everybody who waits for changes. */
export class Bell {
  readonly #waiting = new Set<() => void>();
  #rings = 0;
  #closed = false;

  get closed(): boolean {
    return this.#closed;
  }

  ring(): void {
    this.#rings += 1;
    this.#wake();
  }

  /** Wakes all who wait and lets nobody wait any more. */
  close(): void {
    this.#closed = true;
    for (const wake of [...this.#waiting]) wake();
  }

  ears(): Ears {
    let heard = this.#rings;
    const listeners = this.#listeners;
    return {
      listen: async (timeoutMs) => {
        if (heard === this.#rings) await this.#wait(timeoutMs, listeners);
        heard = this.#rings;
      },
    };
  }

  /** Waits whatever rings; only closing ends it early. */
  pause(ms: number): Promise<void> {
    return this.#wait(ms, undefined);
  }

  readonly #listeners = new Set<() => void>();

  #wake(): void {
    for (const wake of [...this.#listeners]) wake();
  }

  #wait(ms: number, listeners: Set<() => void> | undefined): Promise<void> {
    if (this.#closed || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        listeners?.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#waiting.add(wake);
      listeners?.add(wake);
    });
  }
}
