import type { KindName } from '../src/kinds/kind.ts';
import { TooManyDeadLettersError } from './dead-letter-limits.ts';
import { HaltedError } from './epoch.ts';
import { CommandError, explain } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import type { LockHolder } from './lock.ts';
import { type Followed, listFollowed, noteTrouble } from './positions.ts';
import { pruneChanges } from './prune.ts';
import { GenerationEndedError, GenerationReader, type ReaderDeps, type Round } from './readers.ts';
import { retireKind } from './reindex-retire.ts';
import { Bell, type Ears } from './sync-bell.ts';
import type { SyncConfig } from './sync-config.ts';
import { Pauses, rest } from './sync-pauses.ts';
import { openSession, type SyncSession } from './sync-session.ts';

// The service that follows the change log: one reader for each generation that is searched or may be again. It gives
// up nothing by itself: whatever is lost is waited for, and shown.

/** Who watches. */
export interface SyncObserver {
  /** This process reads into the index from now on. */
  onFollowing(followed: Followed): void;
  /** Another process does; it is stood by for. */
  onStandby(followed: Followed, holder: LockHolder | undefined): void;
  /** This process does not any more: the index was removed, or the process stops. */
  onEnded(followed: Followed): void;
  onRound(followed: Followed, round: Round): void;
  /** Something is not as it should be; it is tried again after a pause. `followed`: only this one is concerned. */
  onTrouble(text: string, pauseMs: number, followed?: Followed): void;
  onRecovered(followed?: Followed): void;
  onPruned(entries: number): void;
  /** Indices of generations that were not kept any longer were removed. */
  onRetired(kind: KindName, indices: readonly string[]): void;
}

export interface SyncDeps extends Omit<ReaderDeps, 'limits' | 'bulk' | 'batchBytes'> {
  readonly config: SyncConfig;
  readonly observer: SyncObserver;
  readonly indexPrefix: string;
  /** What the locks' connection is called, so that others can see who holds them. */
  readonly applicationName: string;
}

/** Follows until the signal aborts; then the rounds under way end. Never rejects because an engine is away. */
export async function runSync(deps: SyncDeps, kinds: readonly KindName[], signal: AbortSignal): Promise<void> {
  const pauses = new Pauses(deps.config, deps.random);
  while (!signal.aborted) {
    try {
      const bell = new Bell();
      await using session = await openSession(deps.pool, deps.applicationName, () => bell.ring());
      if (pauses.reset()) deps.observer.onRecovered();
      await new Shift(deps, kinds, session, bell, signal).run();
    } catch (error) {
      if (signal.aborted) return;
      const pauseMs = pauses.next();
      deps.observer.onTrouble(explain(error).text, pauseMs);
      await rest(pauseMs, signal);
    }
  }
}

/**
 * Brings every generation up to the moment of the call, then resolves. Rejects with the first failure, and where
 * another process is the reader.
 */
export async function drainOnce(deps: SyncDeps, kinds: readonly KindName[], signal: AbortSignal): Promise<void> {
  await using session = await openSession(deps.pool, deps.applicationName, () => undefined);
  const stop = AbortSignal.any([signal, session.lost]);
  const followed = await listFollowed(deps.pool, kinds);
  for (const one of followed) {
    const taken = await session.take(one.indexName);
    if (taken !== true) throw new CommandError(followedBy(one.indexName, taken), exitCodes.refused);
  }
  await Promise.all(
    followed.map(async (one) => {
      const reader = new GenerationReader(readerDeps(deps), one.id);
      try {
        for (let again = true; again; ) {
          const round = await reader.round(stop);
          deps.observer.onRound(one, round);
          again = round.wentBack;
        }
      } catch (error) {
        // Removed since it was listed: there is nothing to bring up to date.
        if (!(error instanceof GenerationEndedError)) throw error;
        deps.observer.onEnded(one);
      }
    }),
  );
}

export function followedBy(indexName: string, holder: LockHolder | undefined): string {
  const who = holder
    ? `by "${holder.applicationName}" (Postgres process ${holder.pid}, since ${holder.since})`
    : 'by another process';
  return `${indexName} is followed already ${who}.`;
}

function readerDeps(deps: SyncDeps): ReaderDeps {
  const { config } = deps;
  return { ...deps, bulk: config.bulk, batchBytes: config.batchBytes, limits: config.reader };
}

/** What is done on one session: as long as its connection lasts, and nobody asked to stop. */
class Shift {
  readonly #deps: SyncDeps;
  readonly #kinds: readonly KindName[];
  readonly #session: SyncSession;
  readonly #bell: Bell;
  readonly #stop: AbortSignal;
  /** Rounds end at this: at once when the locks are lost, some time after a stop was asked for. */
  readonly #cut = new AbortController();
  readonly #readers = new Map<number, Promise<void>>();
  readonly #standby = new Set<number>();
  #retireFailed = false;

  constructor(deps: SyncDeps, kinds: readonly KindName[], session: SyncSession, bell: Bell, signal: AbortSignal) {
    this.#deps = deps;
    this.#kinds = kinds;
    this.#session = session;
    this.#bell = bell;
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
          const pruned = await pruneChanges(pool, this.#stop);
          if (pruned > 0) observer.onPruned(pruned);
          await this.#retire();
          prunedMs = nowMs();
        }
        await rest(config.discoverEveryMs, this.#stop);
      }
      lost.throwIfAborted();
    } finally {
      await this.#end();
    }
  }

  async #retire(): Promise<void> {
    const { client, config, observer } = this.#deps;
    const deps = { ...this.#deps, cluster: { client, limits: config.actions } };
    try {
      for (const kind of this.#kinds) {
        const removed = await retireKind(deps, kind, config.retire);
        if (removed.length > 0) observer.onRetired(kind, removed);
      }
      if (this.#retireFailed) observer.onRecovered();
      this.#retireFailed = false;
    } catch (error) {
      // An index that stays a little longer is no reason to follow less.
      observer.onTrouble(`Old indices stay for now. ${explain(error).text}`, config.pruneEveryMs);
      this.#retireFailed = true;
    }
  }

  async #end(): Promise<void> {
    // Without a stop that was asked for it is an error that ended the shift, and the locks are let go of next.
    const graceMs = this.#stop.aborted ? this.#deps.config.drainMs : 0;
    const timer = setTimeout(() => this.#cut.abort(this.#stop.reason ?? new Error('The shift has ended.')), graceMs);
    this.#bell.close();
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

  async #follow(followed: Followed): Promise<void> {
    this.#deps.observer.onFollowing(followed);
    const follower = new Follower(this.#deps, followed, new Pauses(this.#deps.config, this.#deps.random), this.#bell);
    const ears = this.#bell.ears();
    while (!this.#stop.aborted && !this.#bell.closed) {
      try {
        await follower.round(this.#cut.signal, ears);
      } catch (error) {
        if (this.#isEnd(error)) break;
        await follower.trouble(error);
      }
    }
    await this.#leave(followed);
  }

  #isEnd(error: unknown): boolean {
    return this.#cut.signal.aborted || this.#stop.aborted || error instanceof GenerationEndedError;
  }

  async #leave(followed: Followed): Promise<void> {
    this.#deps.observer.onEnded(followed);
    if (this.#session.lost.aborted || this.#bell.closed) return;
    try {
      await this.#session.release(followed.indexName);
    } catch {
      // The connection broke, which `lost` tells; what it held is free.
    }
    this.#readers.delete(followed.id);
  }
}

/** Follows one generation, round by round, and tells how it goes. */
class Follower {
  readonly #deps: SyncDeps;
  readonly #followed: Followed;
  readonly #pauses: Pauses;
  readonly #bell: Bell;
  readonly #reader: GenerationReader;
  /** What is noted about it where everybody sees it; unknown at first, so that an earlier process's note goes. */
  #noted: string | null | undefined;

  constructor(deps: SyncDeps, followed: Followed, pauses: Pauses, bell: Bell) {
    this.#deps = deps;
    this.#followed = followed;
    this.#pauses = pauses;
    this.#bell = bell;
    this.#reader = new GenerationReader(readerDeps(deps), followed.id);
  }

  /** One round, and the pause after it. */
  async round(cut: AbortSignal, ears: Ears): Promise<void> {
    const { observer, config, nowMs } = this.#deps;
    const beganMs = nowMs();
    const round = await this.#reader.round(cut);
    if (this.#noted !== null) await this.#note(null);
    if (this.#pauses.reset()) observer.onRecovered(this.#followed);
    observer.onRound(this.#followed, round);
    if (round.wentBack) return;
    if (round.changes === 0) await ears.listen(config.pollMs);
    await this.#bell.pause(config.roundPauseMs - (nowMs() - beganMs));
  }

  /** After a round that failed: tells why, and waits until it may be tried again. */
  async trouble(error: unknown): Promise<void> {
    const { observer, config } = this.#deps;
    const { text } = explain(error);
    const nextMs = this.#pauses.next();
    if (!(error instanceof TooManyDeadLettersError)) {
      // A halt ends by what somebody does, not by itself.
      const pauseMs = error instanceof HaltedError ? config.longestPauseMs : nextMs;
      observer.onTrouble(text, pauseMs, this.#followed);
      return this.#bell.pause(pauseMs);
    }
    const { kind, indexName } = this.#followed;
    const whole = `${text}\nNothing more is applied to ${indexName} until they are taken. See them with: entity-search dead-letters ${kind}. Correct the rows, or allow more; other indices go on.`;
    observer.onTrouble(whole, config.longestPauseMs, this.#followed);
    try {
      if (this.#noted !== whole) await this.#note(whole);
    } catch {
      // The database is away, which the next round tells; it is noted after that.
    }
    return this.#bell.pause(config.longestPauseMs);
  }

  async #note(text: string | null): Promise<void> {
    await noteTrouble(this.#deps.pool, this.#followed.id, text);
    this.#noted = text;
  }
}
