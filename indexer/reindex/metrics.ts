import { Counter, Gauge, type Registry } from 'prom-client';
import type { KindName } from '../../src/kinds/kind.ts';
import type { ReindexObserver } from './observer.ts';

/** Returns an observer that counts what it passes on. Called once for a registry. */
export function watchReindex(registry: Registry, observer: ReindexObserver): ReindexObserver {
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name: `entity_search_reindex_${name}`, help, labelNames, registers: [registry] });
  const expected = gauge('rows_expected', 'Rows that a reindex expects; an estimate for large tables.', 'kind');
  const rows = gauge('rows', 'Rows that became a document or a dead letter.', 'kind');
  const bytes = gauge('bytes', 'Bytes of accepted bulk requests.', 'kind');
  const deadLetters = gauge('dead_letters', 'Documents of a reindex that Elasticsearch rejected.', 'kind');
  const state = gauge('state', '1 for the current step of a reindex, 0 for earlier ones.', 'kind', 'state');
  const changes = new Counter({
    name: 'entity_search_reindex_changes_applied_total',
    help: 'Change log entries applied after the load.',
    labelNames: ['kind'],
    registers: [registry],
  });
  const at = new Map<KindName, string>();
  return {
    onStart(kind, index, totalRows) {
      expected.set({ kind }, totalRows);
      observer.onStart(kind, index, totalRows);
    },
    onState(kind, next) {
      const before = at.get(kind);
      if (before !== undefined) state.set({ kind, state: before }, 0);
      at.set(kind, next);
      state.set({ kind, state: next }, 1);
      observer.onState(kind, next);
    },
    onProgress(kind, progress) {
      rows.set({ kind }, progress.rows);
      bytes.set({ kind }, progress.bytes);
      deadLetters.set({ kind }, progress.deadLetters);
      observer.onProgress(kind, progress);
    },
    onRound(kind, round) {
      changes.inc({ kind }, round.changes);
      observer.onRound(kind, round);
    },
    onNote: (kind, text) => observer.onNote(kind, text),
  };
}
