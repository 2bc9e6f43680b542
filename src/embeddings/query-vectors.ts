import type { EmbeddingsConfig } from '../config/embeddings.ts';
import { createSerialQueue } from '../lib/concurrency/serial-queue.ts';
import { vectorHex } from '../lib/vector-bytes.ts';
import { phrasesOf } from '../search/meaning/term-phrases.ts';
import type { QueryVectors } from '../search/ports.ts';
import type { QueryContext } from '../search/query.ts';
import { createEmbeddingProvider } from './create-provider.ts';
import { vectorField } from './model.ts';
import { createTermVectorSource } from './term-vectors.ts';

const timeoutMs = 60_000;

/** Vectors of queries for measurements. Each is created once, so that only searches are measured. */
export interface HeldVectors extends QueryVectors, AsyncDisposable {}

/**
 * Creates vectors as in the API, but embeds all terms before the first search. Rejects with `EmbeddingError` if the
 * provider fails.
 */
export async function openVectors(
  config: EmbeddingsConfig,
  { vocabulary }: Pick<QueryContext, 'vocabulary'>,
): Promise<HeldVectors> {
  const provider = createEmbeddingProvider(config);
  const terms = createTermVectorSource(provider, phrasesOf(vocabulary), { random: () => 0, elapsed: () => 0 });
  await terms.refresh();
  const known = new Map<string, Promise<string | null>>();
  // Many searches don't wait for their vector, and the queue of a local model is short.
  const inTurn = createSerialQueue();
  const embed = async (text: string): Promise<string | null> => {
    const [vector] = await inTurn(() => provider.embed([text], { role: 'query', timeoutMs }));
    return vector === undefined ? null : vectorHex(vector);
  };
  return {
    field: vectorField(provider.model),
    terms: terms.latest,
    embed(text) {
      const vector = known.get(text) ?? embed(text);
      known.set(text, vector);
      return vector;
    },
    [Symbol.asyncDispose]: () => provider.close(),
  };
}
