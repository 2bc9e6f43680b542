import type { Clause } from './clauses.ts';

/** A search for the documents whose vectors are nearest to one. */
export interface NearVector {
  /** The field below `search` with the vectors of the model in use. An index without it has no hits, and no error. */
  readonly field: string;
  /** Two hexadecimal digits for each number. */
  readonly vector: string;
  /** Applied before the nearest are taken, so that a narrow filter leaves as many of them as a wide one. */
  readonly filter: readonly Clause[];
  /** Of a document with the same vector. */
  readonly points: number;
}

/** How many documents of each index are found. */
const nearestMax = 200;
/** How many are compared on the way to the nearest: with more, fewer of the nearest are missed, and it takes longer. */
const comparedMax = 250;

/**
 * The nearest documents, each with `points` times (1 + cosine) / 2. That is 0.7 to 0.95 of them for what is found at
 * all, so the difference between near and far is a quarter of the points.
 */
export function nearVector({ field, vector, filter, points }: NearVector): Clause {
  return {
    knn: {
      field: `search.${field}`,
      query_vector: vector,
      k: nearestMax,
      num_candidates: comparedMax,
      boost: points,
      ...(filter.length === 0 ? {} : { filter }),
    },
  };
}
