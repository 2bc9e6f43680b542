import type { Client } from '@elastic/elasticsearch';
import type pg from 'pg';
import { writeAliasName } from '../src/index-names.ts';
import { cutBatches, type HeldBatch } from './batches.ts';
import type { BatchBuffers } from './batches-buffers.ts';
import { type BulkTarget, sendBatch } from './bulk.ts';
import { deadLetterDesk } from './dead-letter-desk.ts';
import { DeadLetterWatch } from './dead-letter-limits.ts';
import type { Generation } from './generations.ts';
import type { PressureGate } from './pressure-gate.ts';
import type { ReindexConfig } from './reindex-config.ts';
import type { LoadCounts } from './reindex-model.ts';
import { type ResumePoint, recordResumePoint } from './resume.ts';
import { type RowChunk, streamRows } from './rows.ts';

export interface LoadDeps {
  readonly pool: pg.Pool;
  readonly client: Client;
  readonly config: ReindexConfig;
  /** Shared by all kinds that load at the same time. */
  readonly gate: PressureGate;
  readonly buffers: BatchBuffers;
  readonly nowMs: () => number;
  readonly random: () => number;
}

/** How far a load is. */
export interface LoadProgress {
  /** Rows that became a document or a dead letter. */
  readonly rows: number;
  readonly bytes: number;
  readonly deadLetters: number;
}

/**
 * Sends every row of a generation's kind to its index, from the resume point on. Rows are read while earlier batches are under way; what is
 * held in memory is bounded by the budget, whatever the number of rows. Rejects with the first failure (too many
 * rejections are one: `TooManyDeadLettersError`), or with the signal's reason, after all requests have ended.
 */
export async function loadGeneration(
  deps: LoadDeps,
  generation: Generation,
  from: ResumePoint,
  signal: AbortSignal,
  onProgress: (progress: LoadProgress) => void,
): Promise<LoadCounts> {
  const failing = new AbortController();
  using draining = new DrainSignal(signal, deps.config.drainMs);
  const stop = AbortSignal.any([signal, failing.signal]);
  const load = new Load(deps, generation, from, {
    stop,
    cut: AbortSignal.any([draining.signal, failing.signal]),
    fail: (error) => failing.abort(error),
    onProgress,
  });
  try {
    const batches = cutBatches(load.rows(), {
      batchBytes: deps.config.batchBytes,
      reserve: (bytes) => deps.buffers.take(bytes, stop),
    });
    for await (const batch of batches) load.send(batch);
  } catch (error) {
    // The first reason counts: what broke because of a stop is not why we stop.
    if (!stop.aborted) failing.abort(error);
  }
  await load.ended();
  try {
    await load.keepResumePoint();
  } catch (error) {
    // With a reason to stop, this is at most a part of it; the load is then resumed from an earlier point.
    stop.throwIfAborted();
    throw error;
  }
  stop.throwIfAborted();
  return load.counts();
}

interface LoadControl {
  readonly stop: AbortSignal;
  readonly cut: AbortSignal;
  readonly fail: (error: unknown) => void;
  readonly onProgress: (progress: LoadProgress) => void;
}

class Load {
  readonly #deps: LoadDeps;
  readonly #generation: Generation;
  readonly #control: LoadControl;
  readonly #target: BulkTarget;
  readonly #underWay = new Set<Promise<void>>();
  readonly #from: ResumePoint;
  readonly #marks: LoadMarks;
  #keptMs: number;
  #read: number;
  #settled: number;
  #bytes: number;
  #deadLetters: number;

  constructor(deps: LoadDeps, generation: Generation, from: ResumePoint, control: LoadControl) {
    this.#deps = deps;
    this.#generation = generation;
    this.#control = control;
    this.#from = from;
    this.#marks = new LoadMarks(from);
    this.#keptMs = deps.nowMs();
    this.#read = from.rows;
    this.#settled = from.rows;
    this.#bytes = from.bytes;
    this.#deadLetters = from.deadLetters;
    this.#target = {
      client: deps.client,
      alias: writeAliasName(generation.indexName),
      gate: deps.gate,
      limits: deps.config.bulk,
      nowMs: deps.nowMs,
      random: deps.random,
      ...deadLetterDesk(deps.pool, generation, new DeadLetterWatch(deps.config.deadLetters), (_, total) => {
        this.#deadLetters = total;
      }),
      signal: control.stop,
      cut: control.cut,
    };
  }

  async *rows(): AsyncGenerator<RowChunk, void, undefined> {
    const { config, pool, nowMs } = this.#deps;
    const chunks = streamRows(pool, {
      documentSql: this.#generation.documentSql,
      afterId: this.#from.afterId,
      snapshotRows: config.snapshotRows,
      snapshotMs: config.snapshotMs,
      readBytes: config.readBytes,
      nowMs,
      signal: this.#control.stop,
    });
    for await (const chunk of chunks) {
      this.#read += chunk.rows.length;
      yield chunk;
    }
  }

  /** Sends without waiting: the budget holds the reader back. */
  send(batch: HeldBatch): void {
    const acknowledged = this.#marks.begin(batch);
    const sending = this.#sendOne(batch).then(acknowledged).catch(this.#control.fail);
    this.#underWay.add(sending);
    void sending.finally(() => this.#underWay.delete(sending));
  }

  async #sendOne(batch: HeldBatch): Promise<void> {
    let reusable = false;
    try {
      reusable = (await sendBatch(this.#target, batch)).clean;
    } finally {
      batch.release(reusable);
    }
    this.#settled += batch.items.length;
    this.#bytes += batch.body.length;
    this.#control.onProgress({ rows: this.#settled, bytes: this.#bytes, deadLetters: this.#deadLetters });
    if (this.#deps.nowMs() - this.#keptMs >= keepResumePointEveryMs) await this.keepResumePoint();
  }

  async keepResumePoint(): Promise<void> {
    this.#keptMs = this.#deps.nowMs();
    await recordResumePoint(this.#deps.pool, this.#generation, {
      ...this.#marks.reached,
      deadLetters: this.#deadLetters,
    });
  }

  async ended(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  counts(): LoadCounts {
    return { rows: this.#read, deadLetters: this.#deadLetters, bytes: this.#bytes };
  }
}

const keepResumePointEveryMs = 1_000;

/** Follows which batches are acknowledged; they were begun in ascending id, and may end in any order. */
class LoadMarks {
  #reached: ResumePoint;
  readonly #open: { readonly items: number; readonly bytes: number; readonly lastId: number; done: boolean }[] = [];

  constructor(from: ResumePoint) {
    this.#reached = from;
  }

  /** Up to where everything is acknowledged. */
  get reached(): ResumePoint {
    return this.#reached;
  }

  /** Answers what to call when the batch is acknowledged. */
  begin(batch: HeldBatch): () => void {
    const lastId = batch.items.at(-1)?.id ?? this.#reached.afterId;
    const mark = { items: batch.items.length, bytes: batch.body.length, lastId, done: false };
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
