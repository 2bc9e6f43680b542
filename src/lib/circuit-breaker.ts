/** A clock with monotonic milliseconds. */
interface ElapsedClock {
  elapsed(): number;
}

export interface CircuitBreakerLimits {
  /** Number of consecutive failures that open it. */
  readonly failuresMax: number;
  /** Time without attempts after it opens. */
  readonly pauseMs: number;
}

/**
 * Stops calling a failing system, so that callers don't wait for it.
 *
 *     closed ── failuresMax failures in a row ──▶ open ── pauseMs ──▶ one attempt: success ──▶ closed
 *                                                  ▲                            │
 *                                                  └────────── failure ─────────┘
 */
export class CircuitBreaker {
  readonly #limits: CircuitBreakerLimits;
  readonly #clock: ElapsedClock;
  #failures = 0;
  /** Null while it is closed. */
  #open: { readonly untilMs: number; readonly probing: boolean } | null = null;

  constructor(limits: CircuitBreakerLimits, clock: ElapsedClock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get isOpen(): boolean {
    return this.#open !== null;
  }

  /** Returns true if an attempt may start now. The caller must then report its outcome by one of the methods below. */
  allows(): boolean {
    if (this.#open === null) return true;
    if (this.#open.probing || this.#clock.elapsed() < this.#open.untilMs) return false;
    this.#open = { ...this.#open, probing: true };
    return true;
  }

  /** Returns true if it was open. */
  succeeded(): boolean {
    const wasOpen = this.isOpen;
    this.#failures = 0;
    this.#open = null;
    return wasOpen;
  }

  /** Returns true if this opens it. */
  failed(): boolean {
    this.#failures += 1;
    // An attempt that began before it was opened does not count.
    if (this.#open !== null && !this.#open.probing) return false;
    if (this.#open === null && this.#failures < this.#limits.failuresMax) return false;
    const opens = this.#open === null;
    this.#open = { untilMs: this.#clock.elapsed() + this.#limits.pauseMs, probing: false };
    return opens;
  }

  /** Allows another attempt after one without an outcome. */
  abandoned(): void {
    if (this.#open !== null) this.#open = { ...this.#open, probing: false };
  }
}
