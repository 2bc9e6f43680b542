import type { Clause } from './clauses.ts';

/** Documents whose vectors are nearest to one. */
export interface NearVector {
  /** Of `search`: that of the model in use. An index without it has no hits, and no error. */
  readonly field: string;
  /** Two hexadecimal digits for each number. */
  readonly vector: string;
  /** Which documents are looked at; so many of these are found, however few of all they are. */
  readonly filter: readonly Clause[];
  /** For an equal vector. */
  readonly points: number;
}

/** So many of each index are found. */
const nearest = 200;
/** So many are looked at on the way, of which the nearest are taken: more finds better ones, and costs time. */
const candidates = 250;

/**
 * The nearest documents, each with `points` times (1 + cosine) / 2. That is 0.7 to 0.95 of them for what is found at
 * all, so the difference between near and far is a quarter of the points.
 */
export function nearVector({ field, vector, filter, points }: NearVector): Clause {
  return {
    knn: {
      field: `search.${field}`,
      query_vector: vector,
      k: nearest,
      num_candidates: candidates,
      boost: points,
      ...(filter.length === 0 ? {} : { filter }),
    },
  };
}
