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
  /** Texts from other fields, as vectors of length 1. */
  readonly offTopic: readonly Float32Array[];
  /** The lead (`leadOf`) above which a text is on topic. It depends on the model; null if it is unknown. */
  readonly leadMin: number | null;
  /** The cosine with a phrase that few texts from other fields exceed, without the share of their common part. */
  readonly offTopicDistinct: number;
}

const nothing = new Float32Array();
export const noTermVectors: TermVectors = {
  terms: [],
  ofQueries: nothing,
  ofPhrases: nothing,
  offTopic: [],
  leadMin: null,
  offTopicDistinct: 1,
};

/** Memory of all phrases' vectors in bytes: 32 MiB. 6,608 phrases have 2.5 million numbers with a model of 384. */
const numbersMax = 33_554_432;

export function phrasesMax(dimension: number): number {
  return Math.floor(numbersMax / Math.max(1, dimension));
}

/** Number of concepts that a text can mean. More would blur the meaning, and each costs time. */
const conceptsMax = 3;
/** Number of concepts with the nearest mean vectors. */
const comparedConcepts = 48;

/** Documents are longer than phrases, so their cosines are smaller: by this much for texts from other fields. */
const documentMargin = 0.15;

/**
 * Returns the nearest concepts, each by its nearest phrase and all of its phrases together, which correct a phrase that
 * is near by chance. Returns null if texts from other fields are about as near as the phrases, or if that is unknown.
 */
export function nearestTerms(all: TermVectors, hex: string): TextMeaning | null {
  const { offTopic, leadMin, offTopicDistinct, ofPhrases, ofQueries } = all;
  if (leadMin === null) return null;
  const whole = unit(new Int8Array(Buffer.from(hex, 'hex')));
  const query = unit(difference(whole, ofQueries));
  const near = nearestByMean(all.terms, query);
  if (leadOf(whole, near, offTopic) <= leadMin) return null;
  const common = product(ofPhrases, query);
  const compared = near.map((one) => {
    const cosines = one.phrases.map(({ vector, length, ownLength }) =>
      ownLength === 0 ? 0 : (product(vector, query) / length - common) / ownLength,
    );
    return { ...one, nearness: one.nearness + Math.max(-1, ...cosines) };
  });
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

/** Returns the terms whose phrases are nearest together. Only their phrases are worth comparing one by one. */
function nearestByMean(terms: readonly TermVector[], query: Float32Array) {
  const near = terms.map((term) => ({ ...term, nearness: product(term.mean, query) }));
  return nearest(near, comparedConcepts);
}

function cosinesOf(text: Float32Array, near: readonly TermVector[]): number[] {
  return near.flatMap(({ phrases }) => phrases.map(({ vector, length }) => product(vector, text) / length));
}

/** Numbers of the nearest phrases, and of the nearest texts from other fields, whose mean counts. */
const phrasesCompared = 5;
const offTopicCompared = 3;

/**
 * Returns how much nearer a text is to phrases than to texts from other fields apart from itself, in cosines. With the
 * local model, 2 % of 150 everyday sentences were above the minimum that follows from those texts, and 96 % of 160 needs.
 */
function leadOf(text: Float32Array, near: readonly TermVector[], offTopic: readonly Float32Array[]): number {
  const others = offTopic.flatMap((other) => (other === text ? [] : product(other, text)));
  return meanOfLargest(cosinesOf(text, near), phrasesCompared) - meanOfLargest(others, offTopicCompared);
}

function meanOfLargest(numbers: readonly number[], most: number): number {
  const largest = numbers.toSorted((one, other) => other - one).slice(0, most);
  return largest.reduce((sum, number) => sum + number, 0) / Math.max(1, largest.length);
}

/** The share of texts from other fields that a limit lets through at most. */
const offTopicShare = 0.05;

/** Returns the number that a share of the numbers exceed. */
function exceededBy(share: number, numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => other - one)[Math.floor(share * numbers.length)] ?? 1;
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
  const others = offTopic.map(unit);
  const measured = others.map((text) => {
    const near = nearestByMean(terms, unit(difference(text, ofQueries)));
    const distinct = difference(text, ofQueries, commonShare);
    return {
      lead: leadOf(text, near, others),
      distinct: Math.max(-1, ...cosinesOf(distinct, near)) / (lengthOf(distinct) || 1),
    };
  });
  const exceeded = (numbers: readonly number[]) => exceededBy(offTopicShare, numbers);
  return {
    terms,
    ofQueries,
    ofPhrases,
    offTopic: others,
    leadMin: kept.length === 0 || others.length === 0 ? null : exceeded(measured.map(({ lead }) => lead)),
    offTopicDistinct: exceeded(measured.map(({ distinct }) => distinct)),
  };
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
