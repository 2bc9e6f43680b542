import type { Vocabulary } from '../vocabulary/vocabulary.ts';

/**
 * What a text means in the data's own terms: the concepts of the vocabulary and the tags whose phrases are nearest to
 * it. Vectors of texts by themselves find what is worded alike; the terms find what is filed under the same.
 */

/** A phrase, and the term that it stands for. */
export interface TermPhrase {
  readonly kind: 'concept' | 'tag';
  /** The concept's token, or the tag as the data spells it. */
  readonly term: string;
  readonly phrase: string;
}

export interface NearTerm {
  readonly term: string;
  /** From 0.4, for the last one that counts, to 1.5. */
  readonly weight: number;
}

export interface NearTerms {
  readonly concepts: readonly NearTerm[];
  readonly tags: readonly NearTerm[];
}

/** Phrases with their vectors, unit vectors all. */
export interface TermVectors {
  readonly phrases: readonly TermPhrase[];
  readonly dimension: number;
  /** One after the other. */
  readonly numbers: Float32Array;
}

export const noTermVectors: TermVectors = { phrases: [], dimension: 0, numbers: new Float32Array() };

/** More of them blur what is meant (measured). */
const conceptsMax = 3;
const tagsMax = 5;

/** @param hex a text's vector, as `QueryVectors` gives it */
export function nearestTerms({ phrases, dimension, numbers }: TermVectors, hex: string): NearTerms {
  const vector = new Int8Array(Buffer.from(hex, 'hex'));
  const length = Math.hypot(...vector);
  const best = { concept: new Map<string, number>(), tag: new Map<string, number>() };
  for (const [at, { kind, term }] of phrases.entries()) {
    let product = 0;
    for (let place = 0; place < dimension; place += 1)
      product += (vector[place] ?? 0) * (numbers[at * dimension + place] ?? 0);
    const cosine = product / length;
    const known = best[kind].get(term);
    if (known === undefined || cosine > known) best[kind].set(term, cosine);
  }
  return { concepts: weighted(best.concept, conceptsMax), tags: weighted(best.tag, tagsMax) };
}

/** So much nearer, in cosines, makes a weight of one. */
const step = 0.05;
const lastWeight = 0.4;
const weightMax = 1.5;

/** How near a term is tells little by itself: texts differ. How much nearer than the next ones tells more. */
function weighted(cosines: ReadonlyMap<string, number>, max: number): NearTerm[] {
  const nearest = [...cosines].sort(([, a], [, b]) => b - a).slice(0, max);
  const [, last = 0] = nearest.at(-1) ?? [];
  return nearest.map(([term, cosine]) => ({
    term,
    weight: Math.round(Math.min((cosine - last) / step + lastWeight, weightMax) * 100) / 100,
  }));
}

/** Unit vectors of the phrases, in their order. */
export function termVectors(phrases: readonly TermPhrase[], vectors: readonly Readonly<Float32Array>[]): TermVectors {
  const dimension = vectors[0]?.length ?? 0;
  const numbers = new Float32Array(phrases.length * dimension);
  for (const [at, vector] of vectors.entries()) {
    const length = Math.hypot(...vector) || 1;
    numbers.set(
      vector.map((number) => number / length),
      at * dimension,
    );
  }
  return { phrases, dimension, numbers };
}

/** What the vocabulary and the data's tags offer to be compared with. */
export function termPhrases(vocabulary: Vocabulary, tags: readonly string[]): TermPhrase[] {
  const concepts = vocabulary.concepts.flatMap(({ token, phrases, queryPhrases, descriptions }) =>
    [...phrases, ...queryPhrases, ...descriptions].map(
      (phrase): TermPhrase => ({ kind: 'concept', term: token, phrase }),
    ),
  );
  return [
    ...concepts,
    ...tags.map((tag): TermPhrase => ({ kind: 'tag', term: tag, phrase: tag.replace(/[-_]/g, ' ') })),
  ];
}
