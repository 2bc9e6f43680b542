import type { KindName } from '../../src/kinds/kind.ts';
import {
  haltStalledGenerations,
  isChangeLogTooLong,
  listStalledGenerations,
  readChangeLogSize,
  stalledAfterMs,
} from '../change-log/log-size.ts';
import { pruneChanges } from '../change-log/prune.ts';
import { pruneRemovals } from '../change-log/removals.ts';
import { explainError } from '../errors.ts';
import type { LockSession } from '../generations/locks.ts';
import { cleanUpKind } from '../generations/retirement.ts';
import { resolveNotes } from '../resolver/resolver.ts';
import type { SyncDeps } from './events.ts';

const housekeepingLock = { space: 'housekeeping', name: 'change log' } as const;

/** Prunes the change log and removes surplus indices at intervals. */
export class Housekeeping {
  readonly #deps: SyncDeps;
  readonly #kinds: readonly KindName[];
  readonly #locks: LockSession;
  readonly #stop: AbortSignal;
  /** True if this process, among several, does it. */
  #isOurs = false;
  #doneMs: number;
  #removalFailed = false;

  constructor(deps: SyncDeps, kinds: readonly KindName[], locks: LockSession, stop: AbortSignal) {
    this.#deps = deps;
    this.#kinds = kinds;
    this.#locks = locks;
    this.#stop = stop;
    this.#doneMs = deps.nowMs();
  }

  async runWhenDue(): Promise<void> {
    const { config, events, pool, nowMs } = this.#deps;
    if (nowMs() - this.#doneMs < config.pruneEveryMs) return;
    this.#isOurs ||= (await this.#locks.take(housekeepingLock)) === true;
    if (this.#isOurs) await this.#prune();
    const size = await readChangeLogSize(pool, config.log);
    events.emit('measured', size);
    if (this.#isOurs) {
      const tooLong = await isChangeLogTooLong(pool, size, config.log);
      await this.#removeIndices(tooLong);
      if (tooLong) await this.#haltStalled();
    }
    this.#doneMs = nowMs();
  }

  async #prune(): Promise<void> {
    // A reader does this in each round, but there may be no index to follow.
    await resolveNotes(this.#deps, this.#stop);
    const pruned = await pruneChanges(this.#deps.pool, this.#stop);
    if (pruned > 0) this.#deps.events.emit('pruned', pruned);
    await pruneRemovals(this.#deps.pool, this.#stop);
  }

  /** Halts the generations that keep a log that is too long. */
  async #haltStalled(): Promise<void> {
    const { pool, events } = this.#deps;
    const stalled = await listStalledGenerations(pool);
    if (stalled.length === 0) return;
    await haltStalledGenerations(pool, stalled);
    events.emit('stalled', stalled);
    await this.#prune();
  }

  async #removeIndices(logTooLong: boolean): Promise<void> {
    const { config, events } = this.#deps;
    const { abandonedAfterMs } = config.retire;
    // An abandoned build must not keep a log that is too long.
    const limits = logTooLong
      ? { ...config.retire, abandonedAfterMs: Math.min(stalledAfterMs, abandonedAfterMs) }
      : config.retire;
    try {
      for (const kind of this.#kinds) {
        const { retired, abandoned } = await cleanUpKind(this.#deps, kind, limits);
        if (retired.length > 0) events.emit('retired', kind, retired);
        if (abandoned.length > 0) events.emit('abandoned', kind, abandoned);
      }
      if (this.#removalFailed) events.emit('recovered');
      this.#removalFailed = false;
    } catch (error) {
      // A surplus index must not stop the following of others.
      events.emit('failure', `Old indices stay for now. ${explainError(error)}`, config.pruneEveryMs);
      this.#removalFailed = true;
    }
  }
}
