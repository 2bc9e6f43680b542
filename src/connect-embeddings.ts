import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { EmbeddingsConfig } from './config/embeddings.ts';
import { createEmbeddingProvider } from './embeddings/create-provider.ts';
import { isWrongSetting } from './embeddings/provider.ts';
import { createQueryEmbedder } from './embeddings/query-embedder.ts';
import { createTermVectorSource, type PhraseList } from './embeddings/term-vectors.ts';
import { causeText } from './lib/log.ts';
import { createEmbeddingMetrics } from './metrics/api.ts';
import type { Clock } from './ports.ts';

/** The source of queries' vectors in this process. */
export type EmbeddingService = ReturnType<typeof connectEmbeddings>;

/** Opens no connection until it is used. */
export function connectEmbeddings(
  config: EmbeddingsConfig,
  clock: Clock,
  log: Logger,
  registry: Registry,
  phrases: PhraseList,
) {
  const provider = createEmbeddingProvider(config);
  const metrics = createEmbeddingMetrics(registry);
  const queries = createQueryEmbedder(provider, clock, {
    embedded: metrics.embedded,
    wentAway: (cause) =>
      log.warn({ reason: cause.reason, cause: causeText(cause) }, 'searches use no vectors: the provider returns none'),
    cameBack: () => log.info('searches have vectors again'),
    broke: (err) => log.error({ err }, 'the provider of embeddings has failed'),
  });
  metrics.watch(queries);
  // Only the length of a pause depends on it.
  // nosemgrep: no-predictable-chance
  const terms = createTermVectorSource(provider, phrases, { random: Math.random, elapsed: clock.elapsed });
  return {
    queries: { ...queries, terms: terms.latest },
    /** Starts the background work. */
    start: terms.start,
    /**
     * Requests a vector. Resolves with a sentence if the provider's answer shows a wrong setting. A provider without an
     * answer is tried again when searches need it.
     */
    async check(timeoutMs: number): Promise<string | null> {
      const failure = await queries.probe(timeoutMs);
      if (failure === null) {
        log.info({ model: config.model.name, provider: config.provider }, 'queries get vectors');
        return null;
      }
      if (isWrongSetting(failure)) return `EMBEDDINGS: ${failure.message}`;
      log.warn({ reason: failure.reason, cause: causeText(failure) }, 'the provider of embeddings does not answer yet');
      return null;
    },
    async close() {
      await terms.close();
      await provider.close();
    },
  };
}
