import { vectorHex } from '../../lib/vector-bytes.ts';

/**
 * The meaning of a text: the concepts whose phrases are nearest to it. Vectors of whole texts find similar wordings;
 * concepts find entities filed under the same one.
 */

export interface TermPhrase {
  /** The concept's token. */
  readonly term: string;
  readonly phrase: string;
}

export interface NearTerm {
  readonly term: string;
  /** From 0.4, for the last one that counts, to 1.5. */
  readonly weight: number;
}

export interface TextMeaning {
  readonly concepts: readonly NearTerm[];
  /** The text's vector in hexadecimal digits, without a share of the part that is common to typical search texts. */
  readonly vector: string;
  /** The cosine of that vector above which a document is near in meaning. */
  readonly similarityMin: number;
}

type Numbers = Float32Array | Int8Array;

interface TermVector extends Pick<TermPhrase, 'term'> {
  /** Vectors, with their length, and that of the vector of length 1 without the part common to all. */
  readonly phrases: readonly { readonly vector: Numbers; readonly length: number; readonly ownLength: number }[];
  /** The mean of its phrases' vectors, each of length 1 and without the part common to all. */
  readonly mean: Float32Array;
}

/** Terms with the vectors of their phrases, in memory. */
export interface TermVectors {
  readonly terms: readonly TermVector[];
  /** The mean vector of typical search texts, which is their common part. */
  readonly ofQueries: Float32Array;
  /** The mean of all phrases' vectors, which is their common part. */
  readonly ofPhrases: Float32Array;
  /** The largest cosine of a phrase and a text of another field. It depends on the model; null if it is unknown. */
  readonly offTopicCosine: number | null;
  /** The same for texts without the share of their common part. */
  readonly offTopicDistinct: number;
}

const nothing = new Float32Array();
export const noTermVectors: TermVectors = {
  terms: [],
  ofQueries: nothing,
  ofPhrases: nothing,
  offTopicCosine: null,
  offTopicDistinct: 1,
};

/** Memory of all phrases' vectors in bytes: 32 MiB. 6,608 phrases have 2.5 million numbers with a model of 384. */
const numbersMax = 33_554_432;

export function phrasesMax(dimension: number): number {
  return Math.floor(numbersMax / Math.max(1, dimension));
}

/** Number of concepts that a text can mean. More would blur the meaning, and each costs time. */
const conceptsMax = 3;
/** Number of concepts with the nearest mean vectors. Only their phrases are compared one by one. */
const comparedConcepts = 48;

/** Documents are longer than phrases, so their cosines are smaller: by this much for texts of another field. */
const documentMargin = 0.1;

/** Additional nearness of a text with few words of the field. Most everyday sentences with them are below it. */
const foreignMargin = 0.085;

/**
 * Returns the nearest concepts, each by its nearest phrase and all of its phrases together, which correct a phrase that
 * is near by chance. Returns null if a text of another field could be as near to the terms, or if that is unknown.
 * @param isForeign true if few of its words belong to the field
 */
export function nearestTerms({ terms, ...all }: TermVectors, hex: string, isForeign = false): TextMeaning | null {
  const { offTopicCosine, offTopicDistinct, ofPhrases, ofQueries } = all;
  if (offTopicCosine === null) return null;
  const whole = unit(new Int8Array(Buffer.from(hex, 'hex')));
  const query = unit(difference(whole, ofQueries));
  const common = product(ofPhrases, query);
  const near = terms.map((term) => ({ ...term, nearness: product(term.mean, query) }));
  const compared = nearest(near, comparedConcepts).map((one) => {
    const cosines = one.phrases.map(({ vector, length, ownLength }) =>
      ownLength === 0 ? 0 : (product(vector, query) / length - common) / ownLength,
    );
    return { ...one, nearness: one.nearness + Math.max(-1, ...cosines) };
  });
  const cosines = compared.flatMap(({ phrases }) =>
    phrases.map(({ vector, length }) => product(vector, whole) / length),
  );
  if (Math.max(-1, ...cosines) <= offTopicCosine + (isForeign ? foreignMargin : 0)) return null;
  const best = nearest(compared, conceptsMax);
  const weightOf = (nearness: number): number => {
    const lead = nearness - (best.at(-1)?.nearness ?? 0);
    return Math.round(Math.min(lead / nearnessPerWeight + lastWeight, weightMax) * 100) / 100;
  };
  return {
    concepts: best.map(({ term, nearness }) => ({ term, weight: weightOf(nearness) })),
    vector: vectorHex(difference(whole, ofQueries, commonShare)),
    similarityMin: Math.max(-1, offTopicDistinct - documentMargin),
  };
}

/** The share of the common part that is subtracted from a vector before it is compared with those of documents. */
const commonShare = 0.5;

/**
 * Returns the vector by which others like an entity are found, without a share of the part that all texts of the field
 * have in common, because that makes general ones near to everything.
 */
export function distinctVector(hex: string, { ofPhrases }: Pick<TermVectors, 'ofPhrases'>): string {
  const whole = unit(new Int8Array(Buffer.from(hex, 'hex')));
  return vectorHex(difference(whole, ofPhrases, commonShare));
}

function nearest<T extends { readonly nearness: number }>(all: readonly T[], most: number): readonly T[] {
  return all.toSorted((one, other) => other.nearness - one.nearness).slice(0, most);
}

/**
 * A weight grows by 1 for each such lead in nearness over the last kept term. Nearness alone means little, because
 * texts differ.
 */
const nearnessPerWeight = 0.15;
const lastWeight = 0.4;
const weightMax = 1.5;

/** Returns the product of two vectors. If both have length 1, it is the cosine of their angle. */
function product(one: Numbers, other: Numbers): number {
  let sum = 0;
  for (let place = 0; place < one.length; place += 1) sum += (one[place] ?? 0) * (other[place] ?? 0);
  return sum;
}

/**
 * @param queries typical search texts, whose common part is subtracted; if empty, nothing is
 * @param offTopic texts from other fields; if empty, no text has a meaning
 */
export function termVectors(
  phrases: readonly TermPhrase[],
  vectors: readonly Numbers[],
  queries: readonly Numbers[],
  offTopic: readonly Numbers[] = [],
): TermVectors {
  const dimension = vectors[0]?.length ?? 0;
  const kept = vectors.slice(0, phrasesMax(dimension)).flatMap((vector, at) => {
    const phrase = phrases[at];
    return phrase === undefined ? [] : [{ ...phrase, vector }];
  });
  const ofPhrases = meanOf(dimension, kept, ({ vector }) => unit(vector));
  const terms = [...Map.groupBy(kept, ({ term }) => term)].map(([term, own]): TermVector => {
    const parts = own.map(({ vector }) => ({ vector, part: difference(unit(vector), ofPhrases) }));
    const measured = parts.map(({ vector, part }) => {
      return { vector, length: lengthOf(vector) || 1, ownLength: lengthOf(part) };
    });
    return { term, phrases: measured, mean: meanOf(dimension, parts, ({ part }) => unit(part)) };
  });
  const ofQueries = meanOf(dimension, queries, unit);
  const [cosine, distinct] = offTopicCosines(terms, offTopic.map(unit), ofQueries);
  return {
    terms,
    ofQueries,
    ofPhrases,
    offTopicCosine: kept.length === 0 || offTopic.length === 0 ? null : cosine,
    offTopicDistinct: distinct,
  };
}

/** Returns the largest cosine of a phrase and a text: of whole texts, and of texts without the share of their common part. */
function offTopicCosines(terms: readonly TermVector[], texts: readonly Float32Array[], ofQueries: Float32Array) {
  const lengths = texts.map((text) => lengthOf(difference(text, ofQueries, commonShare)) || 1);
  let [cosine, distinct] = [-1, -1];
  for (const { vector, length } of terms.flatMap(({ phrases }) => phrases)) {
    const common = commonShare * product(vector, ofQueries);
    for (const [at, text] of texts.entries()) {
      const whole = product(vector, text);
      cosine = Math.max(cosine, whole / length);
      distinct = Math.max(distinct, (whole - common) / (length * (lengths[at] ?? 1)));
    }
  }
  return [cosine, distinct] as const;
}

// Uses plain loops: calls and iterators per number take a second for some thousand phrases of a large model.

function lengthOf(vector: Numbers): number {
  return Math.sqrt(product(vector, vector));
}

function unit(vector: Numbers): Float32Array {
  const length = lengthOf(vector) || 1;
  const made = new Float32Array(vector.length);
  for (let place = 0; place < made.length; place += 1) made[place] = (vector[place] ?? 0) / length;
  return made;
}

function difference(vector: Float32Array, common: Float32Array, share = 1): Float32Array {
  const rest = new Float32Array(vector.length);
  for (let place = 0; place < rest.length; place += 1)
    rest[place] = (vector[place] ?? 0) - share * (common[place] ?? 0);
  return rest;
}

function meanOf<T>(dimension: number, all: readonly T[], vectorOf: (one: T) => Float32Array): Float32Array {
  const mean = new Float32Array(all.length === 0 ? 0 : dimension);
  for (const one of all) {
    const vector = vectorOf(one);
    for (let place = 0; place < mean.length; place += 1)
      mean[place] = (mean[place] ?? 0) + (vector[place] ?? 0) / all.length;
  }
  return mean;
}
