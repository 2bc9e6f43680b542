import { type KindName, mapKinds } from '../../src/kinds/kind.ts';
import { Backoff } from '../../src/lib/backoff.ts';
import { sleepUnlessAborted } from '../../src/lib/sleep.ts';
import { explainError } from '../errors.ts';
import type { LockSession } from '../generations/locks.ts';
import type { Limits } from '../limits.ts';
import type { ChangedTexts } from './changed-texts.ts';
import { type EmbeddingDeps, VectorFiller } from './fill-vectors.ts';
import { VectorScan, vectorLock } from './scan.ts';
import { countWaiting, removeOrphans, type WaitingText, waitingTexts } from './vector-rows.ts';

// Makes vectors in the background, next to the readers of the change log: for changes that they read, and for every row
// at intervals. A document never waits for its vector. A vector is written as soon as it exists and reaches the index
// like any other change.

export interface BackgroundDeps extends EmbeddingDeps {
  readonly limits: Limits['embeddings'];
  readonly changed: ChangedTexts;
  readonly nowMs: () => number;
  readonly random: () => number;
}

interface KindScan {
  readonly rows: VectorScan;
  /** Texts found and not yet embedded. */
  texts: readonly WaitingText[];
  /** The number of texts left in the scan, as counted when it began. */
  left: number;
}

/** Makes vectors as long as a session of sync lasts. */
export class BackgroundEmbedder {
  readonly #deps: BackgroundDeps;
  readonly #kinds: readonly KindName[];
  readonly #locks: LockSession;
  readonly #filler: VectorFiller;
  readonly #backoff: Backoff;
  readonly #held = new Set<KindName>();
  readonly #scans = new Map<KindName, KindScan>();
  /** The earliest and the latest start of a kind's next full scan. */
  readonly #mayScanMs: Record<KindName, number>;
  readonly #mustScanMs: Record<KindName, number>;
  /** Another process holds the kind's lock; the next attempt is after this time. */
  readonly #lockAgainMs: Record<KindName, number>;

  constructor(deps: BackgroundDeps, kinds: readonly KindName[], locks: LockSession) {
    this.#deps = deps;
    this.#kinds = kinds;
    this.#locks = locks;
    this.#filler = new VectorFiller(deps);
    this.#backoff = new Backoff(deps.limits, deps.random);
    const nowMs = deps.nowMs();
    this.#mayScanMs = { ...mapKinds(() => nowMs) };
    this.#mustScanMs = { ...mapKinds(() => nowMs) };
    this.#lockAgainMs = { ...mapKinds(() => nowMs) };
  }

  /** Works until the signal aborts. Never rejects: failed work is tried again. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const worked = await this.#step(signal);
        if (!worked) await sleepUnlessAborted(this.#deps.limits.idleMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        const pauseMs = this.#backoff.next();
        this.#deps.events.emit('failure', explainError(error), pauseMs);
        await sleepUnlessAborted(pauseMs, signal);
      }
    }
  }

  /** Embeds some changed texts, and some of a due full scan, of each kind. Returns false if nothing was due. */
  async #step(signal: AbortSignal): Promise<boolean> {
    let worked = false;
    for (const kind of this.#kinds) {
      const hasChanged = this.#deps.changed.size(kind) > 0;
      const isScanDue = this.#isScanDue(kind);
      if (!(hasChanged || isScanDue) || !(await this.#acquire(kind))) continue;
      if (hasChanged) await this.#fillChanged(kind, signal);
      if (isScanDue) await this.#continueScan(kind, signal);
      worked = true;
    }
    if (!worked) for (const held of this.#held) await this.#release(held);
    return worked;
  }

  async #fillChanged(kind: KindName, signal: AbortSignal): Promise<void> {
    const { pool, provider, changed, limits, events } = this.#deps;
    const ids = changed.take(kind, limits.idsAtOnce);
    try {
      const removed = await removeOrphans(pool, kind, ids);
      if (removed > 0) events.emit('removed', kind, removed);
      const texts = await waitingTexts(pool, { kind, model: provider.model }, ids);
      await this.#fill(kind, texts, signal);
    } catch (error) {
      changed.note(kind, ids);
      throw error;
    } finally {
      this.#tellBacklog(kind);
    }
  }

  async #fill(kind: KindName, texts: readonly WaitingText[], signal: AbortSignal): Promise<void> {
    const acceptable = this.#filler.acceptable(kind, texts);
    if (acceptable.length === 0) return;
    await this.#filler.fill(kind, acceptable, signal);
    if (this.#backoff.reset()) this.#deps.events.emit('recovered');
  }

  #isScanDue(kind: KindName): boolean {
    const nowMs = this.#deps.nowMs();
    if (this.#scans.has(kind) || nowMs >= this.#mustScanMs[kind]) return true;
    return this.#deps.changed.isWholeKindDue(kind) && nowMs >= this.#mayScanMs[kind];
  }

  async #continueScan(kind: KindName, signal: AbortSignal): Promise<void> {
    const scan = this.#scans.get(kind) ?? (await this.#beginScan(kind));
    if (scan.texts.length === 0) {
      const texts = await scan.rows.next(signal);
      if (texts === undefined) return this.#endScan(kind);
      scan.texts = texts;
    }
    const some = scan.texts.slice(0, this.#deps.limits.stepTexts);
    await this.#fill(kind, some, signal);
    scan.texts = scan.texts.slice(some.length);
    scan.left = Math.max(0, scan.left - some.length);
    this.#tellBacklog(kind);
  }

  async #beginScan(kind: KindName): Promise<KindScan> {
    const { pool, provider, changed, limits, events, nowMs } = this.#deps;
    const target = { kind, model: provider.model };
    const onOrphansRemoved = (vectors: number): unknown => events.emit('removed', kind, vectors);
    changed.beginWholeKind(kind);
    // Only scans at the usual interval retry refused texts; a scan after changes does not.
    if (nowMs() >= this.#mustScanMs[kind]) this.#filler.forgetSkipped(kind);
    const rows = new VectorScan(pool, target, { windowRows: limits.windowRows, onOrphansRemoved });
    const scan: KindScan = { rows, texts: [], left: await countWaiting(pool, target) };
    this.#scans.set(kind, scan);
    this.#mustScanMs[kind] = nowMs() + limits.scanEveryMs;
    this.#tellBacklog(kind);
    return scan;
  }

  #endScan(kind: KindName): void {
    this.#scans.delete(kind);
    this.#mayScanMs[kind] = this.#deps.nowMs() + this.#deps.limits.scanPauseMs;
    this.#tellBacklog(kind);
  }

  #tellBacklog(kind: KindName): void {
    const { changed, events } = this.#deps;
    events.emit('backlog', kind, changed.size(kind) + (this.#scans.get(kind)?.left ?? 0));
  }

  /** Returns true if this process makes the vectors of a kind now. */
  async #acquire(kind: KindName): Promise<boolean> {
    const { nowMs, provider, limits } = this.#deps;
    if (this.#held.has(kind)) return true;
    if (nowMs() < this.#lockAgainMs[kind]) return false;
    const isTaken = (await this.#locks.take(vectorLock({ kind, model: provider.model }))) === true;
    if (isTaken) this.#held.add(kind);
    else this.#lockAgainMs[kind] = nowMs() + limits.firstPauseMs;
    return isTaken;
  }

  async #release(kind: KindName): Promise<void> {
    await this.#locks.release(vectorLock({ kind, model: this.#deps.provider.model }));
    this.#held.delete(kind);
  }
}
