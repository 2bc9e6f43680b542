/** Seeded choices, which are the same for the same seed. */
export interface Draw {
  /** A whole number from 0, below the limit. */
  below(limit: number): number;
  /** Returns true once in `times`. */
  once(times: number): boolean;
  one<Item>(items: readonly [Item, ...Item[]]): Item;
}

export function drawFrom(seed: number): Draw {
  let state = Math.imul(seed, 0x9e_37_79_b1) >>> 0;
  const below = (limit: number): number => {
    // Mulberry32.
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  return {
    below,
    once: (times) => below(times) === 0,
    one: (items) => items[below(items.length)] ?? items[0],
  };
}
