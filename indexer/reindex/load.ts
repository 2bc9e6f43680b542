import { DeadLetterMonitor } from '../dead-letters/monitor.ts';
import type { Generation } from '../generations/generations.ts';
import type { LoadCounts } from '../generations/model.ts';
import { type ResumePoint, recordResumePoint } from '../generations/unfinished.ts';
import type { DocumentChunk } from '../read/document-chunk.ts';
import { readAllDocuments } from '../read/read-all.ts';
import type { BatchItem, HeldBatch } from '../write/batches.ts';
import { sendDocuments } from '../write/send-documents.ts';
import type { WriteContext } from '../write/write-context.ts';
import type { ReindexConfig } from './config.ts';

export type ReindexContext = WriteContext<ReindexConfig>;

/** How far a load is. */
export interface LoadProgress {
  /** Rows that became a document or a dead letter. */
  readonly rows: number;
  readonly bytes: number;
  readonly deadLetters: number;
}

export interface LoadOptions {
  readonly from: ResumePoint;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: LoadProgress) => void;
}

/**
 * Sends every row of a generation's kind to its index, from the resume point on. Rows are read while earlier batches are
 * under way; what is held in memory is bounded by the budget, whatever the number of rows. Rejects with the first failure (too many
 * rejections are one: `TooManyDeadLettersError`), or with the signal's reason, after all requests have ended.
 */
export async function loadGeneration(
  context: ReindexContext,
  generation: Generation,
  { from, signal, onProgress }: LoadOptions,
): Promise<LoadCounts> {
  const { config } = context;
  using draining = new DrainSignal(signal, config.drainMs);
  const load = new Load(context, generation, from, onProgress);
  try {
    await sendDocuments(context, generation, load.rows(signal), {
      watch: new DeadLetterMonitor(config.deadLetters),
      signal,
      cut: draining.signal,
      onBatch: (batch) => load.begin(batch),
      onLetters: (total) => load.letters(total),
    });
  } catch (error) {
    // With a reason to stop, a failure of this is at most a part of it; the load is then resumed from an earlier point.
    await load.keepResumePoint().catch(() => undefined);
    throw error;
  }
  await load.keepResumePoint();
  return load.counts();
}

class Load {
  readonly #context: ReindexContext;
  readonly #generation: Generation;
  readonly #onProgress: (progress: LoadProgress) => void;
  readonly #from: ResumePoint;
  readonly #acknowledged: AcknowledgedRows;
  #keptMs: number;
  #read: number;
  #settled: number;
  #bytes: number;
  #deadLetters: number;

  constructor(
    context: ReindexContext,
    generation: Generation,
    from: ResumePoint,
    onProgress: (progress: LoadProgress) => void,
  ) {
    this.#context = context;
    this.#generation = generation;
    this.#onProgress = onProgress;
    this.#from = from;
    this.#acknowledged = new AcknowledgedRows(from);
    this.#keptMs = context.nowMs();
    this.#read = from.rows;
    this.#settled = from.rows;
    this.#bytes = from.bytes;
    this.#deadLetters = from.deadLetters;
  }

  async *rows(signal: AbortSignal): AsyncGenerator<DocumentChunk, void, undefined> {
    const { pool } = this.#context;
    for await (const chunk of readAllDocuments(pool, this.#generation, { afterId: this.#from.afterId, signal })) {
      const unreadable = chunk.unreadable?.length ?? 0;
      this.#read += chunk.documents.length + unreadable;
      this.#settled += unreadable;
      this.#acknowledged.skip(unreadable);
      yield chunk;
    }
  }

  /** Answers what to call when the batch is acknowledged. */
  begin({ items, body }: HeldBatch): () => Promise<void> {
    const reached = this.#acknowledged.begin(items, body.length);
    return async () => {
      reached();
      this.#settled += items.length;
      this.#bytes += body.length;
      this.#onProgress({ rows: this.#settled, bytes: this.#bytes, deadLetters: this.#deadLetters });
      if (this.#context.nowMs() - this.#keptMs >= keepResumePointEveryMs) await this.keepResumePoint();
    };
  }

  letters(total: number): void {
    this.#deadLetters = total;
  }

  async keepResumePoint(): Promise<void> {
    this.#keptMs = this.#context.nowMs();
    await recordResumePoint(this.#context.pool, this.#generation, {
      ...this.#acknowledged.reached,
      deadLetters: this.#deadLetters,
    });
  }

  counts(): LoadCounts {
    return { rows: this.#read, deadLetters: this.#deadLetters, bytes: this.#bytes };
  }
}

const keepResumePointEveryMs = 1_000;

/** Follows which batches are acknowledged; they were begun in ascending id, and may end in any order. */
class AcknowledgedRows {
  #reached: ResumePoint;
  #skipped = 0;
  readonly #open: { readonly items: number; readonly bytes: number; readonly lastId: number; done: boolean }[] = [];

  constructor(from: ResumePoint) {
    this.#reached = from;
  }

  /** Up to where everything is acknowledged. */
  get reached(): ResumePoint {
    return this.#reached;
  }

  /** Rows that became dead letters without being sent; they count with the next batch. */
  skip(rows: number): void {
    this.#skipped += rows;
  }

  /** Answers what to call when the batch is acknowledged. */
  begin(items: readonly BatchItem[], bytes: number): () => void {
    const lastId = items.at(-1)?.id ?? this.#reached.afterId;
    const mark = { items: items.length + this.#skipped, bytes, lastId, done: false };
    this.#skipped = 0;
    this.#open.push(mark);
    return () => {
      mark.done = true;
      for (let first = this.#open[0]; first?.done; first = this.#open[0]) {
        this.#open.shift();
        const { rows, bytes, deadLetters } = this.#reached;
        this.#reached = { afterId: first.lastId, rows: rows + first.items, bytes: bytes + first.bytes, deadLetters };
      }
    };
  }
}

/** Aborted some time after another signal, so that what is under way may end by itself. */
class DrainSignal {
  readonly signal: AbortSignal;
  readonly #source: AbortSignal;
  readonly #onAbort: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(source: AbortSignal, graceMs: number) {
    const controller = new AbortController();
    this.signal = controller.signal;
    this.#source = source;
    this.#onAbort = () => {
      this.#timer = setTimeout(() => controller.abort(source.reason), graceMs);
    };
    if (source.aborted) this.#onAbort();
    else source.addEventListener('abort', this.#onAbort, { once: true });
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#source.removeEventListener('abort', this.#onAbort);
  }
}
