import type { LocalModel } from './models.ts';

/** Characters of a text that are looked at, for each token that is wanted: tokens of any language are shorter. */
const charactersPerToken = 16;

/** As much of a text as its first tokens need, so that a long text costs no more time than a short one. */
export function shortened(text: string, tokensMax: number): string {
  return text.slice(0, tokensMax * charactersPerToken);
}

/** The first tokens with the last one, which says that the text ends. */
export function truncated(tokens: readonly number[], tokensMax: number): readonly number[] {
  const last = tokens.at(-1);
  if (tokens.length <= tokensMax || last === undefined) return tokens;
  return [...tokens.slice(0, tokensMax - 1), last];
}

/**
 * A text's vector, of length 1, from those of its tokens.
 * @param states of all tokens, one after the other
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
