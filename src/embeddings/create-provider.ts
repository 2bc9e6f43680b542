import type { EmbeddingsConfig } from '../config/embeddings.ts';
import { createLocalProvider } from './local/local-provider.ts';
import type { EmbeddingProvider } from './provider.ts';
import { createUrlProvider } from './url-provider.ts';

/** Far longer than the local model takes for a text, about 10 ms. */
const stuckMs = 30_000;

/**
 * Creates the configured provider. It connects, or loads its model, when it is used.
 * @param options with `isBackground`, the thread of a local model has a lower priority than other threads
 */
export function createEmbeddingProvider(
  config: EmbeddingsConfig,
  { isBackground = false }: { readonly isBackground?: boolean } = {},
): EmbeddingProvider {
  if (config.provider === 'url') return createUrlProvider(config);
  // Only the length of a pause is random.
  // nosemgrep: no-predictable-chance
  return createLocalProvider(config, { elapsed: () => performance.now(), random: Math.random, stuckMs, isBackground });
}
