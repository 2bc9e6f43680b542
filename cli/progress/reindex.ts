import type { Round } from '../../indexer/change-log/reader.ts';
import type { GenerationState, LoadCounts } from '../../indexer/generations/model.ts';
import type { ReindexObserver } from '../../indexer/reindex/observer.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import type { Terminal } from '../terminal.ts';
import { ProgressDisplay, rateOf, timeLeft, type Work } from './display.ts';

export interface KindProgress extends LoadCounts {
  readonly kind: KindName;
  readonly state: GenerationState;
  /** Rows expected; an estimate for large tables. */
  readonly total: number;
  readonly changes: number;
  readonly seconds: number;
}

/** Returns progress as the text next to a bar and as a line for programs. */
export function describeProgress({ kind, state, rows, total, bytes, deadLetters, changes, seconds }: KindProgress) {
  const { perSecond, remainingSeconds } = rateOf(rows, total, seconds);
  const left = state === 'loading' ? timeLeft(remainingSeconds) : '';
  const rejected = deadLetters === 0 ? '' : `, ${deadLetters} rejected`;
  const since = changes === 0 ? '' : `, ${changes} changes since`;
  const megabytes = (bytes / 1_000_000).toFixed(1);
  return {
    // The state comes first: a narrow terminal cuts the end.
    text: `${state} · ${rows}/${total} rows, ${perSecond}/s, ${megabytes} MB${left}${rejected}${since}`,
    line: {
      event: 'progress',
      kind,
      state,
      rows,
      total,
      rows_per_second: perSecond,
      bytes,
      dead_letters: deadLetters,
      changes,
      remaining_seconds: remainingSeconds ?? null,
    },
  };
}

const unfinished: readonly GenerationState[] = ['planned', 'created', 'loading', 'catching-up', 'verifying', 'ready'];

/** Shows a reindex until it is disposed. */
export class ReindexProgress implements ReindexObserver, Disposable {
  readonly #terminal: Terminal;
  readonly #nowMs: () => number;
  readonly #display: ProgressDisplay;
  readonly #kinds = new Map<KindName, { progress: KindProgress; startMs: number; readonly work: Work }>();

  constructor(terminal: Terminal, nowMs: () => number) {
    this.#terminal = terminal;
    this.#nowMs = nowMs;
    this.#display = new ProgressDisplay(terminal);
  }

  onStart(kind: KindName, index: string, total: number): void {
    const counts = { seconds: 0, changes: 0, rows: 0, bytes: 0, deadLetters: 0 };
    const progress: KindProgress = { kind, state: 'planned', total, ...counts };
    const state = () => {
      const current = this.#update(kind, {}) ?? progress;
      return { done: current.rows, ...describeProgress(current) };
    };
    const work: Work = { label: kind.padEnd(9), total, state };
    this.#kinds.set(kind, { progress, startMs: this.#nowMs(), work });
    this.#display.start(work);
    if (!this.#display.hasBars) {
      this.#terminal.say(JSON.stringify({ event: 'start', kind, generation: index, total }));
    }
  }

  onState(kind: KindName, state: GenerationState): void {
    this.#update(kind, { state });
    const work = this.#kinds.get(kind)?.work;
    if (work === undefined) return;
    if (!unfinished.includes(state)) this.#display.finish(work);
    else this.#display.show(work);
  }

  onProgress(kind: KindName, progress: LoadCounts): void {
    this.#update(kind, progress);
  }

  onRound(kind: KindName, { changes }: Round): void {
    this.#update(kind, { changes: (this.#kinds.get(kind)?.progress.changes ?? 0) + changes });
  }

  onNote(kind: KindName, text: string): void {
    if (this.#display.hasBars) this.#display.warn(`${kind}: ${text}`);
    else this.#terminal.say(JSON.stringify({ event: 'note', kind, text }));
  }

  /** Returns undefined for a kind that was never begun. */
  #update(kind: KindName, change: Partial<KindProgress>): KindProgress | undefined {
    const known = this.#kinds.get(kind);
    if (known === undefined) return undefined;
    const wasLoading = known.progress.state === 'loading';
    const begins = !wasLoading && change.state === 'loading';
    if (begins) known.startMs = this.#nowMs();
    const seconds = wasLoading || begins ? (this.#nowMs() - known.startMs) / 1_000 : known.progress.seconds;
    known.progress = { ...known.progress, ...change, seconds };
    return known.progress;
  }

  [Symbol.dispose](): void {
    this.#display[Symbol.dispose]();
  }
}
