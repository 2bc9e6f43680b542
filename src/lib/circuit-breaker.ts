/** A clock with monotonic milliseconds. */
interface ElapsedClock {
  elapsed(): number;
}

interface CircuitBreakerLimits {
  /** Number of consecutive failures that open it. */
  readonly failuresMax: number;
  /** Time between two attempts while it is open. */
  readonly pauseMs: number;
}

/** Stops calling a failing system: after failures in a row, it allows one attempt in each pause. */
export class CircuitBreaker {
  readonly #limits: CircuitBreakerLimits;
  readonly #clock: ElapsedClock;
  #failures = 0;
  #nextAttemptMs = 0;

  constructor(limits: CircuitBreakerLimits, clock: ElapsedClock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get isOpen(): boolean {
    return this.#failures >= this.#limits.failuresMax;
  }

  /** Returns true if an attempt may start now. */
  allows(): boolean {
    if (!this.isOpen) return true;
    const nowMs = this.#clock.elapsed();
    if (nowMs < this.#nextAttemptMs) return false;
    this.#nextAttemptMs = nowMs + this.#limits.pauseMs;
    return true;
  }

  /** Returns true if it was open. */
  succeeded(): boolean {
    const wasOpen = this.isOpen;
    this.#failures = 0;
    return wasOpen;
  }

  /** Returns true if this opens it. */
  failed(): boolean {
    this.#failures += 1;
    if (this.#failures !== this.#limits.failuresMax) return false;
    this.#nextAttemptMs = this.#clock.elapsed() + this.#limits.pauseMs;
    return true;
  }
}
