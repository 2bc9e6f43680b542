import type { EmbeddingError, EmbeddingProvider } from './provider.ts';

/** Requests one vector. Rejects with `EmbeddingError` if there is none, or one of another dimension. */
export async function checkProvider(
  provider: EmbeddingProvider,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<void> {
  await provider.embed(['lending protocol'], { role: 'document', timeoutMs, ...(signal && { signal }) });
}

/** Returns true if the provider's answer shows a wrong setting, so that waiting would not help. */
export function isWrongSetting({ reason }: EmbeddingError): boolean {
  return reason === 'misconfigured' || reason === 'invalid' || reason === 'rejected';
}
