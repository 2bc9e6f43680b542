import { Counter, Gauge, type Registry } from 'prom-client';
import type { EmbeddingObserver } from './fill-vectors.ts';

/** Returns an observer that counts and passes on every call. Called once for a registry. */
export function watchEmbedding(registry: Registry, observer: EmbeddingObserver): EmbeddingObserver {
  const registers = [registry];
  const backlog = new Gauge({
    name: 'entity_search_embedding_backlog',
    help: 'Texts that wait for their vectors, as far as sync knows.',
    labelNames: ['kind'],
    registers,
  });
  const vectors = new Counter({
    name: 'entity_search_embeddings_total',
    help: 'Vectors created in the background, by outcome: `stored`, `changed` (the text has changed since), `refused` (by the provider).',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const failures = new Counter({
    name: 'entity_search_embedding_failures_total',
    help: 'Failed attempts to create vectors, which are retried.',
    registers,
  });
  return {
    onStored(kind, counts) {
      vectors.inc({ kind, outcome: 'stored' }, counts.stored);
      vectors.inc({ kind, outcome: 'changed' }, counts.changed);
      observer.onStored(kind, counts);
    },
    onSkipped(kind, id, reason) {
      vectors.inc({ kind, outcome: 'refused' });
      observer.onSkipped(kind, id, reason);
    },
    onFailure(text, pauseMs) {
      failures.inc();
      observer.onFailure(text, pauseMs);
    },
    onRecovered: () => observer.onRecovered(),
    onBacklog(kind, texts) {
      backlog.set({ kind }, texts);
      observer.onBacklog(kind, texts);
    },
    onRemoved: (kind, removed) => observer.onRemoved(kind, removed),
  };
}
