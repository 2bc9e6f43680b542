import { Counter, Histogram, type Registry } from 'prom-client';
import type { QueryEmbedderObserver } from '../embeddings/query-embedder.ts';
import type { QueryEmbedder } from '../ports.ts';
import { addGauge, durationBuckets } from './registry.ts';

/** Metrics of query vectors. */
export interface EmbeddingMetrics {
  readonly embedded: QueryEmbedderObserver['embedded'];
  /** Exports the state of an embedder. */
  watch(embedder: Pick<QueryEmbedder, 'state'>): void;
}

export function createEmbeddingMetrics(registry: Registry): EmbeddingMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: 'entity_search_embedding_requests_total',
    help: 'Vectors wanted for queries, by outcome: ok; cached; skipped, as the provider is left alone after failures; aborted, not needed any more; busy, too many at the same time; or how the provider failed.',
    labelNames: ['outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'entity_search_embedding_duration_seconds',
    help: 'Duration of requests for the vector of a query, whatever the outcome.',
    buckets: durationBuckets,
    registers,
  });
  return {
    embedded(outcome, seconds) {
      requests.inc({ outcome });
      if (seconds !== null) durations.observe(seconds);
    },
    watch(embedder) {
      const help = '1 if the last request for the vector of a query was answered, else 0; absent without embeddings.';
      addGauge(registry, 'embedding_available', help, () => (embedder.state() === 'ready' ? 1 : 0));
    },
  };
}
