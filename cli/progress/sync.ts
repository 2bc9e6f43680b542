import type { EventEmitter } from 'node:events';
import type { FollowedGeneration } from '../../indexer/change-log/positions.ts';
import type { EmbeddingEvents } from '../../indexer/embeddings/fill-vectors.ts';
import { describeHolder } from '../../indexer/generations/locks.ts';
import type { SyncEvents } from '../../indexer/sync/events.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { reportEmbedding } from './embed.ts';
import type { Progress } from './progress.ts';

/** The interval at which the work since the last report is counted. */
const countEveryMs = 10_000;

/** Reports the events of a sync. The work is counted until this is disposed. */
export function reportSync(
  progress: Progress,
  events: EventEmitter<SyncEvents>,
  embedding: EventEmitter<EmbeddingEvents>,
  nowMs: () => number,
): Disposable {
  reportStates(progress, events);
  reportProblems(progress, events);
  reportEmbedding(progress, embedding);
  embedding.on('removed', (kind, vectors) =>
    progress.report('info', 'removed vectors of removed entities', { kind, vectors }),
  );
  return reportWork(progress, events, embedding, nowMs);
}

function named({ kind, indexName: generation }: FollowedGeneration) {
  return { kind, generation };
}

function reportStates(progress: Progress, events: EventEmitter<SyncEvents>): void {
  events.on('following', (followed) => progress.report('info', 'following', named(followed)));
  events.on('standby', (followed, holder) =>
    progress.report('info', 'standing by', { ...named(followed), holder: describeHolder(holder) }),
  );
  events.on('ended', (followed) => progress.report('info', 'not following any more', named(followed)));
  events.on('round', (followed, { deadLetters: dead_letters, rewound }) => {
    if (rewound) progress.report('info', 'went back: the index may have forgotten deletions', named(followed));
    if (dead_letters > 0) progress.report('warn', 'documents were rejected', { ...named(followed), dead_letters });
  });
  events.on('retired', (kind, indices) =>
    progress.report('info', 'removed indices that are not kept any longer', { kind, indices }),
  );
  events.on('abandoned', (kind, indices) =>
    progress.report('warn', 'removed indices whose build was given up', { kind, indices }),
  );
  events.on('stalled', (holding) => {
    const message = 'the change log was too long: compared with the tables before it is followed again';
    progress.report('warn', message, { generations: holding.map(({ indexName }) => indexName) });
  });
  events.on('pruned', (entries) => progress.report('info', 'removed applied entries of the change log', { entries }));
}

/** Reports a problem once while it lasts. */
function reportProblems(progress: Progress, events: EventEmitter<SyncEvents>): void {
  const lasting = new Map<string | undefined, string>();
  events.on('failure', (problem, pauseMs, followed) => {
    const generation = followed?.indexName;
    if (lasting.get(generation) === problem) return;
    lasting.set(generation, problem);
    progress.report('warn', 'trying again', { generation, problem, pause_ms: pauseMs });
  });
  events.on('recovered', (followed) => {
    lasting.delete(followed?.indexName);
    progress.report('info', 'working again', { generation: followed?.indexName });
  });
  events.on('repaired', (followed, { differed, written, deleted }) => {
    lasting.delete(followed.indexName);
    const fields = { ...named(followed), differed, written, deleted };
    progress.report('info', 'compared, repaired, following again', fields);
  });
}

/** Reports the work at intervals; nothing if there was none. */
function reportWork(
  progress: Progress,
  events: EventEmitter<SyncEvents>,
  embedding: EventEmitter<EmbeddingEvents>,
  nowMs: () => number,
): Disposable {
  let recent = { changes: 0, documents: 0, dead_letters: 0 };
  let vectors = 0;
  let sinceMs = nowMs();
  const waiting = new Map<KindName, number>();
  events.on('round', (_followed, { changes, documents, deadLetters }) => {
    recent.changes += changes;
    recent.documents += documents;
    recent.dead_letters += deadLetters;
  });
  embedding.on('stored', (_kind, { stored }) => {
    vectors += stored;
  });
  embedding.on('backlog', (kind, texts) => waiting.set(kind, texts));
  const report = (): void => {
    const seconds = (nowMs() - sinceMs) / 1_000;
    if (vectors > 0) {
      const left = [...waiting.values()].reduce((sum, texts) => sum + texts, 0);
      progress.report('info', 'embedded', { vectors, waiting: left });
    }
    if (recent.changes + recent.documents > 0) {
      const perSecond = seconds > 0 ? Math.round(recent.changes / seconds) : 0;
      progress.report('info', 'applied', { ...recent, changes_per_second: perSecond });
    }
    recent = { changes: 0, documents: 0, dead_letters: 0 };
    vectors = 0;
    sinceMs = nowMs();
  };
  const timer = setInterval(report, countEveryMs);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      report();
    },
  };
}
