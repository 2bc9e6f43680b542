import type { KindName } from '../../src/kinds/kind.ts';
import { Backoff } from '../../src/lib/backoff.ts';
import { createSerialQueue } from '../../src/lib/concurrency/serial-queue.ts';
import { sleepUnlessAborted } from '../../src/lib/sleep.ts';
import { type FollowedGeneration, listFollowed } from '../change-log/positions.ts';
import { GenerationEndedError } from '../change-log/restore-detection.ts';
import { BackgroundEmbedder } from '../embeddings/background.ts';
import { explainError } from '../errors.ts';
import { ForeignOwnerError } from '../generations/alias-conflict.ts';
import { type LockSession, openLockSession } from '../generations/locks.ts';
import { TransactionPoolingError } from '../transaction-pooling.ts';
import { GenerationSync } from './generation-sync.ts';
import { Housekeeping } from './housekeeping.ts';
import type { SyncDeps } from './observer.ts';

// The service that follows the change log: one reader for each generation that is searched or may be again. It gives
// up nothing by itself: whatever is lost is waited for, and shown.

/**
 * Follows until the signal aborts; then the rounds under way end. Never rejects because an engine is away; rejects with
 * `TransactionPoolingError` where a pooler would lose its locks, with `ForeignOwnerError` where another database's index is
 * searched.
 */
export async function runSync(deps: SyncDeps, kinds: readonly KindName[], signal: AbortSignal): Promise<void> {
  const backoff = new Backoff(deps.config, deps.random);
  while (!signal.aborted) {
    try {
      await deps.checkConnection?.();
      await using locks = await openLockSession(deps.pool, deps.applicationName, 'the locks of the readers');
      if (backoff.reset()) deps.observer.onRecovered();
      await new SyncSession(deps, kinds, locks, signal).run();
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof TransactionPoolingError || error instanceof ForeignOwnerError) throw error;
      const pauseMs = backoff.next();
      deps.observer.onFailure(explainError(error).text, pauseMs);
      await sleepUnlessAborted(pauseMs, signal);
    }
  }
}

/** Follows as long as the connection that holds the locks lasts, and nobody asked to stop. */
class SyncSession {
  readonly #deps: SyncDeps;
  readonly #kinds: readonly KindName[];
  readonly #locks: LockSession;
  readonly #housekeeping: Housekeeping;
  readonly #stop: AbortSignal;
  /** Nobody waits any more, and no round begins. */
  readonly #closing = new AbortController();
  /** Rounds end at this: at once when the locks are lost, some time after a stop was asked for. */
  readonly #cut = new AbortController();
  readonly #readers = new Map<number, Promise<void>>();
  readonly #standby = new Set<number>();
  readonly #repairs = createSerialQueue();

  constructor(deps: SyncDeps, kinds: readonly KindName[], locks: LockSession, signal: AbortSignal) {
    this.#deps = deps;
    this.#kinds = kinds;
    this.#locks = locks;
    this.#stop = AbortSignal.any([signal, locks.lost]);
    this.#housekeeping = new Housekeeping(deps, kinds, this.#stop);
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

  /** Vectors are made beside the readers, which never wait for them. */
  async #embed(): Promise<void> {
    const { vectors } = this.#deps;
    if (vectors === undefined) return;
    await new BackgroundEmbedder(vectors, this.#kinds, this.#locks).run(
      AbortSignal.any([this.#stop, this.#closing.signal]),
    );
  }

  async #end(): Promise<void> {
    // Without a stop that was asked for it is an error that ended the session, and the locks are let go of next.
    const graceMs = this.#stop.aborted ? this.#deps.config.drainMs : 0;
    const timer = setTimeout(() => this.#cut.abort(this.#stop.reason ?? new Error('The session has ended.')), graceMs);
    this.#closing.abort();
    await Promise.all(this.#readers.values());
    clearTimeout(timer);
  }

  async #discover(): Promise<void> {
    for (const followed of await listFollowed(this.#deps.pool, this.#kinds)) {
      if (this.#readers.has(followed.id)) continue;
      const taken = await this.#locks.take({ space: 'reader', name: followed.indexName });
      if (taken === true) {
        this.#standby.delete(followed.id);
        this.#readers.set(followed.id, this.#follow(followed));
      } else if (!this.#standby.has(followed.id)) {
        this.#standby.add(followed.id);
        this.#deps.observer.onStandby(followed, taken);
      }
    }
  }

  async #follow(followed: FollowedGeneration): Promise<void> {
    this.#deps.observer.onFollowing(followed);
    const generation = new GenerationSync(this.#deps, followed, this.#repairs, this.#closing.signal);
    while (!this.#stop.aborted && !this.#closing.signal.aborted) {
      try {
        await generation.round(this.#cut.signal);
      } catch (error) {
        if (this.#isEnd(error)) break;
        await generation.recover(error, this.#cut.signal);
      }
    }
    await this.#leave(followed);
  }

  #isEnd(error: unknown): boolean {
    return this.#cut.signal.aborted || this.#stop.aborted || error instanceof GenerationEndedError;
  }

  async #leave(followed: FollowedGeneration): Promise<void> {
    this.#deps.observer.onEnded(followed);
    if (this.#locks.lost.aborted || this.#closing.signal.aborted) return;
    try {
      await this.#locks.release({ space: 'reader', name: followed.indexName });
    } catch {
      // The connection broke, which `lost` tells; what it held is free.
    }
    this.#readers.delete(followed.id);
  }
}
