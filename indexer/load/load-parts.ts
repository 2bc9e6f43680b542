import { sleep } from '../../src/lib/sleep.ts';
import { DeadLetterMonitor, TooManyDeadLettersError } from '../dead-letters/monitor.ts';
import type { Generation } from '../generations/generations.ts';
import type { DocumentChunk } from '../read/document-chunk.ts';
import { readAllDocuments } from '../read/read-all.ts';
import type { ReindexConfig } from '../reindex/config.ts';
import type { HeldBatch } from '../write/batches.ts';
import { sendDocuments } from '../write/send-documents.ts';
import type { WriteContext } from '../write/write-context.ts';
import { DrainSignal } from './drain-signal.ts';
import { ClaimLostError, LoadEndedError, LoadStoppedError, PartsLostError } from './errors.ts';
import type { LoadMember } from './member.ts';
import { claimPart, type LoadState, readLoad, releaseParts, savePoints, stopLoad } from './parts.ts';
import { PartTracker } from './tracker.ts';

/** How far a load is. */
export interface LoadProgress {
  /** Rows that became a document or a dead letter. */
  readonly rows: number;
  readonly bytes: number;
  readonly deadLetters: number;
}

export interface LoadOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: LoadProgress) => void;
  /** The load as all its workers have saved it, about once a second. */
  readonly onState?: (state: LoadState) => Promise<void>;
}

type LoadContext = WriteContext<ReindexConfig>;

/**
 * Claims and loads parts until every part of the load is done, by whomever. Rejects as `loadFreeParts` does, or with
 * `PartsLostError`.
 */
export async function loadAllParts(
  context: LoadContext,
  member: LoadMember,
  generation: Generation,
  options: LoadOptions,
): Promise<LoadState> {
  for (;;) {
    const { state } = await loadFreeParts(context, member, generation, options);
    if (state.open === 0) return state;
    await sleep(waitMs, options.signal);
  }
}

/** Between looks whether a part has become free, or all are done. */
const waitMs = 200;

/**
 * Claims and loads parts until none is free, and answers how the load stands then. Rows are read while earlier batches
 * are under way; what is held in memory is bounded by the worker's share of the budget, whatever the number of rows.
 * Rejects with the first failure (too many rejections are one: `TooManyDeadLettersError`, or `LoadStoppedError` where
 * another worker met them), with `LoadEndedError` where the load is not this run's any more, or the signal's reason;
 * after all requests have ended.
 */
export async function loadFreeParts(
  context: LoadContext,
  member: LoadMember,
  generation: Generation,
  options: LoadOptions,
): Promise<{ readonly state: LoadState; readonly loadedHere: number }> {
  const signal = AbortSignal.any([options.signal, member.ended]);
  let loadedHere = 0;
  for (;;) {
    signal.throwIfAborted();
    const state = await readOwnLoad(context, member, generation);
    options.onProgress(state);
    await options.onState?.(state);
    const { workerId } = member;
    if (state.free === 0 || workerId === undefined) return { state, loadedHere };
    const pass = new Pass(context, { member, workerId }, generation, { ...options, signal });
    try {
      await pass.run(state);
    } catch (error) {
      const isHopeless = error instanceof TooManyDeadLettersError;
      if (isHopeless) await stopLoad(context.pool, generation, error.message);
      // Others have what was claimed here; what is left may be claimed. In a process that was paused, time limits have
      // passed as well: whether something is wrong indeed is seen at the next attempt.
      const isLost = error instanceof ClaimLostError || !member.holds(workerId);
      if (isHopeless || !isLost) throw error;
    }
    loadedHere += pass.loaded;
  }
}

async function readOwnLoad(context: LoadContext, member: LoadMember, generation: Generation): Promise<LoadState> {
  const state = await readLoad(context.pool, generation);
  if (state === undefined || state.isTorn) throw new PartsLostError();
  if (state.stopped !== null) throw new LoadStoppedError(state.stopped);
  if (state.runId !== member.runId || state.generationState !== 'loading') {
    throw new LoadEndedError(`The load of ${generation.indexName} goes on elsewhere, or has ended.`);
  }
  return state;
}

interface Claimant {
  readonly member: LoadMember;
  readonly workerId: number;
}

/** One part after another, as long as some are free. Everything that is claimed is done or given back at its end. */
class Pass {
  /** Documents that were acknowledged here. */
  loaded = 0;
  readonly #context: LoadContext;
  readonly #claimant: Claimant;
  readonly #generation: Generation;
  readonly #options: LoadOptions;
  readonly #tracker = new PartTracker();
  #savedMs: number;
  #saving: Promise<void> = Promise.resolve();
  /** What the load has come to beside the parts that are claimed here. */
  #others: { readonly rows: number; readonly bytes: number } = { rows: 0, bytes: 0 };
  #deadLetters = 0;

  constructor(context: LoadContext, claimant: Claimant, generation: Generation, options: LoadOptions) {
    this.#context = context;
    this.#claimant = claimant;
    this.#generation = generation;
    this.#options = options;
    this.#savedMs = context.nowMs();
  }

  async run(before: LoadState): Promise<void> {
    const { config, pool } = this.#context;
    const { signal } = this.#options;
    this.#others = before;
    this.#deadLetters = before.deadLetters;
    using draining = new DrainSignal(signal, config.drainMs);
    try {
      await sendDocuments(this.#context, this.#generation, this.#rows(), {
        watch: new DeadLetterMonitor(config.deadLetters),
        signal,
        cut: draining.signal,
        beforeSend: () => this.#assertClaims(),
        onBatch: (batch) => this.#begin(batch),
        onLetters: (total) => {
          this.#deadLetters = total;
        },
      });
      await this.#save();
    } catch (error) {
      // With a reason to stop, a failure of this is at most a part of it; others go on from an earlier point then.
      await this.#save().catch(() => undefined);
      throw error;
    } finally {
      await releaseParts(pool, this.#generation, this.#claimant.workerId).catch(() => undefined);
    }
  }

  #assertClaims(): void {
    const { member, workerId } = this.#claimant;
    member.assertClaims(workerId);
  }

  async *#rows(): AsyncGenerator<DocumentChunk, void, undefined> {
    const { pool } = this.#context;
    const { signal } = this.#options;
    const { member, workerId } = this.#claimant;
    while (member.workerId === workerId) {
      const part = await claimPart(pool, this.#generation, { workerId, runId: member.runId });
      if (part === undefined) return;
      this.#others = { rows: this.#others.rows - part.rows, bytes: this.#others.bytes - part.bytes };
      this.#tracker.open(part);
      const range = { afterId: part.resumeId, upToId: part.upToId, signal };
      for await (const chunk of readAllDocuments(pool, this.#generation, range)) {
        const { documents, unreadable = [] } = chunk;
        this.#tracker.read(part.part, { documents: documents.length, unreadable: unreadable.length });
        yield chunk;
      }
      this.#tracker.endReading(part.part);
    }
  }

  /** Answers what to call when the batch is acknowledged. */
  #begin({ items }: HeldBatch): () => Promise<void> {
    const acknowledge = this.#tracker.begin(items);
    return async () => {
      acknowledge();
      this.loaded += items.length;
      this.#tellProgress();
      if (this.#context.nowMs() - this.#savedMs >= this.#context.config.load.beatMs) await this.#save();
    };
  }

  #tellProgress(): void {
    const { rows, bytes } = this.#tracker.settled();
    const { rows: otherRows, bytes: otherBytes } = this.#others;
    this.#options.onProgress({ rows: rows + otherRows, bytes: bytes + otherBytes, deadLetters: this.#deadLetters });
  }

  /** One after another: an older point must not overwrite a newer one. */
  #save(): Promise<void> {
    this.#savedMs = this.#context.nowMs();
    this.#saving = this.#saving.catch(() => undefined).then(() => this.#saveNow());
    return this.#saving;
  }

  async #saveNow(): Promise<void> {
    const { pool } = this.#context;
    const points = this.#tracker.points();
    await savePoints(pool, this.#generation, this.#claimant.workerId, points);
    this.#tracker.keep(points);
    const state = await readOwnLoad(this.#context, this.#claimant.member, this.#generation);
    const saved = this.#tracker.saved();
    this.#others = { rows: state.rows - saved.rows, bytes: state.bytes - saved.bytes };
    this.#deadLetters = Math.max(this.#deadLetters, state.deadLetters);
    await this.#options.onState?.(state);
  }
}
