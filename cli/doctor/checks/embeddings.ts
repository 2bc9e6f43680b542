import { type EmbeddingsConfig, readEmbeddings } from '../../../src/config/embeddings.ts';
import type { Environment } from '../../../src/config/settings.ts';
import { createEmbeddingProvider } from '../../../src/embeddings/create-provider.ts';
import { checkProvider, EmbeddingError, isWrongSetting } from '../../../src/embeddings/provider.ts';
import { type Check, readIfValid } from '../check.ts';
import { fail, ok, skipped, type Verdict, warn } from '../finding.ts';

/** Loading a local model takes a second; a check has ten. */
const timeoutMs = 8_000;

export function embeddingChecks(env: Environment): readonly Check[] {
  const config = readIfValid(() => readEmbeddings(env));
  if (config === undefined) return [];
  const name = 'embeddings';
  if (config === null) return [{ name, run: async () => skipped('Embeddings are off: EMBEDDINGS is not set.') }];
  return [{ name, run: () => checkEmbeddings(config) }];
}

async function checkEmbeddings(config: EmbeddingsConfig): Promise<Verdict> {
  const provider = createEmbeddingProvider(config);
  try {
    await checkProvider(provider, timeoutMs);
    return ok(`${config.model.name} makes vectors of ${config.model.dimension} numbers.`);
  } catch (error) {
    if (!(error instanceof EmbeddingError)) throw error;
    return isWrongSetting(error)
      ? fail(error.message, 'Correct the setting. Until then, the API and the commands that need vectors do not start.')
      : warn(
          error.message,
          'Start the provider, or wait. Until then, searches use only words, and new texts lack vectors.',
        );
  } finally {
    await provider.close();
  }
}
