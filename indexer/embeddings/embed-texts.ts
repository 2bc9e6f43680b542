import { EmbeddingError, type EmbeddingProvider } from '../../src/embeddings/provider.ts';

export interface EmbedOptions {
  /** For each request to the provider. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The input limit that every provider accepts. */
const probeText = 'A short sentence.';

/**
 * One vector for each text, or why there is none: a text that the provider refuses must not keep the others from
 * theirs. So where a batch fails and the provider still embeds something else, the batch is halved down to the texts
 * that are at fault. Rejects with `EmbeddingError` where the provider embeds nothing at all, and with the signal's reason.
 */
export async function embedTexts(
  provider: EmbeddingProvider,
  texts: readonly string[],
  options: EmbedOptions,
): Promise<readonly (Float32Array | EmbeddingError)[]> {
  if (texts.length === 0) return [];
  const { timeoutMs, signal } = options;
  try {
    return await provider.embed(texts, { role: 'document', timeoutMs, signal });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof EmbeddingError)) throw error;
    await provider.embed([probeText], { role: 'document', timeoutMs, signal });
    if (texts.length === 1) return [error];
  }
  const middle = Math.ceil(texts.length / 2);
  return [
    ...(await embedTexts(provider, texts.slice(0, middle), options)),
    ...(await embedTexts(provider, texts.slice(middle), options)),
  ];
}
