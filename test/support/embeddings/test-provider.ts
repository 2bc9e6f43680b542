import { type EmbeddingModel, embeddingModel } from '../../../src/embeddings/model.ts';
import { EmbeddingError, type EmbeddingProvider } from '../../../src/embeddings/provider.ts';
import { wordVector } from './word-vectors.ts';

/** A provider in this process, whose vectors are those of `wordVector`. */
export interface TestProvider extends EmbeddingProvider {
  /** All requested batches. */
  readonly asked: (readonly string[])[];
  /** Called before each answer; may wait, or throw `EmbeddingError`. */
  before: (texts: readonly string[]) => void | Promise<void>;
}

export function createTestProvider(model: EmbeddingModel = embeddingModel('words', 8), batchSize = 8): TestProvider {
  const asked: (readonly string[])[] = [];
  return {
    model,
    batchSize,
    asked,
    before: () => undefined,
    async embed(texts, { signal }) {
      asked.push(texts);
      await this.before(texts);
      if (signal?.aborted) throw new EmbeddingError('aborted', 'The caller gave up.');
      return texts.map((text) => wordVector(text, model.dimension));
    },
    close: async () => undefined,
  };
}

export function rejectTexts(which: (text: string) => boolean): TestProvider['before'] {
  return (texts) => {
    if (texts.some(which)) throw new EmbeddingError('rejected', 'The text is not acceptable (400).');
  };
}

export function failWith(reason: EmbeddingError['reason']): TestProvider['before'] {
  return () => {
    throw new EmbeddingError(reason, `The provider is ${reason}.`);
  };
}
