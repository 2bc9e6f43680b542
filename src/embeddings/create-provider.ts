import type { EmbeddingsConfig } from '../config/embeddings.ts';
import { createLocalProvider } from './local/local-provider.ts';
import type { EmbeddingProvider } from './provider.ts';
import { createUrlProvider } from './url-provider.ts';

/** A text takes the local model some 10 ms. */
const stuckMs = 30_000;

/**
 * The configured provider. Opens nothing, and loads no model, until it is used.
 * @param options with `isBackground`, a model in this process lets all else on the machine come first
 */
export function createEmbeddingProvider(
  config: EmbeddingsConfig,
  { isBackground = false }: { readonly isBackground?: boolean } = {},
): EmbeddingProvider {
  if (config.provider === 'url') return createUrlProvider(config);
  // Only the length of a pause depends on it.
  // nosemgrep: no-predictable-chance
  return createLocalProvider(config, { elapsed: () => performance.now(), random: Math.random, stuckMs, isBackground });
}
