import { createHash } from 'node:crypto';

/** A model that makes vectors of texts. Vectors of two models can't be compared with one another. */
export interface EmbeddingModel {
  /** As its provider calls it. */
  readonly name: string;
  /** Numbers in each of its vectors. */
  readonly dimension: number;
  /** Eight hexadecimal digits that stand for both: part of a field's name, so that indices of two models differ. */
  readonly key: string;
}

/** Elasticsearch takes no longer vectors. */
export const dimensionMax = 4096;

export function embeddingModel(name: string, dimension: number): EmbeddingModel {
  const key = createHash('sha256').update(`${name} ${dimension}`).digest('hex').slice(0, 8);
  return { name, dimension, key };
}

/** What a document's vector is called inside its `search`. */
export function vectorField({ key }: Pick<EmbeddingModel, 'key'>): `vector_${string}` {
  return `vector_${key}`;
}

/** A vector of one byte for each number, as 2 hexadecimal digits each: the form in which Elasticsearch takes it. */
export type VectorHex = string;

/**
 * The vector with each number as one byte of -127 to 127, scaled so that the largest one fills its byte. Only the angle
 * between vectors counts (cosine), which scaling leaves as it is; rounding moves it by less than 0.01.
 */
export function vectorBytes(vector: Readonly<Float32Array>): Uint8Array {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const scale = largest === 0 ? 0 : 127 / largest;
  return new Uint8Array(Int8Array.from(vector, (value) => Math.round(value * scale)).buffer);
}

/** The same as text. */
export function vectorHex(vector: Readonly<Float32Array>): VectorHex {
  return Buffer.from(vectorBytes(vector)).toString('hex');
}
