import { createHash } from 'node:crypto';

const words = /[\p{L}\p{N}]+/gu;

/**
 * Returns a vector of length 1 that depends only on the text's words: texts that share words are near to each other. A
 * text without words has a vector, too.
 */
export function wordVector(text: string, dimension: number): Float32Array {
  const vector = new Float32Array(dimension);
  const found = text.toLowerCase().match(words) ?? ['(no words)'];
  for (const word of found) {
    for (let at = 0, block = 0; at < dimension; block += 1) {
      for (const byte of createHash('sha256').update(`${block} ${word}`).digest()) {
        if (at < dimension) vector[at] = (vector[at] ?? 0) + (byte - 127.5);
        at += 1;
      }
    }
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** Returns the cosine of two vectors: 1 for the same direction, about 0 for texts without a common word. */
export function cosine(one: Readonly<Float32Array>, other: Readonly<Float32Array>): number {
  const product = one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  return product / (Math.hypot(...one) * Math.hypot(...other));
}
