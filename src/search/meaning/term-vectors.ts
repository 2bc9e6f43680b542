/**
 * The meaning of a text in the data's own terms: the concepts of the vocabulary and the tags whose phrases are nearest
 * to it. Vectors of whole texts find similar wordings; terms find entities filed under the same concept.
 */

/** A phrase, and its term. */
export interface TermPhrase {
  readonly kind: 'concept' | 'tag';
  /** The concept's token, or the tag in the spelling of the data. */
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
  /** The cosine above which a document is near in meaning. */
  readonly similarityMin: number;
}

/**
 * Terms with the vectors of their phrases, in memory. Numbers have one byte, as in documents, which takes a fourth of
 * the memory and makes multiplication faster.
 */
export interface TermVectors {
  /** Each term with the range of its phrases in `rows`. */
  readonly terms: readonly { readonly kind: TermPhrase['kind']; readonly term: string; readonly phrases: number }[];
  readonly dimension: number;
  /** For each term the mean of its phrases' vectors, each of length 1 and without the part common to all. */
  readonly means: Rows;
  /** The vectors of the phrases, in the order of the terms. */
  readonly rows: Rows;
  /** The mean vector of typical search texts, which is their common part. */
  readonly ofQueries: Float32Array;
  /** The mean of all phrases' vectors, which was subtracted from `rows`, and each row's length after that. */
  readonly ofPhrases: Float32Array;
  readonly lengths: Float32Array;
  /** The largest cosine of a phrase and a text of another field. It depends on the model; null if it is unknown. */
  readonly offTopicCosine: number | null;
}

/** Consecutive vectors with one byte per number. A row times its scale is the vector. */
interface Rows {
  readonly numbers: Int8Array;
  readonly scales: Float32Array;
}

const noRows: Rows = { numbers: new Int8Array(), scales: new Float32Array() };
export const noTermVectors: TermVectors = {
  terms: [],
  dimension: 0,
  means: noRows,
  rows: noRows,
  ofQueries: new Float32Array(),
  ofPhrases: new Float32Array(),
  lengths: new Float32Array(),
  offTopicCosine: null,
};

/**
 * Maximum memory of all phrases' vectors: 32 MiB. 6,608 phrases have 2.5 million numbers with a model of 384, and 27
 * million with one of 4,096.
 */
const numbersMax = 33_554_432;

export function phrasesMax(dimension: number): number {
  return Math.floor(numbersMax / Math.max(1, dimension));
}

/** Number of terms of each sort that a text can mean. More would blur the meaning, and each costs time. */
const conceptsMax = 3;
const tagsMax = 2;
/** Number of concepts with the nearest mean vectors. Only their phrases are compared one by one. */
const comparedConcepts = 48;

/**
 * Documents are longer than phrases, so their cosines are smaller: with either local model, the nearest document to a
 * text of another field is this much further away than the nearest phrase, or more.
 */
const documentMargin = 0.05;

/**
 * Returns the nearest concepts and tags. A concept is as near as its nearest phrase and all of its phrases together: if
 * one phrase of many is near by chance, the others correct it. A tag has only one. Returns null if a text of another
 * field could be as near to the terms, or if that is unknown.
 * @param hex a text's vector from `QueryVectors`
 */
export function nearestTerms(vectors: TermVectors, hex: string): NearTerms | null {
  const { terms, dimension, means, rows, offTopicCosine } = vectors;
  if (offTopicCosine === null) return null;
  const whole = unit(Float32Array.from(new Int8Array(Buffer.from(hex, 'hex'))));
  const query = rowOf(without(whole, vectors.ofQueries));
  const firstRows: number[] = [];
  const concepts: Near[] = [];
  const tags: Near[] = [];
  let row = 0;
  for (const [at, { kind, phrases }] of terms.entries()) {
    firstRows.push(row);
    row += phrases;
    const nearness = product(means, at, query, dimension);
    if (kind === 'concept') concepts.push({ at, nearness });
    else tags.push({ at, nearness: 2 * nearness });
  }
  const rowsOf = (at: number): number[] =>
    Array.from({ length: terms[at]?.phrases ?? 0 }, (_, n) => (firstRows[at] ?? 0) + n);
  const compared = nearest(concepts, comparedConcepts).map(({ at, nearness }) => {
    const cosines = rowsOf(at).map((place) => product(rows, place, query, dimension));
    return { at, nearness: nearness + Math.max(-1, ...cosines) };
  });
  const weighted = (best: readonly Near[]): NearTerm[] => {
    const last = best.at(-1)?.nearness ?? 0;
    return best.map(({ at, nearness }) => ({ term: terms[at]?.term ?? '', weight: weightOf(nearness - last) }));
  };
  const candidates = [...compared, ...nearest(tags, comparedConcepts)].flatMap(({ at }) => rowsOf(at));
  if (nearestCosine(vectors, whole, candidates) <= offTopicCosine) return null;
  return {
    concepts: weighted(nearest(compared, conceptsMax)),
    tags: weighted(nearest(tags, tagsMax)),
    similarityMin: Math.max(-1, offTopicCosine - documentMargin),
  };
}

/** Returns the largest cosine of a vector of length 1 and the phrases in some rows. */
function nearestCosine(
  { dimension, rows, lengths, ofPhrases }: Omit<TermVectors, 'offTopicCosine'>,
  vector: Float32Array,
  places: Iterable<number>,
): number {
  const query = rowOf(vector);
  const common = vector.reduce((sum, number, place) => sum + number * (ofPhrases[place] ?? 0), 0);
  let largest = -1;
  for (const place of places) {
    const cosine = common + (lengths[place] ?? 0) * product(rows, place, query, dimension);
    if (cosine > largest) largest = cosine;
  }
  return largest;
}

/** A term's index, and its nearness. */
interface Near {
  readonly at: number;
  readonly nearness: number;
}

/** Returns the nearest terms, the nearest first. */
function nearest(all: readonly Near[], most: number): readonly Near[] {
  return all.toSorted((one, other) => other.nearness - one.nearness).slice(0, most);
}

/** The difference in nearness that adds 1 to the weight. */
const nearnessPerWeight = 0.15;
const lastWeight = 0.4;
const weightMax = 1.5;

/**
 * Returns a term's weight. Nearness alone means little, because texts differ. The lead over the last kept term means
 * more.
 * @param lead the difference in nearness to that one
 */
function weightOf(lead: number): number {
  return Math.round(Math.min(lead / nearnessPerWeight + lastWeight, weightMax) * 100) / 100;
}

/** Returns the product of two vectors. If both have length 1, it is the cosine of their angle. */
function product(of: Rows, row: number, query: Rows, dimension: number): number {
  const { numbers } = of;
  const asked = query.numbers;
  const first = row * dimension;
  let sum = 0;
  for (let place = 0; place < dimension; place += 1) sum += (numbers[first + place] ?? 0) * (asked[place] ?? 0);
  return sum * (of.scales[row] ?? 0) * (query.scales[0] ?? 0);
}

function rowsFor(count: number, dimension: number): Rows {
  return { numbers: new Int8Array(count * dimension), scales: new Float32Array(count) };
}

/** Returns a vector as a separate row. */
function rowOf(vector: Float32Array): Rows {
  const row = rowsFor(1, vector.length);
  setRow(row, 0, vector);
  return row;
}

function setRow({ numbers, scales }: Rows, row: number, vector: Float32Array): void {
  let largest = 0;
  for (const number of vector) {
    if (number > largest) largest = number;
    else if (-number > largest) largest = -number;
  }
  if (largest === 0) return;
  scales[row] = largest / 127;
  const first = row * vector.length;
  for (let place = 0; place < vector.length; place += 1)
    numbers[first + place] = Math.round(((vector[place] ?? 0) / largest) * 127);
}

/** A vector of any length. */
type Numbers = Float32Array | Int8Array;

/**
 * @param vectors of the phrases, in their order
 * @param queries vectors of typical search texts, whose common part is subtracted; if empty, nothing is
 * @param offTopic vectors of texts from other fields; if empty, no text has a meaning
 */
export function termVectors(
  phrases: readonly TermPhrase[],
  vectors: readonly Numbers[],
  queries: readonly Numbers[],
  offTopic: readonly Numbers[] = [],
): TermVectors {
  const dimension = vectors[0]?.length ?? 0;
  const kept = vectors.slice(0, phrasesMax(dimension));
  const common = meanOf(kept.map((vector) => () => unit(vector)));
  const byTerm = Map.groupBy(kept.keys(), (at) => `${phrases[at]?.kind} ${phrases[at]?.term}`);
  const terms: TermVectors['terms'][number][] = [];
  const means = rowsFor(byTerm.size, dimension);
  const rows = rowsFor(kept.length, dimension);
  const lengths = new Float32Array(kept.length);
  let row = 0;
  for (const places of byTerm.values()) {
    const phrase = phrases[places[0] ?? -1];
    if (phrase === undefined) continue;
    const own = places.map((at) => without(unit(kept[at] ?? new Float32Array(dimension)), common));
    setRow(means, terms.length, meanOf(own.map((vector) => () => vector)));
    for (const [index, vector] of own.entries()) {
      setRow(rows, row, vector);
      lengths[row] = lengthWithout(unit(kept[places[index] ?? -1] ?? vector), common);
      row += 1;
    }
    terms.push({ kind: phrase.kind, term: phrase.term, phrases: own.length });
  }
  const ofQueries = meanOf(queries.map((vector) => () => unit(vector)));
  const found = { terms, dimension, means, rows, ofQueries, ofPhrases: common, lengths };
  const cosines = offTopic.map((vector) => nearestCosine(found, unit(vector), kept.keys()));
  return { ...found, offTopicCosine: kept.length === 0 || cosines.length === 0 ? null : Math.max(...cosines) };
}

// Uses plain loops: calls and iterators per number take a second for some thousand phrases of a large model.

function unit(vector: Numbers): Float32Array {
  const made = new Float32Array(vector.length);
  let squares = 0;
  for (let place = 0; place < made.length; place += 1) {
    const number = vector[place] ?? 0;
    squares += number * number;
  }
  const length = Math.sqrt(squares) || 1;
  for (let place = 0; place < made.length; place += 1) made[place] = (vector[place] ?? 0) / length;
  return made;
}

function without(vector: Float32Array, common: Float32Array): Float32Array {
  const rest = new Float32Array(vector.length);
  for (let place = 0; place < rest.length; place += 1) rest[place] = (vector[place] ?? 0) - (common[place] ?? 0);
  return unit(rest);
}

/** Returns the length of the difference of two vectors. */
function lengthWithout(vector: Float32Array, common: Float32Array): number {
  let squares = 0;
  for (let place = 0; place < vector.length; place += 1) squares += ((vector[place] ?? 0) - (common[place] ?? 0)) ** 2;
  return Math.sqrt(squares);
}

/** @param vectors created one at a time, to limit memory */
function meanOf(vectors: readonly (() => Float32Array)[]): Float32Array {
  const mean = new Float32Array(vectors[0]?.().length ?? 0);
  for (const make of vectors) {
    const vector = make();
    for (let place = 0; place < mean.length; place += 1)
      mean[place] = (mean[place] ?? 0) + (vector[place] ?? 0) / vectors.length;
  }
  return mean;
}
