import type { EmbeddingsConfig } from '../config/embeddings.ts';
import { createLocalProvider } from './local/local-provider.ts';
import type { EmbeddingProvider } from './provider.ts';
import { createUrlProvider } from './url-provider.ts';

/**
 * Creates the configured provider. It connects, or loads its model, when it is used.
 * @param options with `isBackground`, the thread of a local model has a lower priority than other threads
 */
export function createEmbeddingProvider(
  config: EmbeddingsConfig,
  { isBackground = false }: { readonly isBackground?: boolean } = {},
): EmbeddingProvider {
  return config.provider === 'url' ? createUrlProvider(config) : createLocalProvider(config, { isBackground });
}
