import type { LocalModel } from './models.ts';

/** Characters that are read for each token. Tokens of every language are shorter. */
const charactersPerToken = 16;

/**
 * Returns the beginning of a text that contains its first tokens, so that a long text takes no more time than a short
 * one.
 */
export function shortened(text: string, tokensMax: number): string {
  return text.slice(0, tokensMax * charactersPerToken);
}

/** Returns the first tokens and the last one, which marks the end of the text. */
export function truncated(tokens: readonly number[], tokensMax: number): readonly number[] {
  const last = tokens.at(-1);
  if (tokens.length <= tokensMax || last === undefined) return tokens;
  return [...tokens.slice(0, tokensMax - 1), last];
}

/**
 * Returns the vector of a text, of length 1, from the vectors of its tokens.
 * @param states vectors of all tokens, one after the other
 */
export function pooled(states: Readonly<Float32Array>, { dimension, pooling }: LocalModel): Float32Array {
  const vector = states.slice(0, dimension);
  if (pooling === 'mean') {
    for (let at = dimension; at < states.length; at += 1) {
      const place = at % dimension;
      vector[place] = (vector[place] ?? 0) + (states[at] ?? 0);
    }
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((number) => number / length);
}
