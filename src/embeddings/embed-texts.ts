import { EmbeddingError, type EmbeddingProvider, type EmbedRequest } from './provider.ts';

/** The input limit that every provider accepts. */
const probeText = 'A short sentence.';

/**
 * Returns one vector for each text, or the reason why there is none: a refused text must not affect the others. So if a
 * batch fails while the provider still embeds another text, the batch is halved down to the texts at fault. Rejects
 * with `EmbeddingError` if the provider embeds no text at all, and with the signal's reason.
 */
export async function embedTexts(
  provider: EmbeddingProvider,
  texts: readonly string[],
  request: EmbedRequest,
): Promise<readonly (Float32Array | EmbeddingError)[]> {
  if (texts.length === 0) return [];
  try {
    return await provider.embed(texts, request);
  } catch (error) {
    request.signal?.throwIfAborted();
    if (!(error instanceof EmbeddingError)) throw error;
    await provider.embed([probeText], request);
    if (texts.length === 1) return [error];
  }
  const middle = Math.ceil(texts.length / 2);
  return [
    ...(await embedTexts(provider, texts.slice(0, middle), request)),
    ...(await embedTexts(provider, texts.slice(middle), request)),
  ];
}
