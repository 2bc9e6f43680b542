import type { EmbeddingError, EmbeddingProvider } from './provider.ts';

/**
 * Asks for one vector. Rejects with `EmbeddingError` where there is none, or one of another dimension; its message says
 * what to do.
 */
export async function checkProvider(
  provider: EmbeddingProvider,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<void> {
  await provider.embed(['lending protocol'], { role: 'document', timeoutMs, ...(signal && { signal }) });
}

/** Whether the provider has answered, and what it said shows that a setting is wrong: waiting would not help. */
export function isWrongSetting({ reason }: EmbeddingError): boolean {
  return reason === 'misconfigured' || reason === 'invalid' || reason === 'rejected';
}
