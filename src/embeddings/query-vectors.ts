import type { EmbeddingsConfig } from '../config/embeddings.ts';
import { sampleQueries, termPhrases, termVectors } from '../search/meaning/term-vectors.ts';
import type { QueryVectors } from '../search/ports.ts';
import type { QueryContext } from '../search/query.ts';
import { createEmbeddingProvider } from './create-provider.ts';
import { vectorField, vectorHex } from './model.ts';
import type { TextRole } from './provider.ts';

const timeoutMs = 60_000;

/** Vectors of queries for measurements. Each is created once, so that only searches are measured. */
export interface HeldVectors extends QueryVectors, AsyncDisposable {}

/**
 * Creates vectors as in the API, but embeds all terms before the first search. Rejects with `EmbeddingError` if the
 * provider fails.
 */
export async function openVectors(
  config: EmbeddingsConfig,
  { vocabulary, knowledge }: Pick<QueryContext, 'vocabulary' | 'knowledge'>,
): Promise<HeldVectors> {
  const provider = createEmbeddingProvider(config);
  const phrases = termPhrases(vocabulary, knowledge.tags);
  const embedAll = async (texts: readonly string[], role: TextRole): Promise<Float32Array[]> => {
    const made: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += provider.batchSize)
      made.push(...(await provider.embed(texts.slice(at, at + provider.batchSize), { role, timeoutMs })));
    return made;
  };
  const made = await embedAll(
    phrases.map(({ phrase }) => phrase),
    'document',
  );
  const terms = termVectors(phrases, made, await embedAll(sampleQueries(vocabulary), 'query'));
  const known = new Map<string, Promise<string | null>>();
  const embed = async (text: string): Promise<string | null> => {
    const [vector] = await provider.embed([text], { role: 'query', timeoutMs });
    return vector === undefined ? null : vectorHex(vector);
  };
  return {
    field: vectorField(provider.model),
    terms: () => terms,
    embed(text) {
      const vector = known.get(text) ?? embed(text);
      known.set(text, vector);
      return vector;
    },
    [Symbol.asyncDispose]: () => provider.close(),
  };
}
