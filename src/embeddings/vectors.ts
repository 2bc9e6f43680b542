import type { EmbeddingModel } from './model.ts';
import { EmbeddingError } from './provider.ts';

/**
 * Returns the vectors if there is one for each text, with the model's dimension and finite numbers, not all zero.
 * Otherwise throws `EmbeddingError` with reason `invalid`.
 */
export function checkedVectors(
  vectors: readonly (ArrayLike<number> | undefined)[],
  count: number,
  { name, dimension }: Pick<EmbeddingModel, 'name' | 'dimension'>,
): readonly Float32Array[] {
  if (vectors.length !== count) throw invalid(`does not answer with a vector for each of ${count} texts`);
  return vectors.map((numbers) => {
    if (numbers === undefined) throw invalid('leaves out the vector of a text');
    if (numbers.length !== dimension) {
      throw invalid(
        `answers with vectors of ${numbers.length} numbers and not ${dimension}: correct EMBEDDINGS_DIMENSION, or EMBEDDINGS_MODEL (${name})`,
      );
    }
    const vector = Float32Array.from(numbers);
    // Also catches numbers that are finite only with 64 bits.
    if (!vector.every(Number.isFinite)) throw invalid('answers with numbers that are not finite');
    if (vector.every((number) => number === 0)) throw invalid('answers with zeros');
    return vector;
  });
}

function invalid(what: string): EmbeddingError {
  return new EmbeddingError('invalid', `The provider of embeddings ${what}.`);
}
