import type { EventEmitter } from 'node:events';
import type { Registry } from 'prom-client';
import { metricsIn } from '../../src/metrics/registry.ts';
import type { EmbeddingEvents } from './fill-vectors.ts';

/** Counts events. Called once for a registry. */
export function countEmbedding(registry: Registry, events: EventEmitter<EmbeddingEvents>): void {
  const { counter, gauge } = metricsIn(registry);
  const backlog = gauge('embedding_backlog', 'Texts that wait for their vectors, as far as sync knows.', ['kind']);
  const vectors = counter(
    'embeddings_total',
    'Vectors created in the background, by outcome: `stored`, `changed` (the text has changed since), `refused` (by the provider).',
    ['kind', 'outcome'],
  );
  const failures = counter('embedding_failures_total', 'Failed attempts to create vectors, which are retried.');
  events.on('stored', (kind, { stored, changed }) => {
    vectors.inc({ kind, outcome: 'stored' }, stored);
    vectors.inc({ kind, outcome: 'changed' }, changed);
  });
  events.on('skipped', (kind) => vectors.inc({ kind, outcome: 'refused' }));
  events.on('failure', () => failures.inc());
  events.on('backlog', (kind, texts) => backlog.set({ kind }, texts));
}
