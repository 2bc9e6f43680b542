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
