import type { FollowedGeneration } from '../../indexer/change-log/positions.ts';
import type { Round } from '../../indexer/change-log/reader.ts';
import type { EmbeddingObserver } from '../../indexer/embeddings/fill-vectors.ts';
import { describeHolder, type LockHolder } from '../../indexer/generations/locks.ts';
import type { AutoRepairReport } from '../../indexer/sync/auto-repair.ts';
import type { SyncObserver } from '../../indexer/sync/observer.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { reportEmbedding } from './embed.ts';
import type { Progress } from './progress.ts';

/** The interval at which the work since the last report is counted. */
const countEveryMs = 10_000;

/** Reports the events of a sync until it is disposed. */
export class SyncReport implements SyncObserver, Disposable {
  readonly #progress: Progress;
  readonly #nowMs: () => number;
  readonly #timer: NodeJS.Timeout;
  /** Problems that were reported and still last, so that they are not reported at each attempt. */
  readonly #problems = new Map<string, string>();
  #recent = { changes: 0, documents: 0, dead_letters: 0 };
  #recentVectors = 0;
  #sinceMs: number;
  readonly #waiting = new Map<KindName, number>();
  /** Receives the events of making vectors. */
  readonly embedding: EmbeddingObserver;

  constructor(progress: Progress, nowMs: () => number) {
    this.#progress = progress;
    this.#nowMs = nowMs;
    this.#sinceMs = nowMs();
    this.#timer = setInterval(() => this.#reportRecent(), countEveryMs);
    this.embedding = {
      ...reportEmbedding(progress),
      onStored: (_kind, { stored }) => {
        this.#recentVectors += stored;
      },
      onBacklog: (kind, texts) => {
        this.#waiting.set(kind, texts);
      },
      onRemoved: (kind, vectors) => progress.report('info', 'removed vectors of removed entities', { kind, vectors }),
    };
  }

  onFollowing({ kind, indexName: generation }: FollowedGeneration): void {
    this.#progress.report('info', 'following', { kind, generation });
  }

  onStandby({ kind, indexName: generation }: FollowedGeneration, holder: LockHolder | undefined): void {
    this.#progress.report('info', 'standing by', { kind, generation, holder: describeHolder(holder) });
  }

  onEnded({ kind, indexName: generation }: FollowedGeneration): void {
    this.#progress.report('info', 'not following any more', { kind, generation });
  }

  onRound({ kind, indexName: generation }: FollowedGeneration, round: Round): void {
    const { changes, documents, deadLetters, rewound } = round;
    this.#recent.changes += changes;
    this.#recent.documents += documents;
    this.#recent.dead_letters += deadLetters;
    if (rewound) {
      this.#progress.report('info', 'went back: the index may have forgotten deletions', { kind, generation });
    }
    if (deadLetters > 0) {
      this.#progress.report('warn', 'documents were rejected', { kind, generation, dead_letters: deadLetters });
    }
  }

  onFailure(problem: string, pauseMs: number, followed?: FollowedGeneration): void {
    const generation = followed?.indexName;
    if (this.#problems.get(generation ?? '') === problem) return;
    this.#problems.set(generation ?? '', problem);
    this.#progress.report('warn', 'trying again', { generation, problem, pause_ms: pauseMs });
  }

  onRecovered(followed?: FollowedGeneration): void {
    const generation = followed?.indexName;
    this.#problems.delete(generation ?? '');
    this.#progress.report('info', 'working again', { generation });
  }

  onAutoRepaired({ kind, indexName: generation }: FollowedGeneration, report: AutoRepairReport): void {
    this.#problems.delete(generation);
    const { differed, written, deleted } = report;
    const fields = { kind, generation, differed, written, deleted };
    this.#progress.report('info', 'compared, repaired, following again', fields);
  }

  onRetired(kind: KindName, indices: readonly string[]): void {
    this.#progress.report('info', 'removed indices that are not kept any longer', { kind, indices });
  }

  onAbandoned(kind: KindName, indices: readonly string[]): void {
    this.#progress.report('warn', 'removed indices whose build was given up', { kind, indices });
  }

  // Shown by the metrics, `status` and `doctor`.
  onChangeLogMeasured(): void {}

  onStalledHalted(holding: readonly FollowedGeneration[]): void {
    const generations = holding.map(({ indexName }) => indexName);
    const message = 'the change log was too long: compared with the tables before it is followed again';
    this.#progress.report('warn', message, { generations });
  }

  onPruned(entries: number): void {
    this.#progress.report('info', 'removed applied entries of the change log', { entries });
  }

  /** Reports the work since the last call. Reports nothing if there was none. */
  #reportRecent(): void {
    const { changes, documents } = this.#recent;
    const seconds = (this.#nowMs() - this.#sinceMs) / 1_000;
    if (this.#recentVectors > 0) {
      const waiting = [...this.#waiting.values()].reduce((sum, texts) => sum + texts, 0);
      this.#progress.report('info', 'embedded', { vectors: this.#recentVectors, waiting });
    }
    if (changes + documents > 0) {
      const perSecond = seconds > 0 ? Math.round(changes / seconds) : 0;
      this.#progress.report('info', 'applied', { ...this.#recent, changes_per_second: perSecond });
    }
    this.#recent = { changes: 0, documents: 0, dead_letters: 0 };
    this.#recentVectors = 0;
    this.#sinceMs = this.#nowMs();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#reportRecent();
  }
}
