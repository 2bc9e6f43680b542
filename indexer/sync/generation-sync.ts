import { Backoff } from '../../src/lib/backoff.ts';
import type { SerialQueue } from '../../src/lib/concurrency/serial-queue.ts';
import { sleepUnlessAborted } from '../../src/lib/sleep.ts';
import { HaltedError, haltGenerations } from '../change-log/halts.ts';
import { type FollowedGeneration, recordLastError } from '../change-log/positions.ts';
import { GenerationReader } from '../change-log/reader.ts';
import { TooManyDeadLettersError } from '../dead-letters/monitor.ts';
import { explainError } from '../errors.ts';
import type { LockSession } from '../generations/locks.ts';
import { type AutoRepairReport, autoRepair } from './auto-repair.ts';
import type { HeldParts } from './held-parts.ts';
import type { SyncDeps } from './observer.ts';

/** What the readers of a process share. */
interface SharedWork {
  /** The parts that are followed. */
  readonly parts: HeldParts;
  readonly locks: LockSession;
  /** Comparing everything is work for both engines: one generation at a time. */
  readonly repairs: SerialQueue;
  /** Aborts when nobody is to wait any more. */
  readonly closing: AbortSignal;
}

/** Follows one generation, or some parts of it, round by round, repairs it after a halt, and tells how it goes. */
export class GenerationSync {
  readonly #deps: SyncDeps;
  readonly #followed: FollowedGeneration;
  readonly #backoff: Backoff;
  readonly #reader: GenerationReader;
  readonly #shared: SharedWork;
  /** The halt that is left to a person, because more differs than may be repaired. */
  #leftHalt: { readonly position: string; readonly problem: string } | undefined;
  /** What `status` shows about it; unknown at first, so that an earlier process's note goes. */
  #lastError: string | null | undefined;

  constructor(deps: SyncDeps, followed: FollowedGeneration, shared: SharedWork) {
    this.#deps = deps;
    this.#followed = followed;
    this.#shared = shared;
    this.#backoff = new Backoff(deps.config, deps.random);
    const context = { ...deps, changedTexts: deps.vectors?.changed };
    this.#reader = new GenerationReader(context, followed.id, () => shared.parts.parts);
  }

  /** One round, and the pause after it. It is cut short where parts are to be let go of, or `isOver` says so. */
  async round(cut: AbortSignal, isOver: () => boolean): Promise<void> {
    const { observer, config, nowMs } = this.#deps;
    const beganMs = nowMs();
    const { parts, closing } = this.#shared;
    const round = await this.#reader.round(cut, () => parts.isBeyondShare || isOver());
    if (this.#lastError !== null) await this.#recordError(null);
    if (this.#backoff.reset()) observer.onRecovered(this.#followed);
    observer.onRound(this.#followed, round);
    if (round.rewound) return;
    if (round.compareDue) await this.#compareAgain(cut);
    const pauseMs = round.changes === 0 ? config.pollMs : config.roundPauseMs;
    await sleepUnlessAborted(Math.max(0, pauseMs - (nowMs() - beganMs)), closing);
  }

  /** After a round that failed: repairs what was halted; else tells why, and waits until it may be tried again. */
  async recover(error: unknown, cut: AbortSignal): Promise<void> {
    if (!(error instanceof HaltedError)) return this.#waitAfter(error);
    // Only a person can go on there; what he does is looked for.
    if (this.#leftHalt?.position === error.position) return this.#waitForPerson(this.#leftHalt.problem);
    this.#deps.observer.onFailure(error.message, 0, this.#followed);
    try {
      const report = await this.#repair(false, cut);
      // A reader of other parts compares it.
      if (report === undefined) return await sleepUnlessAborted(this.#deps.config.firstPauseMs, this.#shared.closing);
      if (report.problem === null) return;
      if (!report.beyondBounds) return await this.#waitAfter(new Error(report.problem));
      this.#leftHalt = { position: error.position, problem: report.problem };
      await this.#waitForPerson(report.problem);
    } catch (failure) {
      if (!cut.aborted) await this.#waitAfter(failure);
    }
  }

  /** Undefined where another process does it. */
  async #repair(again: boolean, signal: AbortSignal): Promise<AutoRepairReport | undefined> {
    const { locks, repairs } = this.#shared;
    const lock = { space: 'repair', name: this.#followed.indexName } as const;
    if ((await locks.take(lock)) !== true) return undefined;
    try {
      return this.#compared(await repairs(() => autoRepair(this.#deps, this.#followed.id, { again, signal })));
    } finally {
      if (!locks.lost.aborted) await locks.release(lock);
    }
  }

  #compared(report: AutoRepairReport): AutoRepairReport {
    if (report.problem === null) {
      this.#deps.observer.onAutoRepaired(this.#followed, report);
      // What had changed, nobody has been told.
      this.#deps.vectors?.changed.note(this.#followed.kind, 'all');
    }
    return report;
  }

  /** Some time after a halt: what a late request did is repaired, too. */
  async #compareAgain(cut: AbortSignal): Promise<void> {
    const report = await this.#repair(true, cut);
    if (report === undefined || report.problem === null) return;
    const { problem, beyondBounds } = report;
    if (!beyondBounds) throw new Error(problem);
    await haltGenerations(this.#deps.pool, { ids: [this.#followed.id], reason: problem });
  }

  async #waitAfter(error: unknown): Promise<void> {
    const text = explainError(error);
    const pauseMs = this.#backoff.next();
    if (!(error instanceof TooManyDeadLettersError)) return this.#wait(text, pauseMs);
    const { kind, indexName } = this.#followed;
    return this.#waitForPerson(
      `${text}\nNothing more is applied to ${indexName} until they are taken. See them with: entity-search dead-letters ${kind}. Correct the rows, or allow more; other indices go on.`,
    );
  }

  #waitForPerson(problem: string): Promise<void> {
    return this.#wait(problem, this.#deps.config.longestPauseMs);
  }

  async #wait(problem: string, pauseMs: number): Promise<void> {
    this.#deps.observer.onFailure(problem, pauseMs, this.#followed);
    try {
      if (this.#lastError !== problem) await this.#recordError(problem);
    } catch {
      // The database is away, which the next round tells; it is noted after that.
    }
    return sleepUnlessAborted(pauseMs, this.#shared.closing);
  }

  async #recordError(text: string | null): Promise<void> {
    await recordLastError(this.#deps.pool, this.#followed.id, text);
    this.#lastError = text;
  }
}
