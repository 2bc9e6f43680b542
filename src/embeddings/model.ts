import { createHash } from 'node:crypto';

/** A model that turns texts into vectors. Vectors of different models can't be compared. */
export interface EmbeddingModel {
  /** The provider's name for the model. */
  readonly name: string;
  /** Numbers in each of its vectors. */
  readonly dimension: number;
  /**
   * Eight hexadecimal digits, a hash of name and dimension. They are part of a field's name, so that models never mix.
   */
  readonly key: string;
}

/** Elasticsearch's limit. */
export const dimensionMax = 4096;

export function embeddingModel(name: string, dimension: number): EmbeddingModel {
  const key = createHash('sha256').update(`${name} ${dimension}`).digest('hex').slice(0, 8);
  return { name, dimension, key };
}

/** Returns the name of a document's vector inside `search`. */
export function vectorField({ key }: Pick<EmbeddingModel, 'key'>): `vector_${string}` {
  return `vector_${key}`;
}

/** A vector with one byte per number, in hexadecimal, as Elasticsearch accepts it. */
export type VectorHex = string;

/**
 * Returns the vector with each number as one byte from -127 to 127, scaled so that the largest number uses the whole
 * range. Scaling keeps the cosine between vectors; rounding changes it by less than 0.01.
 */
export function vectorBytes(vector: Readonly<Float32Array>): Uint8Array {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const scale = largest === 0 ? 0 : 127 / largest;
  return new Uint8Array(Int8Array.from(vector, (value) => Math.round(value * scale)).buffer);
}

export function vectorHex(vector: Readonly<Float32Array>): VectorHex {
  return Buffer.from(vectorBytes(vector)).toString('hex');
}
