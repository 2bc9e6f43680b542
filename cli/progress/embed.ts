import type { Logger } from 'pino';
import type { EmbeddingObserver } from '../../indexer/embeddings/fill-vectors.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import type { Terminal } from '../terminal.ts';
import { ProgressDisplay, showCounted, type WorkProgress } from './display.ts';

/** Refused texts named one by one; the rest are counted. */
const refusedShown = 20;

/** Shows how many texts of each kind have their vectors, until it is disposed. */
export class EmbedProgress implements EmbeddingObserver, Disposable {
  readonly #log: Logger;
  readonly #nowMs: () => number;
  readonly #display: ProgressDisplay;
  #texts: WorkProgress | undefined;
  #counts = { stored: 0, refused: 0 };

  constructor(terminal: Terminal, log: Logger, nowMs: () => number) {
    this.#log = log;
    this.#nowMs = nowMs;
    this.#display = new ProgressDisplay(terminal);
  }

  onBacklog(kind: KindName, texts: number): void {
    this.#texts?.[Symbol.dispose]();
    this.#counts = { stored: 0, refused: 0 };
    this.#texts = showCounted(this.#display, { kind, phase: 'embed', total: texts }, this.#nowMs);
  }

  onStored(_kind: KindName, { stored }: { readonly stored: number }): void {
    this.#count({ stored: this.#counts.stored + stored });
  }

  onSkipped(kind: KindName, id: number, reason: string): void {
    this.#count({ refused: this.#counts.refused + 1 });
    if (this.#counts.refused > refusedShown) return;
    this.#report('warn', { kind, id, problem: reason }, 'a text was refused', `${kind} ${id}: ${reason}`);
  }

  onFailure(text: string, pauseMs: number): void {
    this.#report('warn', { problem: text, pause_ms: pauseMs }, 'trying again', text);
  }

  onRecovered(): void {
    this.#report('info', {}, 'working again', 'Working again.');
  }

  // The result counts them.
  onRemoved(): void {}

  onWaiting(kind: KindName, holder: string): void {
    const text = `The vectors of ${kind} are being made by ${holder}; waiting until it is done.`;
    this.#report('info', { kind, holder }, 'waiting for another process that makes these vectors', text);
  }

  #count(change: Partial<{ stored: number; refused: number }>): void {
    Object.assign(this.#counts, change);
    const { stored, refused } = this.#counts;
    this.#texts?.update(stored + refused, { refused });
  }

  #report(level: 'info' | 'warn', fields: object, message: string, text: string): void {
    if (!this.#display.hasBars) this.#log[level](fields, message);
    else if (level === 'warn') this.#display.warn(text);
    else this.#display.say(text);
  }

  [Symbol.dispose](): void {
    this.#display[Symbol.dispose]();
  }
}
