import type { Logger } from 'pino';
import type { FollowedGeneration } from '../../indexer/change-log/positions.ts';
import type { Round } from '../../indexer/change-log/reader.ts';
import type { EmbeddingObserver } from '../../indexer/embeddings/fill-vectors.ts';
import type { LockHolder } from '../../indexer/generations/locks.ts';
import type { AutoRepairReport } from '../../indexer/sync/auto-repair.ts';
import type { SyncObserver } from '../../indexer/sync/observer.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import type { Terminal } from '../terminal.ts';

/** The number of texts refused by a provider of embeddings that are reported one by one; the metrics count all. */
const refusedShown = 20;

/** The interval at which the work since the last report is counted. */
const countEveryMs = 10_000;

type Fields = Readonly<Record<string, unknown>>;

/** Reports a sync until it is disposed: sentences on a terminal, the log elsewhere. */
export class SyncProgress implements SyncObserver, Disposable {
  readonly #terminal: Terminal;
  readonly #log: Logger;
  readonly #nowMs: () => number;
  readonly #timer: NodeJS.Timeout;
  /** Problems reported and not yet over: one that stays is not reported at each attempt. */
  readonly #problems = new Map<string, string>();
  #recent = { changes: 0, documents: 0, dead_letters: 0 };
  #recentVectors = 0;
  #sinceMs: number;
  readonly #waiting = new Map<KindName, number>();
  #refusedTexts = 0;

  constructor(terminal: Terminal, log: Logger, nowMs: () => number) {
    this.#terminal = terminal;
    this.#log = log;
    this.#nowMs = nowMs;
    this.#sinceMs = nowMs();
    this.#timer = setInterval(() => this.#reportRecent(), countEveryMs);
  }

  onFollowing({ kind, indexName: generation }: FollowedGeneration): void {
    this.#report('info', 'following', { kind, generation });
  }

  onStandby({ kind, indexName: generation }: FollowedGeneration, holder: LockHolder | undefined): void {
    this.#report('info', 'standing by', { kind, generation, holder });
  }

  onEnded({ kind, indexName: generation }: FollowedGeneration): void {
    this.#report('info', 'not following any more', { kind, generation });
  }

  onRound({ kind, indexName: generation }: FollowedGeneration, round: Round): void {
    const { changes, documents, deadLetters, rewound } = round;
    this.#recent.changes += changes;
    this.#recent.documents += documents;
    this.#recent.dead_letters += deadLetters;
    if (rewound) this.#report('info', 'went back: the index may have forgotten deletions', { kind, generation });
    if (deadLetters > 0) {
      this.#report('warn', 'documents were rejected', { kind, generation, dead_letters: deadLetters });
    }
  }

  onFailure(problem: string, pauseMs: number, followed?: FollowedGeneration): void {
    const generation = followed?.indexName;
    if (this.#problems.get(generation ?? '') === problem) return;
    this.#problems.set(generation ?? '', problem);
    this.#report('warn', 'trying again', { generation, problem, pause_ms: pauseMs });
  }

  onRecovered(followed?: FollowedGeneration): void {
    const generation = followed?.indexName;
    this.#problems.delete(generation ?? '');
    this.#report('info', 'working again', { generation });
  }

  onAutoRepaired({ kind, indexName: generation }: FollowedGeneration, report: AutoRepairReport): void {
    this.#problems.delete(generation);
    const { differed, written, deleted } = report;
    this.#report('info', 'compared, repaired, following again', { kind, generation, differed, written, deleted });
  }

  onRetired(kind: KindName, indices: readonly string[]): void {
    this.#report('info', 'removed indices that are not kept any longer', { kind, indices });
  }

  onAbandoned(kind: KindName, indices: readonly string[]): void {
    this.#report('warn', 'removed indices whose build was given up', { kind, indices });
  }

  // Shown by the metrics, `status` and `doctor`.
  onChangeLogMeasured(): void {}

  onStalledHalted(holding: readonly FollowedGeneration[]): void {
    const generations = holding.map(({ indexName }) => indexName);
    const message = 'the change log was too long: compared with the tables before it is followed again';
    this.#report('warn', message, { generations });
  }

  onPruned(entries: number): void {
    this.#report('info', 'removed applied entries of the change log', { entries });
  }

  /** Shows the progress of vectors. */
  readonly embedding: EmbeddingObserver = {
    onStored: (_kind, { stored }) => {
      this.#recentVectors += stored;
    },
    onSkipped: (kind, id, problem) => {
      this.#refusedTexts += 1;
      if (this.#refusedTexts <= refusedShown) this.#report('warn', 'a text was refused', { kind, id, problem });
    },
    onFailure: (problem, pauseMs) => {
      if (this.#problems.get('vectors') === problem) return;
      this.#problems.set('vectors', problem);
      this.#report('warn', 'vectors wait', { problem, pause_ms: pauseMs });
    },
    onRecovered: () => {
      this.#problems.delete('vectors');
      this.#report('info', 'vectors are being made again', {});
    },
    onBacklog: (kind, texts) => {
      this.#waiting.set(kind, texts);
    },
    onRemoved: (kind, vectors) => {
      this.#report('info', 'removed unused vectors', { kind, vectors });
    },
  };

  #report(level: 'info' | 'warn', message: string, fields: Fields): void {
    if (this.#terminal.stderr.isTTY !== true) this.#log[level](fields, message);
    else this.#terminal[level === 'warn' ? 'warn' : 'say'](sentenceOf(message, fields));
  }

  /** Reports the work since the last call. Reports nothing if there was none. */
  #reportRecent(): void {
    const { changes, documents } = this.#recent;
    const seconds = (this.#nowMs() - this.#sinceMs) / 1_000;
    if (this.#recentVectors > 0) {
      const waiting = [...this.#waiting.values()].reduce((sum, texts) => sum + texts, 0);
      this.#report('info', 'embedded', { vectors: this.#recentVectors, waiting });
    }
    if (changes + documents > 0) {
      const perSecond = seconds > 0 ? Math.round(changes / seconds) : 0;
      this.#report('info', 'applied', { ...this.#recent, changes_per_second: perSecond });
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

/** Returns an event for people: "companies-0a-1: documents were rejected (dead letters 3)". */
function sentenceOf(message: string, { kind: _, generation, problem, holder, ...others }: Fields): string {
  const details = Object.entries({ ...others, ...nameOf(holder) }).map(
    ([name, value]) => `${name.replaceAll('_', ' ')} ${value}`,
  );
  const where = generation === undefined ? '' : `${generation}: `;
  const why = problem === undefined ? '' : `: ${problem}`;
  return `${where}${message}${details.length === 0 ? '' : ` (${details.join(', ')})`}${why}`;
}

function nameOf(holder: unknown): object {
  return typeof holder === 'object' && holder !== null && 'applicationName' in holder
    ? { holder: holder.applicationName }
    : {};
}
