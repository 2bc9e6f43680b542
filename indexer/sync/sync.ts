import type { KindName } from '../../src/kinds/kind.ts';
import { Backoff } from '../../src/lib/backoff.ts';
import { createSerialQueue } from '../../src/lib/concurrency/serial-queue.ts';
import { sleepUnlessAborted } from '../../src/lib/sleep.ts';
import { readPartCount, setPartCount } from '../change-log/divide.ts';
import { PartsChangedError } from '../change-log/parts.ts';
import { type FollowedGeneration, listFollowed } from '../change-log/positions.ts';
import { GenerationEndedError } from '../change-log/restore-detection.ts';
import { BackgroundEmbedder } from '../embeddings/background.ts';
import { explainError } from '../errors.ts';
import { ForeignOwnerError } from '../generations/alias-conflict.ts';
import { countSharing, type LockSession, openLockSession } from '../generations/locks.ts';
import { TransactionPoolingError } from '../transaction-pooling.ts';
import { GenerationSync } from './generation-sync.ts';
import { fairShare, HeldParts } from './held-parts.ts';
import { Housekeeping } from './housekeeping.ts';
import type { SyncDeps } from './observer.ts';

// The service that follows the change log: a reader for each generation that is searched or may be again, or for some
// parts of it. Several processes share the parts evenly: who holds more than is fair lets go of them, and what a process
// that ended has held, the others take. It gives up nothing by itself: whatever is lost is waited for, and shown.

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
      if (deps.config.parts > 0) await setPartCount(deps.pool, deps.config.parts);
      await using locks = await openLockSession(deps.pool, deps.applicationName, 'the locks of the readers');
      if (backoff.reset()) deps.observer.onRecovered();
      await new SyncSession(deps, kinds, locks, signal).run();
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof TransactionPoolingError || error instanceof ForeignOwnerError) throw error;
      const pauseMs = backoff.next();
      deps.observer.onFailure(explainError(error), pauseMs);
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
  readonly #readers = new Map<number, Follower>();
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
      for (const kind of this.#kinds) await this.#locks.join({ space: 'sync', name: kind });
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
    await Promise.all([...this.#readers.values()].map(({ ended }) => ended));
    clearTimeout(timer);
  }

  async #discover(): Promise<void> {
    const { pool } = this.#deps;
    const of = await readPartCount(pool);
    for (const kind of this.#kinds) {
      const share = fairShare(of, await countSharing(pool, { space: 'sync', name: kind }));
      for (const followed of await listFollowed(pool, [kind])) await this.#claim(followed, of, share);
    }
  }

  /** Takes parts of an index that nobody else reads into, as many as are fair, and reads into them. */
  async #claim(followed: FollowedGeneration, of: number, share: number): Promise<void> {
    const { observer } = this.#deps;
    const follower = this.#readers.get(followed.id);
    // One that divides it otherwise comes to an end by itself.
    if (follower !== undefined && follower.parts.of !== of) return follower.stop();
    const parts = follower?.parts ?? new HeldParts(this.#locks, followed.indexName, of);
    const before = parts.size;
    const holder = await parts.claim(share);
    if (parts.size > before) {
      this.#standby.delete(followed.id);
      observer.onFollowing(followed, parts.parts);
    }
    if (follower !== undefined) return;
    if (parts.size > 0) this.#readers.set(followed.id, this.#follow(followed, parts));
    else if (!this.#standby.has(followed.id)) {
      this.#standby.add(followed.id);
      observer.onStandby(followed, holder);
    }
  }

  #follow(followed: FollowedGeneration, parts: HeldParts): Follower {
    let stopped = false;
    const isOver = (): boolean => stopped || this.#stop.aborted || this.#closing.signal.aborted;
    const ended = this.#readRounds(followed, parts, isOver);
    return {
      parts,
      ended,
      stop: () => {
        stopped = true;
      },
    };
  }

  async #readRounds(followed: FollowedGeneration, parts: HeldParts, isOver: () => boolean): Promise<void> {
    const shared = { repairs: this.#repairs, locks: this.#locks, closing: this.#closing.signal };
    const generation = new GenerationSync(this.#deps, followed, { ...shared, parts });
    while (!isOver()) {
      try {
        await generation.round(this.#cut.signal, isOver);
      } catch (error) {
        if (this.#isEnd(error)) break;
        await generation.recover(error, this.#cut.signal);
      }
      await this.#releaseSurplus(followed, parts);
    }
    await this.#leave(followed, parts);
  }

  /** Also where rounds fail: another process may have more luck. */
  async #releaseSurplus(followed: FollowedGeneration, parts: HeldParts): Promise<void> {
    if (!parts.isBeyondShare) return;
    try {
      await parts.releaseSurplus();
      this.#deps.observer.onFollowing(followed, parts.parts);
    } catch {
      // The connection broke, which `lost` tells; what it held is free.
    }
  }

  #isEnd(error: unknown): boolean {
    if (this.#cut.signal.aborted || this.#stop.aborted) return true;
    return error instanceof GenerationEndedError || error instanceof PartsChangedError;
  }

  async #leave(followed: FollowedGeneration, parts: HeldParts): Promise<void> {
    this.#deps.observer.onEnded(followed);
    if (this.#locks.lost.aborted || this.#closing.signal.aborted) return;
    try {
      await parts.releaseAll();
    } catch {
      // The connection broke, which `lost` tells; what it held is free.
    }
    this.#readers.delete(followed.id);
  }
}

/** What reads into an index, or into parts of it. */
interface Follower {
  readonly parts: HeldParts;
  readonly ended: Promise<void>;
  /** The round under way is the last. */
  stop(): void;
}
