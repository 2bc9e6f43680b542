import type { Logger } from 'pino';
import type { EmbeddingObserver } from '../../indexer/embeddings/fill-vectors.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import type { Terminal } from '../terminal.ts';
import { ProgressDisplay, rateOf, timeLeft, type Work } from './display.ts';

/** How far the texts of one kind are. */
interface KindCounts {
  readonly kind: KindName;
  /** Texts without a vector when it began. */
  readonly total: number;
  readonly startMs: number;
  stored: number;
  skipped: number;
}

/** Texts named one by one that the provider refused; the rest is counted. */
const skippedShown = 20;

/** Shows the making of vectors until it is disposed: a bar for each kind on a terminal, a line a second elsewhere. */
export class EmbedProgress implements EmbeddingObserver, Disposable {
  readonly #log: Logger;
  readonly #nowMs: () => number;
  readonly #display: ProgressDisplay;
  #current: { readonly counts: KindCounts; readonly work: Work } | undefined;

  constructor(terminal: Terminal, log: Logger, nowMs: () => number) {
    this.#log = log;
    this.#nowMs = nowMs;
    this.#display = new ProgressDisplay(terminal);
  }

  /** A kind begins. */
  onBacklog(kind: KindName, texts: number): void {
    this.#finish();
    const counts: KindCounts = { kind, total: texts, startMs: this.#nowMs(), stored: 0, skipped: 0 };
    const work: Work = {
      label: kind.padEnd(9),
      total: Math.max(texts, 1),
      bar: () => {
        const { perSecond, remainingSeconds } = this.#rate(counts);
        const refused = counts.skipped === 0 ? '' : `, ${counts.skipped} refused`;
        const done = texts === 0 ? 1 : counts.stored + counts.skipped;
        return { done, text: `${counts.stored}/${texts} texts, ${perSecond}/s${timeLeft(remainingSeconds)}${refused}` };
      },
      writeLine: () => this.#log.info(this.#fields(counts), 'embedding progress'),
    };
    this.#current = { counts, work };
    this.#display.start(work);
  }

  onStored(_kind: KindName, { stored }: { readonly stored: number }): void {
    if (this.#current !== undefined) this.#current.counts.stored += stored;
  }

  onSkipped(kind: KindName, id: number, reason: string): void {
    if (this.#current === undefined) return;
    this.#current.counts.skipped += 1;
    if (this.#current.counts.skipped > skippedShown) return;
    this.#warn({ kind, id, problem: reason }, 'a text was refused', `${kind} ${id}: ${reason}`);
  }

  onFailure(text: string, pauseMs: number): void {
    this.#warn({ problem: text, pause_ms: pauseMs }, 'trying again', text);
  }

  onRecovered(): void {
    if (this.#display.hasBars) this.#display.say('Working again.');
    else this.#log.info({}, 'working again');
  }

  // The result counts them.
  onRemoved(): void {}

  onWaiting(kind: KindName, holder: string): void {
    const text = `The vectors of ${kind} are being made by ${holder}; waiting until it is done.`;
    if (this.#display.hasBars) this.#display.say(text);
    else this.#log.info({ kind, holder }, 'waiting for another process that makes these vectors');
  }

  #warn(fields: object, message: string, text: string): void {
    if (this.#display.hasBars) this.#display.warn(text);
    else this.#log.warn(fields, message);
  }

  #rate({ stored, skipped, total, startMs }: KindCounts) {
    return rateOf(stored + skipped, total, (this.#nowMs() - startMs) / 1_000);
  }

  #fields(counts: KindCounts) {
    const { kind, total, stored, skipped } = counts;
    const { perSecond, remainingSeconds } = this.#rate(counts);
    return { kind, stored, skipped, total, texts_per_second: perSecond, seconds_left: remainingSeconds ?? null };
  }

  #finish(): void {
    if (this.#current === undefined) return;
    this.#display.finish(this.#current.work);
    if (!this.#display.hasBars) {
      const seconds = (this.#nowMs() - this.#current.counts.startMs) / 1_000;
      this.#log.info({ ...this.#fields(this.#current.counts), seconds }, 'embedding ended');
    }
    this.#current = undefined;
  }

  [Symbol.dispose](): void {
    this.#finish();
    this.#display[Symbol.dispose]();
  }
}
