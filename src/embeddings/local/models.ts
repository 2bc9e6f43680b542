import { join } from 'node:path';

/** A model that runs in this process. */
export interface LocalModel {
  readonly dimension: number;
  /** The text's vector: that of its first token, or the mean of all tokens. */
  readonly pooling: 'first' | 'mean';
  /** Text before each query, as the model was trained. */
  readonly queryPrefix: string;
}

/** The models that `npm run embeddings:model` fetches. */
export const localModels = {
  'bge-small-en-v1.5': {
    dimension: 384,
    pooling: 'first',
    queryPrefix: 'Represent this sentence for searching relevant passages: ',
  },
  'all-minilm-l6-v2': { dimension: 384, pooling: 'mean', queryPrefix: '' },
} as const satisfies Readonly<Record<string, LocalModel>>;

export type LocalModelName = keyof typeof localModels;

export const defaultLocalModel: LocalModelName = 'bge-small-en-v1.5';

export function isLocalModel(name: string): name is LocalModelName {
  return Object.hasOwn(localModels, name);
}

/** Names of a model's files in its folder. */
export const modelFiles = { network: 'model.onnx', tokenizer: 'tokenizer.json' } as const;

/** Returns the default folder of a model, which is next to package.json. */
export function defaultModelPath(name: LocalModelName): string {
  return join(import.meta.dirname, '..', '..', '..', '.local', 'embeddings', name);
}

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
