export interface BackoffLimits {
  /** The first pause after a failure; it doubles up to the longest. Each is shortened at random by up to a half. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

/** Exponential backoff with jitter. */
export class Backoff {
  readonly #limits: BackoffLimits;
  readonly #random: () => number;
  #failures = 0;

  /** @param random from 0 up to 1 */
  constructor(limits: BackoffLimits, random: () => number) {
    this.#limits = limits;
    this.#random = random;
  }

  /** Returns the pause after another failure. */
  next(): number {
    const { firstPauseMs, longestPauseMs } = this.#limits;
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(this.#failures, 20));
    this.#failures += 1;
    return Math.round(pauseMs * (1 - this.#random() / 2));
  }

  /** Resets the pauses after a success. Returns true if there were failures before. */
  reset(): boolean {
    const failed = this.#failures > 0;
    this.#failures = 0;
    return failed;
  }
}
