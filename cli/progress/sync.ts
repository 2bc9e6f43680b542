import type { Logger } from 'pino';
import type { FollowedGeneration } from '../../indexer/change-log/positions.ts';
import type { Round } from '../../indexer/change-log/reader.ts';
import type { EmbeddingObserver } from '../../indexer/embeddings/fill-vectors.ts';
import type { LockHolder } from '../../indexer/generations/locks.ts';
import type { AutoRepairReport } from '../../indexer/sync/auto-repair.ts';
import type { SyncObserver } from '../../indexer/sync/observer.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import type { Terminal } from '../terminal.ts';
import { ProgressDisplay } from './display.ts';

/** The number of texts refused by a provider of embeddings that are reported one by one; the metrics count all. */
const refusedShown = 20;

interface Recent {
  readonly changes: number;
  readonly documents: number;
  readonly deadLetters: number;
  readonly vectors: number;
  readonly perSecond: number;
}

/** Shows a sync until it is disposed: one line with sentences above it on a terminal, the log elsewhere. */
export class SyncProgress implements SyncObserver, Disposable {
  readonly #log: Logger;
  readonly #nowMs: () => number;
  readonly #display: ProgressDisplay<Recent>;
  readonly #following = new Set<string>();
  readonly #standby = new Set<string>();
  /** Problems reported and not yet over: one that stays is not reported at each attempt. */
  readonly #problems = new Map<string, string>();
  #recent = { changes: 0, documents: 0, deadLetters: 0, vectors: 0, sinceMs: 0 };
  readonly #waiting = new Map<KindName, number>();
  #applied = 0;
  #refusedTexts = 0;

  constructor(terminal: Terminal, log: Logger, nowMs: () => number) {
    this.#log = log;
    this.#nowMs = nowMs;
    this.#recent.sinceMs = nowMs();
    this.#display = new ProgressDisplay(terminal, {
      writeLine: (recent) => this.#logRecent(recent),
      format: '{text}',
      clear: true,
      drawEveryMs: 1_000,
      lineEveryMs: 10_000,
    });
    const state = () => {
      const recent = this.#takeRecent();
      return { done: 0, text: this.#statusLine(recent), line: recent };
    };
    this.#display.start({ label: '', total: 0, state });
  }

  onFollowing({ kind, indexName }: FollowedGeneration): void {
    this.#standby.delete(indexName);
    this.#following.add(indexName);
    this.#report('info', 'following', { kind, generation: indexName }, `Following ${indexName}`);
  }

  onStandby({ kind, indexName }: FollowedGeneration, holder: LockHolder | undefined): void {
    this.#standby.add(indexName);
    const who = holder?.applicationName ?? 'another process';
    const text = `Standing by for ${indexName}, which is followed by ${who}`;
    this.#report('info', 'standing by', { kind, generation: indexName, holder }, text);
  }

  onEnded({ kind, indexName }: FollowedGeneration): void {
    this.#following.delete(indexName);
    this.#report('info', 'not following any more', { kind, generation: indexName });
  }

  onRound({ kind, indexName }: FollowedGeneration, { changes, documents, deadLetters, rewound }: Round): void {
    this.#applied += changes;
    this.#recent.changes += changes;
    this.#recent.documents += documents;
    this.#recent.deadLetters += deadLetters;
    const fields = { kind, generation: indexName };
    if (rewound) {
      const text = `${indexName}: going back, the index may have forgotten deletions`;
      this.#report('info', 'went back: the index may have forgotten deletions', fields, text);
    }
    if (deadLetters > 0) {
      const text = `${indexName}: ${deadLetters} documents were rejected`;
      this.#report('warn', 'documents were rejected', { ...fields, dead_letters: deadLetters }, text);
    }
  }

  onFailure(text: string, pauseMs: number, followed?: FollowedGeneration): void {
    const generation = followed?.indexName;
    if (this.#problems.get(generation ?? '') === text) return;
    this.#problems.set(generation ?? '', text);
    this.#report('warn', 'trying again', { generation, problem: text, pause_ms: pauseMs }, text);
  }

  onRecovered(followed?: FollowedGeneration): void {
    const generation = followed?.indexName;
    this.#problems.delete(generation ?? '');
    this.#report('info', 'working again', { generation }, `${generation ?? 'Postgres'}: working again`);
  }

  onAutoRepaired({ kind, indexName }: FollowedGeneration, { differed, written, deleted }: AutoRepairReport): void {
    this.#problems.delete(indexName);
    const fields = { kind, generation: indexName, differed, written, deleted };
    const text = `${indexName}: compared with the tables, ${differed} documents repaired, following again`;
    this.#report('info', 'compared, repaired, following again', fields, text);
  }

  onRetired(kind: KindName, indices: readonly string[]): void {
    const text = `Removed ${indices.join(', ')}: not kept any longer`;
    this.#report('info', 'removed indices that are not kept any longer', { kind, indices }, text);
  }

  onAbandoned(kind: KindName, indices: readonly string[]): void {
    const text = `Removed ${indices.join(', ')}: its build was given up`;
    this.#report('warn', 'removed indices whose build was given up', { kind, indices }, text);
  }

  // Shown by the metrics, `status` and `doctor`.
  onChangeLogMeasured(): void {}

  onStalledHalted(holding: readonly FollowedGeneration[]): void {
    const generations = holding.map(({ indexName }) => indexName);
    const message = 'the change log was too long: compared with the tables before it is followed again';
    this.#report('warn', message, { generations }, `${generations.join(', ')}: ${message}`);
  }

  /** Shows the progress of vectors. */
  readonly embedding: EmbeddingObserver = {
    onStored: (_kind, { stored }) => {
      this.#recent.vectors += stored;
    },
    onSkipped: (kind, id, reason) => {
      this.#refusedTexts += 1;
      if (this.#refusedTexts > refusedShown) return;
      const text = `${kind} ${id} has no vector: ${reason}`;
      this.#report('warn', 'a text was refused', { kind, id, problem: reason }, text);
    },
    onFailure: (problem, pauseMs) => {
      if (this.#problems.get('vectors') === problem) return;
      this.#problems.set('vectors', problem);
      this.#report('warn', 'vectors wait', { problem, pause_ms: pauseMs }, `Vectors wait: ${problem}`);
    },
    onRecovered: () => {
      this.#problems.delete('vectors');
      this.#report('info', 'vectors are being made again', {}, 'Vectors are being made again');
    },
    onBacklog: (kind, texts) => {
      this.#waiting.set(kind, texts);
    },
    onRemoved: (kind, vectors) => {
      this.#report('info', 'removed unused vectors', { kind, vectors });
    },
  };

  onPruned(entries: number): void {
    this.#report('info', 'removed applied entries of the change log', { entries });
  }

  /** @param text for people; without it, the event is not shown to them */
  #report(level: 'info' | 'warn', message: string, fields: object, text?: string): void {
    if (!this.#display.hasBars) this.#log[level](fields, message);
    else if (text !== undefined) this.#display.say(text);
  }

  /** Returns and resets the counts since the last call. */
  #takeRecent(): Recent {
    const { sinceMs, ...counts } = this.#recent;
    const seconds = (this.#nowMs() - sinceMs) / 1_000;
    this.#recent = { changes: 0, documents: 0, deadLetters: 0, vectors: 0, sinceMs: this.#nowMs() };
    return { ...counts, perSecond: seconds > 0 ? Math.round(counts.changes / seconds) : 0 };
  }

  #statusLine({ perSecond }: Recent): string {
    const standby = this.#standby.size === 0 ? '' : `, standing by for ${this.#standby.size}`;
    const [problem] = this.#problems.values();
    const suffix = problem === undefined ? '' : ` · ${problem.split('\n')[0]}`;
    const texts = this.#waitingTexts();
    const waiting = texts === 0 ? '' : ` · ${texts} texts wait for vectors`;
    return `following ${this.#following.size} indices${standby} · ${this.#applied} changes applied, ${perSecond}/s${waiting}${suffix}`;
  }

  #logRecent({ changes, documents, deadLetters, vectors, perSecond }: Recent): void {
    if (vectors > 0) this.#log.info({ vectors, waiting: this.#waitingTexts() }, 'embedded');
    if (changes === 0 && documents === 0) return;
    this.#log.info({ changes, documents, dead_letters: deadLetters, changes_per_second: perSecond }, 'applied');
  }

  #waitingTexts(): number {
    return [...this.#waiting.values()].reduce((sum, texts) => sum + texts, 0);
  }

  [Symbol.dispose](): void {
    this.#display[Symbol.dispose]();
  }
}
