import { createHash } from 'node:crypto';

/** A model that turns texts into vectors. Vectors of different models can't be compared. */
export interface EmbeddingModel {
  /** The provider's name for the model. */
  readonly name: string;
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
