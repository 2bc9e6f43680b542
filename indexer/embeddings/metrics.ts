import type { EventEmitter } from 'node:events';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { EmbeddingEvents } from './fill-vectors.ts';

/** Counts events. Called once for a registry. */
export function countEmbedding(registry: Registry, events: EventEmitter<EmbeddingEvents>): void {
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
  events.on('stored', (kind, { stored, changed }) => {
    vectors.inc({ kind, outcome: 'stored' }, stored);
    vectors.inc({ kind, outcome: 'changed' }, changed);
  });
  events.on('skipped', (kind) => vectors.inc({ kind, outcome: 'refused' }));
  events.on('failure', () => failures.inc());
  events.on('backlog', (kind, texts) => backlog.set({ kind }, texts));
}
