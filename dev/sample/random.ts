// Seeded random numbers for the sample. They use 32-bit integer arithmetic and one exact division, so a key gives the
// same numbers on every machine.

/** A stream of numbers that depends only on its key. */
export interface Random {
  readonly next: () => number;
  /** Returns a whole number from `low` to `high`, both included. */
  readonly int: (low: number, high: number) => number;
  /** Returns true with the given probability (0..1). */
  readonly chance: (probability: number) => boolean;
  /** Returns an element of a list. Throws a RangeError if the list is empty. */
  readonly pick: <T>(list: readonly T[]) => T;
  /** Returns up to `count` different elements, in the order of the draws. */
  readonly some: <T>(list: readonly T[], count: number) => T[];
}

const FNV_PRIME = 0x01000193;
// The first basis is FNV-1a's own; the second makes a hash that collides elsewhere, so a key has 64 bits.
const BASES = [0x811c9dc5, 0x5bd1e995] as const;

/** FNV-1a over UTF-16 units. Source: Fowler, Noll and Vo, "The FNV Non-Cryptographic Hash Algorithm". */
function fnv1a(text: string, basis: number): number {
  let hash = basis;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return hash;
}

/** The generator sfc32. Source: Chris Doty-Humphrey, PractRand (public domain). */
function sfc32(seedA: number, seedB: number): () => number {
  let a = seedA | 0;
  let b = seedB | 0;
  let c = (seedA ^ seedB) | 0;
  let counter = 1;
  const step = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  // PractRand discards the first dozen outputs, so that similar seeds don't give similar streams.
  for (let round = 0; round < 12; round += 1) step();
  return () => step() / 4294967296;
}

/** Returns a stream for a key such as `7|companies|12`. */
export function random(key: string): Random {
  const next = sfc32(fnv1a(key, BASES[0]), fnv1a(key, BASES[1]));
  const int = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  const pick = <T>(list: readonly T[]): T => {
    const found = list[int(0, list.length - 1)];
    if (found === undefined) throw new RangeError('cannot pick from an empty list');
    return found;
  };
  return {
    next,
    int,
    pick,
    chance: (probability) => next() < probability,
    some: <T>(list: readonly T[], count: number): T[] => {
      const rest = [...list];
      const taken: T[] = [];
      while (taken.length < count && rest.length > 0) taken.push(...rest.splice(int(0, rest.length - 1), 1));
      return taken;
    },
  };
}
