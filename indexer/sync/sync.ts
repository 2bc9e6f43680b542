import type { KindName } from '../../src/kinds/kind.ts';
import { Backoff } from '../../src/lib/backoff.ts';
import { createSerialQueue, type SerialQueue } from '../../src/lib/serial-queue.ts';
import { sleepUnlessAborted } from '../../src/lib/sleep.ts';
import { HaltedError } from '../change-log/halts.ts';
import {
  haltStalledGenerations,
  isChangeLogTooLong,
  listStalledGenerations,
  readChangeLogSize,
  stalledAfterMs,
} from '../change-log/log-size.ts';
import { type FollowedGeneration, listFollowed, recordLastError } from '../change-log/positions.ts';
import { pruneChanges } from '../change-log/prune.ts';
import { GenerationEndedError, GenerationReader } from '../change-log/reader.ts';
import { CommandError, explainError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { ForeignOwnerError } from '../generations/alias-conflict.ts';
import { describeHolder, type LockHolder } from '../generations/locks.ts';
import { cleanUpKind } from '../generations/retirement.ts';
import { TransactionPoolingError } from '../transaction-pooling.ts';
import { autoRepair } from './auto-repair.ts';
import { GenerationSync } from './generation-sync.ts';
import { readerDeps, type SyncDeps } from './observer.ts';
import { openReaderLocks, type ReaderLocks } from './reader-locks.ts';

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
      await using session = await openReaderLocks(deps.pool, deps.applicationName);
      if (backoff.reset()) deps.observer.onRecovered();
      await new SyncSession(deps, kinds, session, signal).run();
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof TransactionPoolingError || error instanceof ForeignOwnerError) throw error;
      const pauseMs = backoff.next();
      deps.observer.onFailure(explainError(error).text, pauseMs);
      await sleepUnlessAborted(pauseMs, signal);
    }
  }
}

/**
 * Brings every generation up to the moment of the call, then resolves. Rejects with the first failure, and where
 * another process is the reader.
 */
export async function drainOnce(deps: SyncDeps, kinds: readonly KindName[], signal: AbortSignal): Promise<void> {
  await deps.checkConnection?.();
  await using session = await openReaderLocks(deps.pool, deps.applicationName);
  const stop = AbortSignal.any([signal, session.lost]);
  const followed = await listFollowed(deps.pool, kinds);
  for (const one of followed) {
    const taken = await session.take(one.indexName);
    if (taken !== true) throw new CommandError(followedBy(one.indexName, taken), exitCodes.refused);
  }
  const turns = createSerialQueue();
  await Promise.all(
    followed.map(async (one) => {
      try {
        await drain(deps, one, turns, stop);
      } catch (error) {
        // Removed since it was listed: there is nothing to bring up to date.
        if (!(error instanceof GenerationEndedError)) throw error;
        deps.observer.onEnded(one);
      }
    }),
  );
}

/** How often one call mends what is halted again meanwhile. */
const mendsAtMost = 3;

/** Until one round has applied all that there was. */
async function drain(
  deps: SyncDeps,
  followed: FollowedGeneration,
  turns: SerialQueue,
  stop: AbortSignal,
): Promise<void> {
  using buffers = deps.buffers.share();
  const reader = new GenerationReader(readerDeps(deps, buffers), followed.id);
  for (let mends = 0; ; ) {
    try {
      const round = await reader.round(stop);
      deps.observer.onRound(followed, round);
      if (!round.rewound) return;
    } catch (error) {
      if (!(error instanceof HaltedError) || mends === mendsAtMost) throw error;
      mends += 1;
      const report = await turns(() => autoRepair(deps, followed.id, { again: false, signal: stop }));
      if (report.problem !== null) {
        await recordLastError(deps.pool, followed.id, report.problem);
        throw new CommandError(`${error.message}\n${report.problem}`, exitCodes.refused);
      }
      deps.observer.onAutoRepaired(followed, report);
    }
  }
}

export function followedBy(indexName: string, holder: LockHolder | undefined): string {
  return `${indexName} is followed already by ${describeHolder(holder)}.`;
}

/** What is done on one session: as long as its connection lasts, and nobody asked to stop. */
class SyncSession {
  readonly #deps: SyncDeps;
  readonly #kinds: readonly KindName[];
  readonly #session: ReaderLocks;
  readonly #stop: AbortSignal;
  /** Nobody waits any more, and no round begins. */
  readonly #closing = new AbortController();
  /** Rounds end at this: at once when the locks are lost, some time after a stop was asked for. */
  readonly #cut = new AbortController();
  readonly #readers = new Map<number, Promise<void>>();
  readonly #standby = new Set<number>();
  /** Comparing everything is work for both engines: one generation at a time. */
  readonly #mending = createSerialQueue();
  #retireFailed = false;

  constructor(deps: SyncDeps, kinds: readonly KindName[], session: ReaderLocks, signal: AbortSignal) {
    this.#deps = deps;
    this.#kinds = kinds;
    this.#session = session;
    this.#stop = AbortSignal.any([signal, session.lost]);
  }

  async run(): Promise<void> {
    const { config, observer, pool, nowMs } = this.#deps;
    const { lost } = this.#session;
    lost.addEventListener('abort', () => this.#cut.abort(lost.reason), { once: true });
    let prunedMs = nowMs();
    try {
      while (!this.#stop.aborted) {
        await this.#discover();
        if (nowMs() - prunedMs >= config.pruneEveryMs) {
          await this.#prune();
          const size = await readChangeLogSize(pool, config.log);
          observer.onChangeLogMeasured(size);
          const tooLong = await isChangeLogTooLong(pool, size, config.log);
          await this.#tidy(tooLong);
          if (tooLong) await this.#shorten();
          prunedMs = nowMs();
        }
        await sleepUnlessAborted(config.discoverEveryMs, this.#stop);
      }
      lost.throwIfAborted();
    } finally {
      await this.#end();
    }
  }

  async #prune(): Promise<void> {
    const pruned = await pruneChanges(this.#deps.pool, this.#stop);
    if (pruned > 0) this.#deps.observer.onPruned(pruned);
  }

  /** The log is too long: what keeps it without being followed loses its place. */
  async #shorten(): Promise<void> {
    const { pool, observer } = this.#deps;
    const holding = await listStalledGenerations(pool);
    if (holding.length === 0) return;
    await haltStalledGenerations(pool, holding);
    observer.onStalledHalted(holding);
    await this.#prune();
  }

  async #tidy(logTooLong: boolean): Promise<void> {
    const { client, config, observer } = this.#deps;
    const deps = { ...this.#deps, cluster: { client, limits: config.actions } };
    const { abandonedAfterMs } = config.retire;
    // What nobody builds must not keep a log that is too long.
    const limits = {
      ...config.retire,
      abandonedAfterMs: logTooLong ? Math.min(stalledAfterMs, abandonedAfterMs) : abandonedAfterMs,
    };
    try {
      for (const kind of this.#kinds) {
        const { retired, abandoned } = await cleanUpKind(deps, kind, limits);
        if (retired.length > 0) observer.onRetired(kind, retired);
        if (abandoned.length > 0) observer.onAbandoned(kind, abandoned);
      }
      if (this.#retireFailed) observer.onRecovered();
      this.#retireFailed = false;
    } catch (error) {
      // An index that stays a little longer is no reason to follow less.
      observer.onFailure(`Old indices stay for now. ${explainError(error).text}`, config.pruneEveryMs);
      this.#retireFailed = true;
    }
  }

  async #end(): Promise<void> {
    // Without a stop that was asked for it is an error that ended the shift, and the locks are let go of next.
    const graceMs = this.#stop.aborted ? this.#deps.config.drainMs : 0;
    const timer = setTimeout(() => this.#cut.abort(this.#stop.reason ?? new Error('The shift has ended.')), graceMs);
    this.#closing.abort();
    await Promise.all(this.#readers.values());
    clearTimeout(timer);
  }

  async #discover(): Promise<void> {
    for (const followed of await listFollowed(this.#deps.pool, this.#kinds)) {
      if (this.#readers.has(followed.id)) continue;
      const taken = await this.#session.take(followed.indexName);
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
    const backoff = new Backoff(this.#deps.config, this.#deps.random);
    using follower = new GenerationSync(this.#deps, followed, backoff, this.#closing.signal, this.#mending);
    while (!this.#stop.aborted && !this.#closing.signal.aborted) {
      try {
        await follower.round(this.#cut.signal);
      } catch (error) {
        if (this.#isEnd(error)) break;
        await follower.recover(error, this.#cut.signal);
      }
    }
    await this.#leave(followed);
  }

  #isEnd(error: unknown): boolean {
    return this.#cut.signal.aborted || this.#stop.aborted || error instanceof GenerationEndedError;
  }

  async #leave(followed: FollowedGeneration): Promise<void> {
    this.#deps.observer.onEnded(followed);
    if (this.#session.lost.aborted || this.#closing.signal.aborted) return;
    try {
      await this.#session.release(followed.indexName);
    } catch {
      // The connection broke, which `lost` tells; what it held is free.
    }
    this.#readers.delete(followed.id);
  }
}
