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
