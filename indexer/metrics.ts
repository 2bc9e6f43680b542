import { Counter, Gauge, type Registry } from 'prom-client';
import type { KindName } from '../src/kinds/kind.ts';
import type { GenerationLag } from '../src/postgres/index-lag.ts';
import type { ReindexObserver } from './reindex/observer.ts';
import type { SyncObserver } from './sync/observer.ts';
import type { RequestLimiter } from './write/backpressure.ts';
import type { BatchBuffers } from './write/batch-buffers.ts';

/** What is counted of the indexer beside its engines. Each is called once for a registry. */

/** How hard the cluster is pressed, by every bulk request of the process. */
export function watchPressure(registry: Registry, limiter: RequestLimiter, buffers: BatchBuffers): void {
  const registers = [registry];
  new Gauge({
    name: 'entity_search_bulk_requests_in_flight',
    help: 'Bulk requests in progress.',
    registers,
    collect() {
      this.set(limiter.inFlight);
    },
  });
  new Gauge({
    name: 'entity_search_bulk_requests_allowed',
    help: 'Bulk requests allowed at the same time; fewer while Elasticsearch pushes back.',
    registers,
    collect() {
      this.set(limiter.window);
    },
  });
  new Gauge({
    name: 'entity_search_bulk_bytes_held',
    help: 'Bytes of batches being filled, waiting or being sent.',
    registers,
    collect() {
      this.set(buffers.heldBytes);
    },
  });
  new Counter({
    name: 'entity_search_bulk_retries_total',
    help: 'Bulk requests that were sent again, in whole or in part.',
    registers,
    collect() {
      this.reset();
      this.inc(limiter.pushedBack);
    },
  });
}

/** The same observer, of which is counted what it is told. */
export function watchSync(registry: Registry, observer: SyncObserver): SyncObserver {
  const counters = syncCounters(registry);
  const { following, troubles, lastError } = syncStates(registry);
  const log = changeLogGauges(registry);
  return {
    onFollowing(followed) {
      following.set({ kind: followed.kind, generation: followed.indexName }, 1);
      observer.onFollowing(followed);
    },
    onStandby(followed, holder) {
      following.set({ kind: followed.kind, generation: followed.indexName }, 0);
      observer.onStandby(followed, holder);
    },
    onEnded(followed) {
      following.remove({ kind: followed.kind, generation: followed.indexName });
      observer.onEnded(followed);
    },
    onRound(followed, round) {
      const { kind } = followed;
      counters.rounds.inc({ kind });
      counters.changes.inc({ kind }, round.changes);
      counters.documents.inc({ kind }, round.documents);
      counters.deadLetters.inc({ kind }, round.deadLetters);
      observer.onRound(followed, round);
    },
    onFailure(text, pauseMs, followed) {
      troubles.inc({ kind: followed?.kind ?? 'all' });
      lastError.setToCurrentTime();
      observer.onFailure(text, pauseMs, followed);
    },
    onRecovered(followed) {
      if (followed === undefined) counters.reconnects.inc();
      observer.onRecovered(followed);
    },
    onAutoRepaired(followed, report) {
      counters.haltsEnded.inc({ kind: followed.kind });
      counters.repaired.inc({ kind: followed.kind }, report.written + report.deleted);
      observer.onAutoRepaired(followed, report);
    },
    onRetired: (kind, indices) => observer.onRetired(kind, indices),
    onAbandoned: (kind, indices) => observer.onAbandoned(kind, indices),
    onChangeLogMeasured(size) {
      log.entries.set(size.entries);
      log.oldest.set(size.oldestMs / 1_000);
      log.fullness.set(size.fullness);
      observer.onChangeLogMeasured(size);
    },
    onStalledHalted: (holding) => observer.onStalledHalted(holding),
    onPruned(entries) {
      counters.pruned.inc(entries);
      observer.onPruned(entries);
    },
  };
}

function syncCounters(registry: Registry) {
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name: `entity_search_sync_${name}`, help, labelNames, registers: [registry] });
  return {
    rounds: counter('rounds_total', 'Successful rounds of reading the change log.', 'kind'),
    changes: counter('changes_applied_total', 'Change log entries applied to indices.', 'kind'),
    documents: counter('documents_total', 'Documents written or deleted by sync.', 'kind'),
    deadLetters: counter('dead_letters_total', 'Documents from sync that Elasticsearch rejected.', 'kind'),
    haltsEnded: counter(
      'halts_ended_total',
      'Halted generations that sync has compared, repaired and resumed.',
      'kind',
    ),
    repaired: counter('repaired_documents_total', 'Documents that sync repaired after a halt.', 'kind'),
    pruned: counter('pruned_entries_total', 'Change log entries removed; of many at once, as estimated by Postgres.'),
    reconnects: counter('reconnects_total', 'Times the Postgres connection that holds the locks was re-established.'),
  };
}

function changeLogGauges(registry: Registry) {
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `entity_search_change_log_${name}`, help, registers: [registry] });
  return {
    entries: gauge('entries', 'Change log entries, as estimated by Postgres.'),
    oldest: gauge('oldest_seconds', 'Age of the oldest change log entry.'),
    fullness: gauge(
      'fullness',
      'Used share of CHANGE_LOG_MAX_AGE or CHANGE_LOG_MAX_ENTRIES, whichever is larger; 1 is full.',
    ),
  };
}

function syncStates(registry: Registry) {
  const registers = [registry];
  return {
    following: new Gauge({
      name: 'entity_search_sync_following',
      help: '1 for generations that this process follows, 0 for those it stands by for.',
      labelNames: ['kind', 'generation'],
      registers,
    }),
    troubles: new Counter({
      name: 'entity_search_sync_troubles_total',
      help: 'Failed attempts of sync, which are retried; kind "all" for failures of the whole process.',
      labelNames: ['kind'],
      registers,
    }),
    lastError: new Gauge({
      name: 'entity_search_sync_last_error_timestamp_seconds',
      help: 'Unix time of the last failed attempt of sync; 0 if none since the start.',
      registers,
    }),
  };
}

/** Where every generation's reader stands, whichever process it runs in. */
export function watchGenerations(registry: Registry, latest: () => readonly GenerationLag[] | undefined): void {
  const gauge = (name: string, help: string, value: (generation: GenerationLag) => number) =>
    new Gauge({
      name: `entity_search_generation_${name}`,
      help,
      labelNames: ['kind', 'generation', 'state'],
      registers: [registry],
      collect() {
        // Generations come and go; what is not known any more must not go on as it was.
        this.reset();
        for (const one of latest() ?? []) {
          this.set({ kind: one.kind, generation: one.generation, state: one.state }, value(one));
        }
      },
    });
  gauge('lag_rows', 'Change log entries that a generation lacks, counted up to 100000.', (one) => one.rows);
  gauge('lag_seconds', 'Age of the oldest entry that a generation lacks.', (one) => one.seconds);
  gauge('halted', '1 if a generation is not followed until it has been compared.', (one) => (one.halted ? 1 : 0));
  gauge('dead_letters', 'Documents of a generation that Elasticsearch rejected.', (one) => one.deadLetters);
}

/** The same observer, of which is counted what it is told. */
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
