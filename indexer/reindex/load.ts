import { DeadLetterMonitor } from '../dead-letters/monitor.ts';
import type { Generation } from '../generations/generations.ts';
import type { LoadCounts } from '../generations/model.ts';
import { readAllDocuments } from '../read/read-all.ts';
import type { DocumentChunk } from '../read/read-by-id.ts';
import type { Batch } from '../write/batches.ts';
import { sendDocuments } from '../write/send-documents.ts';
import type { WriteContext } from '../write/write-context.ts';
import type { ReindexConfig } from './config.ts';
import { DrainSignal } from './drain-signal.ts';
import { LoadTracker, type ResumePoint, readResumePoint, saveResumePoint } from './resume-point.ts';

export type ReindexContext = WriteContext<ReindexConfig>;

export interface LoadOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: LoadCounts) => void;
}

/**
 * Sends every row of a generation's kind to its index, from the saved point of an earlier run. Rows are read while
 * earlier batches are under way; the budget for batches limits memory. Rejects with the first failure
 * (`TooManyDeadLettersError` is one) or the signal's reason, after all requests have ended.
 */
export async function loadGeneration(
  context: ReindexContext,
  generation: Generation,
  options: LoadOptions,
): Promise<LoadCounts> {
  const from = await readResumePoint(context.pool, generation);
  return new Load(context, generation, options, from).run();
}

class Load {
  readonly #context: ReindexContext;
  readonly #generation: Generation;
  readonly #options: LoadOptions;
  readonly #fromId: number;
  readonly #tracker: LoadTracker;
  #deadLetters: number;
  #savedMs: number;

  constructor(
    context: ReindexContext,
    generation: Generation,
    options: LoadOptions,
    from: ResumePoint & Pick<LoadCounts, 'deadLetters'>,
  ) {
    this.#context = context;
    this.#generation = generation;
    this.#options = options;
    this.#fromId = from.id;
    this.#tracker = new LoadTracker(from);
    this.#deadLetters = from.deadLetters;
    this.#savedMs = context.nowMs();
  }

  async run(): Promise<LoadCounts> {
    const { config } = this.#context;
    const { signal } = this.#options;
    using draining = new DrainSignal(signal, config.drainMs);
    try {
      await sendDocuments(this.#context, this.#generation, this.#rows(), {
        watch: new DeadLetterMonitor(config.deadLetters),
        signal,
        cut: draining.signal,
        onBatch: (batch) => this.#begin(batch),
        onLetters: (total) => {
          this.#deadLetters = total;
        },
      });
    } catch (error) {
      // Without this save the load resumes from an earlier point; the first failure is the one to report.
      await this.#save().catch(() => undefined);
      throw error;
    }
    await this.#save();
    return this.#counts();
  }

  async *#rows(): AsyncGenerator<DocumentChunk, void, undefined> {
    const range = { afterId: this.#fromId, signal: this.#options.signal };
    for await (const chunk of readAllDocuments(this.#context.pool, this.#generation, range)) {
      this.#tracker.addUnreadable(chunk.unreadable?.length ?? 0);
      yield chunk;
    }
  }

  #begin(batch: Batch): () => Promise<void> {
    const acknowledge = this.#tracker.begin(batch);
    return async () => {
      acknowledge();
      this.#options.onProgress(this.#counts());
      const { config, nowMs } = this.#context;
      if (nowMs() - this.#savedMs >= config.saveEveryMs) await this.#save();
    };
  }

  async #save(): Promise<void> {
    this.#savedMs = this.#context.nowMs();
    this.#deadLetters = await saveResumePoint(this.#context.pool, this.#generation, this.#tracker.point);
  }

  #counts(): LoadCounts {
    return { ...this.#tracker.settled, deadLetters: this.#deadLetters };
  }
}
