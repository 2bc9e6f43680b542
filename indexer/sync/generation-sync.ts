import type { Backoff } from '../../src/lib/backoff.ts';
import type { SerialQueue } from '../../src/lib/serial-queue.ts';
import { sleepUnlessAborted } from '../../src/lib/sleep.ts';
import { HaltedError, haltGenerations } from '../change-log/halts.ts';
import { type FollowedGeneration, recordLastError } from '../change-log/positions.ts';
import { GenerationReader } from '../change-log/reader.ts';
import { TooManyDeadLettersError } from '../dead-letters/limits.ts';
import { explainError } from '../errors.ts';
import type { BufferShare } from '../write/batch-buffers.ts';
import { type AutoRepairReport, autoRepair } from './auto-repair.ts';
import { readerDeps, type SyncDeps } from './observer.ts';

/** Follows one generation, round by round, and tells how it goes. To be disposed of at the end. */
export class GenerationSync implements Disposable {
  readonly #deps: SyncDeps;
  readonly #followed: FollowedGeneration;
  readonly #backoff: Backoff;
  /** Aborts when nobody is to wait any more. */
  readonly #closing: AbortSignal;
  readonly #reader: GenerationReader;
  readonly #buffers: BufferShare;
  readonly #mending: SerialQueue;
  /** The halt that is left to a person, because more differs than may be repaired. */
  #leftHalt: { readonly position: string; readonly problem: string } | undefined;
  /** What is noted about it where everybody sees it; unknown at first, so that an earlier process's note goes. */
  #noted: string | null | undefined;

  constructor(
    deps: SyncDeps,
    followed: FollowedGeneration,
    backoff: Backoff,
    closing: AbortSignal,
    mending: SerialQueue,
  ) {
    this.#deps = deps;
    this.#mending = mending;
    this.#followed = followed;
    this.#backoff = backoff;
    this.#closing = closing;
    this.#buffers = deps.buffers.share();
    this.#reader = new GenerationReader(readerDeps(deps, this.#buffers), followed.id);
  }

  [Symbol.dispose](): void {
    this.#buffers[Symbol.dispose]();
  }

  /** One round, and the pause after it. */
  async round(cut: AbortSignal): Promise<void> {
    const { observer, config, nowMs } = this.#deps;
    const beganMs = nowMs();
    const round = await this.#reader.round(cut);
    if (this.#noted !== null) await this.#note(null);
    if (this.#backoff.reset()) observer.onRecovered(this.#followed);
    observer.onRound(this.#followed, round);
    if (round.rewound) return;
    if (round.compareDue) await this.#compareAgain(cut);
    const pauseMs = round.changes === 0 ? config.pollMs : config.roundPauseMs;
    await sleepUnlessAborted(Math.max(0, pauseMs - (nowMs() - beganMs)), this.#closing);
  }

  /** After a round that failed: mends what was halted; else tells why, and waits until it may be tried again. */
  async recover(error: unknown, cut: AbortSignal): Promise<void> {
    if (!(error instanceof HaltedError)) return this.#trouble(error);
    const { longestPauseMs } = this.#deps.config;
    // Only a person can go on there; what he does is looked for.
    if (this.#leftHalt?.position === error.position) return this.#tell(this.#leftHalt.problem, longestPauseMs);
    this.#deps.observer.onFailure(error.message, 0, this.#followed);
    try {
      const report = await this.#mending(() => this.#mend(false, cut));
      if (report.problem === null) this.#deps.observer.onAutoRepaired(this.#followed, report);
      else if (!report.beyondBounds) await this.#trouble(new Error(report.problem));
      else {
        this.#leftHalt = { position: error.position, problem: report.problem };
        await this.#tell(report.problem, longestPauseMs);
      }
    } catch (failure) {
      if (cut.aborted) return;
      await this.#trouble(failure);
    }
  }

  #mend(again: boolean, signal: AbortSignal): Promise<AutoRepairReport> {
    return autoRepair(this.#deps, this.#followed.id, { again, signal });
  }

  /** Some time after a halt: what a late request did is mended, too. */
  async #compareAgain(cut: AbortSignal): Promise<void> {
    const report = await this.#mending(() => this.#mend(true, cut));
    if (report.problem === null) this.#deps.observer.onAutoRepaired(this.#followed, report);
    else if (!report.beyondBounds) throw new Error(report.problem);
    else await haltGenerations(this.#deps.pool, { ids: [this.#followed.id], reason: report.problem });
  }

  async #trouble(error: unknown): Promise<void> {
    const { longestPauseMs } = this.#deps.config;
    const { text } = explainError(error);
    const nextMs = this.#backoff.next();
    if (!(error instanceof TooManyDeadLettersError)) return this.#tell(text, nextMs);
    const { kind, indexName } = this.#followed;
    const whole = `${text}\nNothing more is applied to ${indexName} until they are taken. See them with: entity-search dead-letters ${kind}. Correct the rows, or allow more; other indices go on.`;
    return this.#tell(whole, longestPauseMs);
  }

  /** Tells whoever watches, notes it for `status`, and waits. */
  async #tell(text: string, pauseMs: number): Promise<void> {
    this.#deps.observer.onFailure(text, pauseMs, this.#followed);
    try {
      if (this.#noted !== text) await this.#note(text);
    } catch {
      // The database is away, which the next round tells; it is noted after that.
    }
    return sleepUnlessAborted(pauseMs, this.#closing);
  }

  async #note(text: string | null): Promise<void> {
    await recordLastError(this.#deps.pool, this.#followed.id, text);
    this.#noted = text;
  }
}
