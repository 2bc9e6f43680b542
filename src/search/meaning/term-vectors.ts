import type { Vocabulary } from '../vocabulary/vocabulary.ts';

/**
 * What a text means in the data's own terms: the concepts of the vocabulary and the tags whose phrases are nearest to
 * it. Vectors of whole texts find what is worded alike; terms find what is filed under the same.
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

/** Phrases with their vectors, in memory: some thousands, so that each text is compared with all of them. */
export interface TermVectors {
  readonly phrases: readonly TermPhrase[];
  readonly dimension: number;
  /** Vectors of length 1, one after the other, each without what all phrases have in common. */
  readonly numbers: Float32Array;
  /** The mean of the vectors of texts that people search for: what they have in common. */
  readonly ofQueries: Float32Array;
}

export const noTermVectors: TermVectors = {
  phrases: [],
  dimension: 0,
  numbers: new Float32Array(),
  ofQueries: new Float32Array(),
};

/** How many terms of each kind a text is taken to mean: more of them blur it (measured). */
const conceptsMax = 3;
const tagsMax = 5;

interface Cosines {
  readonly max: number;
  readonly sum: number;
  readonly count: number;
}

/**
 * A concept is as near as its nearest phrase and all of its phrases are: where one phrase of many is near by chance, the
 * others tell. A tag has but one.
 * @param hex a text's vector, as `QueryVectors` gives it
 */
export function nearestTerms({ phrases, dimension, numbers, ofQueries }: TermVectors, hex: string): NearTerms {
  const vector = without(unit(Float32Array.from(new Int8Array(Buffer.from(hex, 'hex')))), ofQueries);
  const found = { concept: new Map<string, Cosines>(), tag: new Map<string, Cosines>() };
  for (const [at, { kind, term }] of phrases.entries()) {
    let cosine = 0;
    for (let place = 0; place < dimension; place += 1)
      cosine += (vector[place] ?? 0) * (numbers[at * dimension + place] ?? 0);
    const { max, sum, count } = found[kind].get(term) ?? { max: -1, sum: 0, count: 0 };
    found[kind].set(term, { max: Math.max(max, cosine), sum: sum + cosine, count: count + 1 });
  }
  return { concepts: weighted(found.concept, conceptsMax), tags: weighted(found.tag, tagsMax) };
}

/** The difference in nearness that adds 1 to a weight. */
const nearnessPerWeight = 0.15;
const lastWeight = 0.4;
const weightMax = 1.5;

/** How near a term is tells little by itself, as texts differ. How much nearer it is than the last one kept tells more. */
function weighted(found: ReadonlyMap<string, Cosines>, most: number): NearTerm[] {
  const nearest = [...found]
    .map(([term, { max, sum, count }]) => ({ term, nearness: max + sum / count }))
    .sort((a, b) => b.nearness - a.nearness)
    .slice(0, most);
  const last = nearest.at(-1)?.nearness ?? 0;
  return nearest.map(({ term, nearness }) => ({
    term,
    weight: Math.round(Math.min((nearness - last) / nearnessPerWeight + lastWeight, weightMax) * 100) / 100,
  }));
}

/**
 * @param vectors of the phrases, in their order
 * @param queries vectors of texts as they are searched for, to tell what they have in common; none: nothing is left out
 */
export function termVectors(
  phrases: readonly TermPhrase[],
  vectors: readonly Float32Array[],
  queries: readonly Float32Array[],
): TermVectors {
  const units = vectors.map(unit);
  const common = meanOf(units);
  const dimension = common.length;
  const numbers = new Float32Array(phrases.length * dimension);
  for (const [at, vector] of units.entries()) numbers.set(without(vector, common), at * dimension);
  return { phrases, dimension, numbers, ofQueries: meanOf(queries.map(unit)) };
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return vector.map((number) => number / length);
}

function without(vector: Float32Array, common: Float32Array): Float32Array {
  return unit(vector.map((number, place) => number - (common[place] ?? 0)));
}

function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors)
    for (const [place, number] of vector.entries()) mean[place] = (mean[place] ?? 0) + number / vectors.length;
  return mean;
}

/** How many of the vocabulary's descriptions stand for what people search for. */
const sampleQueriesMax = 256;

/** Texts such as people search for, to tell what the vectors of all of them have in common. */
export function sampleQueries({ concepts }: Vocabulary): readonly string[] {
  const descriptions = concepts.flatMap((concept) => concept.descriptions);
  const every = Math.max(1, Math.floor(descriptions.length / sampleQueriesMax));
  return descriptions.filter((_, at) => at % every === 0).slice(0, sampleQueriesMax);
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
