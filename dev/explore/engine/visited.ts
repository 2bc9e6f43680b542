/**
 * The states that were explored, with the budget that was left there: open addressing in shared memory, 8 bytes a slot,
 * so that all workers prune with what any of them has seen. The table keeps 58 bits of the 64-bit hash: among five
 * million states, a collision has a probability of 1 in 20,000.
 *
 * Slot: word 0 is the hash's lower half (0 = free), word 1 the upper 26 bits and 6 bits of budget + 1 (0 = being
 * written by the worker that has just claimed word 0).
 */
export class Visited {
  /** Words 0 and 1: number of states, 1 once full. Then the slots. */
  readonly #words: Int32Array;
  readonly #mask: number;
  readonly #max: number;

  /** @param buffer of `Visited.allocate`, shared between the workers */
  constructor(buffer: SharedArrayBuffer) {
    this.#words = new Int32Array(buffer);
    const slots = (this.#words.length - HEAD) / 2;
    this.#mask = slots - 1;
    this.#max = Math.floor(slots * LOAD_MAX);
  }

  /** Capacity for this many states: 8 bytes a slot; the slots are a power of two, and at most 3 in 4 are used. */
  static allocate(states: number): SharedArrayBuffer {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(states, 64) / LOAD_MAX));
    return new SharedArrayBuffer((HEAD + 2 * slots) * Int32Array.BYTES_PER_ELEMENT);
  }

  get size(): number {
    return Atomics.load(this.#words, 0);
  }

  /** No state is added any more. Exploring goes on and stays complete; it is pruned less. */
  get full(): boolean {
    return Atomics.load(this.#words, 1) === 1;
  }

  /** Only while no worker searches. */
  clear(): void {
    this.#words.fill(0);
  }

  /**
   * Returns true if the state must be explored: it is new, or was seen with less budget left. Marks it as explored with
   * this budget. `budget` is a whole number from 0 to BUDGET_MAX, or Infinity.
   */
  enter(lo: number, hi: number, budget: number): boolean {
    const left = Math.min(budget, BUDGET_MAX + 1) + 1;
    const key = lo === 0 ? 1 : lo;
    const upper = (hi & ~63) | left;
    for (let slot = (hi ^ Math.imul(lo, 0x9e3779b1)) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = HEAD + 2 * slot;
      let found = Atomics.load(this.#words, at);
      if (found === 0) {
        if (Atomics.load(this.#words, 0) >= this.#max) {
          Atomics.store(this.#words, 1, 1);
          return true;
        }
        found = Atomics.compareExchange(this.#words, at, 0, key);
        if (found === 0) {
          Atomics.store(this.#words, at + 1, upper);
          Atomics.add(this.#words, 0, 1);
          return true;
        }
      }
      if (found !== key) continue;
      const seen = this.#written(at + 1);
      if ((seen & ~63) === (hi & ~63)) return this.#raise(at + 1, seen, upper);
    }
  }

  #written(at: number): number {
    for (;;) {
      const word = Atomics.load(this.#words, at);
      if ((word & 63) !== 0) return word;
    }
  }

  #raise(at: number, seen: number, upper: number): boolean {
    for (let now = seen; (now & 63) < (upper & 63); ) {
      const found = Atomics.compareExchange(this.#words, at, now, upper);
      if (found === now) return true;
      now = found;
    }
    return false;
  }
}

const HEAD = 2;
const LOAD_MAX = 0.75;

/** The largest finite budget; 6 bits hold 0 (being written), 1..62 (budget 0..61) and 63 (no bound). */
export const BUDGET_MAX = 61;
