import type { Logger } from 'pino';
import type { FollowedGeneration } from '../../indexer/change-log/positions.ts';
import type { Round } from '../../indexer/change-log/reader.ts';
import type { LockHolder } from '../../indexer/generations/locks.ts';
import type { AutoRepairReport } from '../../indexer/sync/auto-repair.ts';
import type { SyncObserver } from '../../indexer/sync/observer.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import type { Terminal } from '../terminal.ts';

/** Shows what a sync does until it is disposed. */
export interface SyncShow extends SyncObserver, Disposable {}

/** A line that is drawn anew on a terminal; elsewhere the log. */
export function createSyncShow(terminal: Terminal, log: Logger, nowMs: () => number): SyncShow {
  return terminal.stderr.isTTY ? new StatusLine(terminal, nowMs) : new LogLines(log, nowMs);
}

/** What was done in a span of time. */
class Tally {
  readonly #nowMs: () => number;
  #sinceMs: number;
  changes = 0;
  documents = 0;
  deadLetters = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#sinceMs = nowMs();
  }

  add(round: Round): void {
    this.changes += round.changes;
    this.documents += round.documents;
    this.deadLetters += round.deadLetters;
  }

  /** What came together since the last call. */
  take() {
    const seconds = (this.#nowMs() - this.#sinceMs) / 1_000;
    const { changes, documents, deadLetters } = this;
    this.#sinceMs = this.#nowMs();
    this.changes = 0;
    this.documents = 0;
    this.deadLetters = 0;
    return { changes, documents, deadLetters, perSecond: seconds > 0 ? Math.round(changes / seconds) : 0 };
  }
}

const logEveryMs = 10_000;
const drawEveryMs = 1_000;

class LogLines implements SyncShow {
  readonly #log: Logger;
  readonly #tally: Tally;
  readonly #timer: NodeJS.Timeout;
  /** Troubles said and not yet over, so that one that stays is not said each time it is tried again. */
  readonly #said = new Map<string, string>();

  constructor(log: Logger, nowMs: () => number) {
    this.#log = log;
    this.#tally = new Tally(nowMs);
    this.#timer = setInterval(() => this.#summary(), logEveryMs);
  }

  #summary(): void {
    const { changes, documents, deadLetters, perSecond } = this.#tally.take();
    if (changes === 0 && documents === 0) return;
    this.#log.info({ changes, documents, dead_letters: deadLetters, changes_per_second: perSecond }, 'applied');
  }

  onFollowing(followed: FollowedGeneration): void {
    this.#log.info({ kind: followed.kind, generation: followed.indexName }, 'following');
  }

  onStandby(followed: FollowedGeneration, holder: LockHolder | undefined): void {
    this.#log.info({ kind: followed.kind, generation: followed.indexName, holder }, 'standing by');
  }

  onEnded(followed: FollowedGeneration): void {
    this.#log.info({ kind: followed.kind, generation: followed.indexName }, 'not following any more');
  }

  onRound(followed: FollowedGeneration, round: Round): void {
    this.#tally.add(round);
    const fields = { kind: followed.kind, generation: followed.indexName };
    if (round.rewound) this.#log.info(fields, 'went back: the index may have forgotten deletions');
    if (round.deadLetters > 0)
      this.#log.warn({ ...fields, dead_letters: round.deadLetters }, 'documents were rejected');
  }

  onFailure(text: string, pauseMs: number, followed?: FollowedGeneration): void {
    const about = followed?.indexName ?? '';
    if (this.#said.get(about) === text) return;
    this.#said.set(about, text);
    this.#log.warn({ generation: followed?.indexName, problem: text, pause_ms: pauseMs }, 'trying again');
  }

  onRecovered(followed?: FollowedGeneration): void {
    this.#said.delete(followed?.indexName ?? '');
    this.#log.info({ generation: followed?.indexName }, 'working again');
  }

  onAutoRepaired({ kind, indexName }: FollowedGeneration, { differed, written, deleted }: AutoRepairReport): void {
    this.#said.delete(indexName);
    this.#log.info({ kind, generation: indexName, differed, written, deleted }, 'compared, repaired, following again');
  }

  onRetired(kind: KindName, indices: readonly string[]): void {
    this.#log.info({ kind, indices }, 'removed indices that are not kept any longer');
  }

  onAbandoned(kind: KindName, indices: readonly string[]): void {
    this.#log.warn({ kind, indices }, 'removed indices that nobody went on building');
  }

  // Told by the metrics, and by `status` and `doctor`.
  onChangeLogMeasured(): void {}

  onStalledHalted(holding: readonly FollowedGeneration[]): void {
    const generations = holding.map(({ indexName }) => indexName);
    this.#log.warn(
      { generations },
      'the change log was too long: compared with the tables before it is followed again',
    );
  }

  onPruned(entries: number): void {
    this.#log.info({ entries }, 'removed entries of the change log that nobody needs');
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#summary();
  }
}

class StatusLine implements SyncShow {
  readonly #terminal: Terminal;
  readonly #tally: Tally;
  readonly #timer: NodeJS.Timeout;
  readonly #following = new Set<string>();
  readonly #standby = new Set<string>();
  readonly #troubles = new Map<string, string>();
  #applied = 0;

  constructor(terminal: Terminal, nowMs: () => number) {
    this.#terminal = terminal;
    this.#tally = new Tally(nowMs);
    this.#timer = setInterval(() => this.#draw(), drawEveryMs);
  }

  #draw(): void {
    const { changes, perSecond } = this.#tally.take();
    this.#applied += changes;
    const standby = this.#standby.size === 0 ? '' : `, standing by for ${this.#standby.size}`;
    const [trouble] = this.#troubles.values();
    const problem = trouble === undefined ? '' : ` · ${trouble.split('\n')[0]}`;
    const line = `following ${this.#following.size} indices${standby} · ${this.#applied} changes applied, ${perSecond}/s${problem}`;
    this.#terminal.stderr.write(`\r\u001b[2K${line}`);
  }

  /** A line of its own above the status line. */
  #tell(line: string): void {
    this.#terminal.stderr.write('\r\u001b[2K');
    this.#terminal.say(line);
  }

  onFollowing({ indexName }: FollowedGeneration): void {
    this.#standby.delete(indexName);
    this.#following.add(indexName);
    this.#tell(`Following ${indexName}`);
  }

  onStandby({ indexName }: FollowedGeneration, holder: LockHolder | undefined): void {
    this.#standby.add(indexName);
    this.#tell(
      `Standing by for ${indexName}, which is followed by ${holder?.applicationName ?? 'another process'}`,
    );
  }

  onEnded({ indexName }: FollowedGeneration): void {
    this.#following.delete(indexName);
  }

  onRound(followed: FollowedGeneration, round: Round): void {
    this.#tally.add(round);
    if (round.rewound) this.#tell(`${followed.indexName}: going back, the index may have forgotten deletions`);
    if (round.deadLetters > 0) this.#tell(`${followed.indexName}: ${round.deadLetters} documents were rejected`);
  }

  onFailure(text: string, _pauseMs: number, followed?: FollowedGeneration): void {
    const about = followed?.indexName ?? '';
    if (this.#troubles.get(about) !== text) this.#tell(text);
    this.#troubles.set(about, text);
  }

  onRecovered(followed?: FollowedGeneration): void {
    this.#troubles.delete(followed?.indexName ?? '');
    this.#tell(`${followed?.indexName ?? 'Postgres'}: working again`);
  }

  onAutoRepaired({ indexName }: FollowedGeneration, { differed }: AutoRepairReport): void {
    this.#troubles.delete(indexName);
    this.#tell(`${indexName}: compared with the tables, ${differed} documents repaired, following again`);
  }

  onRetired(_kind: KindName, indices: readonly string[]): void {
    this.#tell(`Removed ${indices.join(', ')}: not kept any longer`);
  }

  onAbandoned(_kind: KindName, indices: readonly string[]): void {
    this.#tell(`Removed ${indices.join(', ')}: nobody went on building it`);
  }

  onChangeLogMeasured(): void {}

  onStalledHalted(holding: readonly FollowedGeneration[]): void {
    const names = holding.map(({ indexName }) => indexName).join(', ');
    this.#tell(`${names}: the change log was too long; compared with the tables before it is followed again`);
  }

  // Nothing that a person waits for.
  onPruned(): void {}

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#terminal.stderr.write('\r\u001b[2K');
  }
}
