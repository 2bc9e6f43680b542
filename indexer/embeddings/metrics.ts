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
    help: 'Vectors made in the background, by outcome: `stored`, `changed` (the text was another one by then), `refused` (by the provider).',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const failures = new Counter({
    name: 'entity_search_embedding_failures_total',
    help: 'Times no vectors could be made, and it was tried again later.',
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
