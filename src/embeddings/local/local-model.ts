import { join } from 'node:path';

/** The model that runs in this process, and that `npm run embeddings:model` fetches. */
export const localModel = {
  name: 'bge-small-en-v1.5',
  dimension: 384,
  /** Text before each query, as the model was trained. */
  queryPrefix: 'Represent this sentence for searching relevant passages: ',
} as const;

export const modelFiles = { network: 'model.onnx', tokenizer: 'tokenizer.json' } as const;

/** The default folder of the model, which is next to package.json. */
export const defaultModelPath = join(import.meta.dirname, '..', '..', '..', '.local', 'embeddings', localModel.name);

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
 * Returns the vector of a text, of length 1: that of its first token.
 * @param states vectors of all tokens, one after the other
 */
export function firstVector(states: Readonly<Float32Array>, dimension: number): Float32Array {
  const vector = states.slice(0, dimension);
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((number) => number / length);
}
