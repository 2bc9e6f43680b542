import { setTimeout as sleep } from 'node:timers/promises';

/** Growing, jittered pauses between attempts. */
export class Pauses {
  readonly #limits: { readonly firstPauseMs: number; readonly longestPauseMs: number };
  readonly #random: () => number;
  #failures = 0;

  constructor(limits: { readonly firstPauseMs: number; readonly longestPauseMs: number }, random: () => number) {
    this.#limits = limits;
    this.#random = random;
  }

  next(): number {
    const { firstPauseMs, longestPauseMs } = this.#limits;
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(this.#failures, 20));
    this.#failures += 1;
    return Math.round(pauseMs * (1 - this.#random() / 2));
  }

  /** After a success; true where something had failed before. */
  reset(): boolean {
    const failed = this.#failures > 0;
    this.#failures = 0;
    return failed;
  }
}

/** Waits so long, or until the signal aborts. */
export async function rest(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    // Woken by the signal, which the caller looks at.
    if (!signal.aborted) throw error;
  }
}
