import type { ReaderParts } from '../change-log/parts.ts';
import { type LockHolder, type LockSession, readerLock } from '../generations/locks.ts';

/** What is fair where several processes follow an index: so many parts, at most, for each of them. Pure. */
export function fairShare(parts: number, processes: number): number {
  return Math.ceil(parts / Math.max(1, processes));
}

/** The parts of one index that this process reads into, each under a lock of its own. */
export class HeldParts {
  readonly of: number;
  readonly #locks: LockSession;
  readonly #indexName: string;
  readonly #held = new Set<number>();
  #share: number;
  #isClosed = false;

  constructor(locks: LockSession, indexName: string, of: number) {
    this.#locks = locks;
    this.#indexName = indexName;
    this.of = of;
    this.#share = of;
  }

  get parts(): ReaderParts {
    return { of: this.of, held: [...this.#held].sort((one, other) => one - other) };
  }

  get size(): number {
    return this.#held.size;
  }

  /** More is held than is fair: the reader is to come to an end, and `releaseSurplus` to be called. */
  get isBeyondShare(): boolean {
    return this.#held.size > this.#share;
  }

  /** Takes parts that are free, up to the share. Answers who has one that was wanted, where nothing is held. */
  async claim(share: number): Promise<LockHolder | undefined> {
    this.#share = share;
    let other: LockHolder | undefined;
    for (let part = 0; part < this.of && this.#held.size < share && !this.#isClosed; part += 1) {
      if (this.#held.has(part)) continue;
      const taken = await this.#locks.take(readerLock(this.#indexName, part, this.of));
      if (taken === true) this.#held.add(part);
      else other ??= taken;
    }
    // Let go of while it was asked for.
    if (this.#isClosed) await this.releaseAll();
    return other;
  }

  /** Lets go of what is beyond the share. Not while they are read into. */
  async releaseSurplus(): Promise<void> {
    await this.#release(this.parts.held.slice(this.#share));
  }

  /** Lets go of all, for good. */
  async releaseAll(): Promise<void> {
    this.#isClosed = true;
    await this.#release(this.parts.held);
  }

  async #release(parts: readonly number[]): Promise<void> {
    for (const part of parts) {
      this.#held.delete(part);
      await this.#locks.release(readerLock(this.#indexName, part, this.of));
    }
  }
}
