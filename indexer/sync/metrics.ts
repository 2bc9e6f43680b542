import type { EventEmitter } from 'node:events';
import type { Registry } from 'prom-client';
import { metricsIn } from '../../src/metrics/registry.ts';
import type { SyncEvents } from './events.ts';

/** Counts events. Called once for a registry. */
export function countSync(registry: Registry, events: EventEmitter<SyncEvents>): void {
  const counters = syncCounters(registry);
  const { following, troubles, lastError } = syncStates(registry);
  const log = changeLogGauges(registry);
  events.on('following', ({ kind, indexName: generation }) => following.set({ kind, generation }, 1));
  events.on('standby', ({ kind, indexName: generation }) => following.set({ kind, generation }, 0));
  events.on('ended', ({ kind, indexName: generation }) => following.remove({ kind, generation }));
  events.on('round', ({ kind }, round) => {
    counters.rounds.inc({ kind });
    counters.changes.inc({ kind }, round.changes);
    counters.documents.inc({ kind }, round.documents);
    counters.deadLetters.inc({ kind }, round.deadLetters);
  });
  events.on('failure', (_text, _pauseMs, followed) => {
    troubles.inc({ kind: followed?.kind ?? 'all' });
    lastError.setToCurrentTime();
  });
  events.on('recovered', (followed) => {
    if (followed === undefined) counters.reconnects.inc();
  });
  events.on('repaired', ({ kind }, report) => {
    counters.haltsEnded.inc({ kind });
    counters.repaired.inc({ kind }, report.written + report.deleted);
  });
  events.on('measured', ({ entries, oldestMs, fullness }) => {
    log.entries.set(entries);
    log.oldest.set(oldestMs / 1_000);
    log.fullness.set(fullness);
  });
  events.on('pruned', (entries) => counters.pruned.inc(entries));
}

function syncCounters(registry: Registry) {
  const { counter } = metricsIn(registry, 'sync_');
  return {
    rounds: counter('rounds_total', 'Successful rounds of reading the change log.', ['kind']),
    changes: counter('changes_applied_total', 'Change log entries applied to indices.', ['kind']),
    documents: counter('documents_total', 'Documents written or deleted by sync.', ['kind']),
    deadLetters: counter('dead_letters_total', 'Documents from sync that Elasticsearch rejected.', ['kind']),
    haltsEnded: counter('halts_ended_total', 'Halted generations that sync has compared, repaired and resumed.', [
      'kind',
    ]),
    repaired: counter('repaired_documents_total', 'Documents that sync repaired after a halt.', ['kind']),
    pruned: counter('pruned_entries_total', 'Change log entries removed; of many at once, as estimated by Postgres.'),
    reconnects: counter('reconnects_total', 'Times the Postgres connection that holds the locks was re-established.'),
  };
}

function changeLogGauges(registry: Registry) {
  const { gauge } = metricsIn(registry, 'change_log_');
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
  const { counter, gauge } = metricsIn(registry, 'sync_');
  return {
    following: gauge(
      'following',
      '1 for generations that this process follows, 0 for those for which it is a standby.',
      ['kind', 'generation'],
    ),
    troubles: counter(
      'troubles_total',
      'Failed attempts of sync, which are retried; kind "all" for failures of the whole process.',
      ['kind'],
    ),
    lastError: gauge(
      'last_error_timestamp_seconds',
      'Unix time of the last failed attempt of sync; 0 if none since the start.',
    ),
  };
}
