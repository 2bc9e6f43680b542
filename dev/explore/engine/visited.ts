/**
 * The states that were explored, with the budget that was left there. A key keeps 53 bits of the 64-bit hash: among five
 * million states, a collision has a probability of 1 in 700.
 */
export class Visited {
  readonly #budgets = new Map<number, number>();
  readonly #max: number;
  #full = false;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#budgets.size;
  }

  /** True if states are no longer added. Exploring stays complete; it is pruned less. */
  get full(): boolean {
    return this.#full;
  }

  enter(lo: number, hi: number, budget: number): boolean {
    const key = (hi & 0x1fffff) * 0x1_0000_0000 + (lo >>> 0);
    const seen = this.#budgets.get(key);
    if (seen !== undefined && seen >= budget) return false;
    if (seen === undefined && this.#budgets.size >= this.#max) {
      this.#full = true;
      return true;
    }
    this.#budgets.set(key, budget);
    return true;
  }
}
