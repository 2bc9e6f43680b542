import type { KindName } from '../../src/kinds/kind.ts';
import { Backoff } from '../../src/lib/backoff.ts';
import { createSerialQueue } from '../../src/lib/concurrency/serial-queue.ts';
import { sleepUnlessAborted } from '../../src/lib/sleep.ts';
import { type FollowedGeneration, listFollowed } from '../change-log/positions.ts';
import { GenerationReader } from '../change-log/reader.ts';
import { GenerationEndedError } from '../change-log/restore-detection.ts';
import { BackgroundEmbedder } from '../embeddings/background.ts';
import { explainError } from '../errors.ts';
import { ForeignOwnerError } from '../generations/alias-conflict.ts';
import { type LockSession, openLockSession } from '../generations/locks.ts';
import type { SyncDeps } from './events.ts';
import { Housekeeping } from './housekeeping.ts';
import { Recovery } from './recovery.ts';

/**
 * Follows the change log until the signal aborts, with a reader for each generation that is searched or may be again.
 * If another process already follows, waits for its locks, which are free when its connection ends. Waits while an
 * engine is unavailable. Rejects with `ForeignOwnerError` if the alias belongs to another database.
 */
export async function runSync(deps: SyncDeps, kinds: readonly KindName[], signal: AbortSignal): Promise<void> {
  const backoff = new Backoff(deps.config, deps.random);
  while (!signal.aborted) {
    try {
      await deps.refuseForeignOwner?.();
      await using locks = await openLockSession(deps.pool, deps.applicationName, 'the locks of the readers');
      if (backoff.reset()) deps.events.emit('recovered');
      await new SyncSession(deps, kinds, locks, signal).run();
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ForeignOwnerError) throw error;
      const pauseMs = backoff.next();
      deps.events.emit('failure', explainError(error), pauseMs);
      await sleepUnlessAborted(pauseMs, signal);
    }
  }
}

class SyncSession {
  readonly #deps: SyncDeps;
  readonly #kinds: readonly KindName[];
  readonly #locks: LockSession;
  readonly #housekeeping: Housekeeping;
  readonly #stop: AbortSignal;
  /** After this no round begins, and every pause ends. */
  readonly #closing = new AbortController();
  /** Cuts rounds: immediately when the locks are lost, some time after a stop was requested. */
  readonly #cut = new AbortController();
  readonly #readers = new Map<number, Promise<void>>();
  readonly #standby = new Set<number>();
  readonly #repairs = createSerialQueue();

  constructor(deps: SyncDeps, kinds: readonly KindName[], locks: LockSession, signal: AbortSignal) {
    this.#deps = deps;
    this.#kinds = kinds;
    this.#locks = locks;
    this.#stop = AbortSignal.any([signal, locks.lost]);
    this.#housekeeping = new Housekeeping(deps, kinds, locks, this.#stop);
  }

  async run(): Promise<void> {
    const { lost } = this.#locks;
    lost.addEventListener('abort', () => this.#cut.abort(lost.reason), { once: true });
    const embedding = this.#embed();
    try {
      while (!this.#stop.aborted) {
        await this.#discover();
        await this.#housekeeping.runWhenDue();
        await sleepUnlessAborted(this.#deps.config.discoverEveryMs, this.#stop);
      }
      lost.throwIfAborted();
    } finally {
      await this.#end();
      await embedding;
    }
  }

  /** Makes vectors in the background: readers never wait for them. */
  async #embed(): Promise<void> {
    const { vectors } = this.#deps;
    if (vectors === undefined) return;
    await new BackgroundEmbedder(vectors, this.#kinds, this.#locks).run(
      AbortSignal.any([this.#stop, this.#closing.signal]),
    );
  }

  async #end(): Promise<void> {
    // Without a requested stop an error ended the session, and its locks are released next.
    const graceMs = this.#stop.aborted ? this.#deps.config.drainMs : 0;
    const timer = setTimeout(() => this.#cut.abort(this.#stop.reason ?? new Error('The session has ended.')), graceMs);
    this.#closing.abort();
    await Promise.all(this.#readers.values());
    clearTimeout(timer);
  }

  /** Follows each generation whose lock is free, and waits for the locks of the others. */
  async #discover(): Promise<void> {
    for (const followed of await listFollowed(this.#deps.pool, this.#kinds)) {
      if (this.#readers.has(followed.id)) continue;
      const taken = await this.#locks.take({ space: 'reader', name: followed.indexName });
      if (taken === true) {
        this.#standby.delete(followed.id);
        this.#readers.set(followed.id, this.#follow(followed));
      } else if (!this.#standby.has(followed.id)) {
        this.#standby.add(followed.id);
        this.#deps.events.emit('standby', followed, taken);
      }
    }
  }

  async #follow(followed: FollowedGeneration): Promise<void> {
    this.#deps.events.emit('following', followed);
    const reader = new GenerationReader({ ...this.#deps, changedTexts: this.#deps.vectors?.changed }, followed.id);
    const recovery = new Recovery(this.#deps, followed, this.#repairs, this.#closing.signal);
    while (!this.#stop.aborted && !this.#closing.signal.aborted) {
      try {
        await this.#round(followed, reader, recovery);
      } catch (error) {
        if (this.#cut.signal.aborted || this.#stop.aborted || error instanceof GenerationEndedError) break;
        await recovery.recover(error, this.#cut.signal);
      }
    }
    await this.#leave(followed);
  }

  async #round(followed: FollowedGeneration, reader: GenerationReader, recovery: Recovery): Promise<void> {
    const { events, config, nowMs } = this.#deps;
    const beganMs = nowMs();
    const round = await reader.round(this.#cut.signal);
    await recovery.succeed();
    events.emit('round', followed, round);
    if (round.rewound) return;
    if (round.compareDue) await recovery.compareAgain(this.#cut.signal);
    const pauseMs = round.changes === 0 ? config.pollMs : config.roundPauseMs;
    await sleepUnlessAborted(Math.max(0, pauseMs - (nowMs() - beganMs)), this.#closing.signal);
  }

  async #leave(followed: FollowedGeneration): Promise<void> {
    this.#deps.events.emit('ended', followed);
    if (this.#locks.lost.aborted || this.#closing.signal.aborted) return;
    try {
      await this.#locks.release({ space: 'reader', name: followed.indexName });
    } catch {
      // The connection broke, which `lost` reports; its locks are free.
    }
    this.#readers.delete(followed.id);
  }
}
