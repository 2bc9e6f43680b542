import { Backoff } from '../../src/lib/backoff.ts';
import type { SerialQueue } from '../../src/lib/concurrency/serial-queue.ts';
import { sleepUnlessAborted } from '../../src/lib/sleep.ts';
import { HaltedError, haltGenerations } from '../change-log/halts.ts';
import { type FollowedGeneration, recordLastError } from '../change-log/positions.ts';
import { TooManyDeadLettersError } from '../dead-letters/monitor.ts';
import { explainError } from '../errors.ts';
import { type AutoRepairReport, autoRepair } from './auto-repair.ts';
import type { SyncDeps } from './events.ts';

/** Repairs one generation after halts, and reports and delays retries after failures. */
export class Recovery {
  readonly #deps: SyncDeps;
  readonly #followed: FollowedGeneration;
  /** A full comparison is work for both engines, so a process runs one at a time. */
  readonly #repairs: SerialQueue;
  readonly #closing: AbortSignal;
  readonly #backoff: Backoff;
  /** The halt that a person must end, because more differs than may be repaired. */
  #leftHalt: { readonly position: string; readonly problem: string } | undefined;
  /** The problem that `status` shows; unknown at first, so that an earlier process's problem is removed. */
  #lastError: string | null | undefined;

  constructor(deps: SyncDeps, followed: FollowedGeneration, repairs: SerialQueue, closing: AbortSignal) {
    this.#deps = deps;
    this.#followed = followed;
    this.#repairs = repairs;
    this.#closing = closing;
    this.#backoff = new Backoff(deps.config, deps.random);
  }

  async succeed(): Promise<void> {
    if (this.#lastError !== null) await this.#recordError(null);
    if (this.#backoff.reset()) this.#deps.events.emit('recovered', this.#followed);
  }

  /**
   * Handles a failed round: repairs a halted generation; otherwise reports the failure and waits before the next
   * attempt.
   */
  async recover(error: unknown, cut: AbortSignal): Promise<void> {
    if (!(error instanceof HaltedError)) return this.#waitAfter(error);
    // Only a person can end this halt; the next round checks whether they have.
    if (this.#leftHalt?.position === error.position) return this.#waitForPerson(this.#leftHalt.problem);
    this.#deps.events.emit('failure', error.message, 0, this.#followed);
    try {
      const { problem, beyondBounds } = await this.#repair(false, cut);
      if (problem === null) return;
      if (!beyondBounds) return await this.#waitAfter(new Error(problem));
      this.#leftHalt = { position: error.position, problem };
      await this.#waitForPerson(problem);
    } catch (failure) {
      if (!cut.aborted) await this.#waitAfter(failure);
    }
  }

  /** Compares again some time after a halt, which also repairs the effects of late requests. */
  async compareAgain(cut: AbortSignal): Promise<void> {
    const { problem, beyondBounds } = await this.#repair(true, cut);
    if (problem === null) return;
    if (!beyondBounds) throw new Error(problem);
    await haltGenerations(this.#deps.pool, { ids: [this.#followed.id], reason: problem });
  }

  async #repair(again: boolean, signal: AbortSignal): Promise<AutoRepairReport> {
    const report = await this.#repairs(() => autoRepair(this.#deps, this.#followed.id, { again, signal }));
    if (report.problem === null) {
      this.#deps.events.emit('repaired', this.#followed, report);
      // The change log does not name the repaired entities.
      this.#deps.vectors?.changed.note(this.#followed.kind, 'all');
    }
    return report;
  }

  async #waitAfter(error: unknown): Promise<void> {
    const text = explainError(error);
    const pauseMs = this.#backoff.next();
    if (!(error instanceof TooManyDeadLettersError)) return this.#wait(text, pauseMs);
    const { kind, indexName } = this.#followed;
    return this.#waitForPerson(
      `${text}\nNothing more is applied to ${indexName} until they are accepted. See them with: entity-search dead-letters ${kind}. Correct the rows; other indices continue.`,
    );
  }

  #waitForPerson(problem: string): Promise<void> {
    return this.#wait(problem, this.#deps.config.longestPauseMs);
  }

  async #wait(problem: string, pauseMs: number): Promise<void> {
    this.#deps.events.emit('failure', problem, pauseMs, this.#followed);
    try {
      if (this.#lastError !== problem) await this.#recordError(problem);
    } catch {
      // The database is unavailable, which the next round reports; the problem is recorded after that.
    }
    return sleepUnlessAborted(pauseMs, this.#closing);
  }

  async #recordError(text: string | null): Promise<void> {
    await recordLastError(this.#deps.pool, this.#followed.id, text);
    this.#lastError = text;
  }
}
