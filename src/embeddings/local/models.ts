import { join } from 'node:path';

/** A model that runs in this process. */
export interface LocalModel {
  readonly dimension: number;
  /** How the vectors of a text's tokens become its own: that of the first one, or the mean of all. */
  readonly pooling: 'first' | 'mean';
  /** What the model wants before a query, as its makers trained it. */
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

/** What a model consists of, by the names of the files in its folder. */
export const modelFiles = { network: 'model.onnx', tokenizer: 'tokenizer.json' } as const;

/** The folder into which a model is fetched: beside package.json, whatever folder a command is started in. */
export function defaultModelPath(name: LocalModelName): string {
  return join(import.meta.dirname, '..', '..', '..', '.local', 'embeddings', name);
}
