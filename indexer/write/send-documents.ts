import type { Client } from '@elastic/elasticsearch';
import type pg from 'pg';
import { writeAliasName } from '../../src/kinds/index-names.ts';
import { clearDeadLetters } from '../dead-letters/dead-letters.ts';
import { type DeadLetterHandler, deadLetterHandler } from '../dead-letters/handler.ts';
import type { DeadLetterWatch } from '../dead-letters/limits.ts';
import type { BatchMemory } from './batch-buffers.ts';
import { cutBatches, type HeldBatch } from './batches.ts';
import { type BulkLimits, type BulkTarget, type SentBatch, sendBatch } from './bulk.ts';
import type { PressureGate } from './pressure-gate.ts';
import type { RowChunk } from './rows.ts';

// From documents to an index: batches, `_bulk`, dead letters and the end of dead letters. The one way in which loads,
// the readers of the change log and parts write.

export interface SendDeps {
  readonly pool: pg.Pool;
  readonly client: Client;
  /** Shared by all that write in a process. */
  readonly gate: PressureGate;
  /** This index's share. */
  readonly buffers: BatchMemory;
  readonly batchBytes: number;
  readonly bulk: BulkLimits;
  readonly nowMs: () => number;
  readonly random: () => number;
}

/** Where documents are sent. */
export interface SendTarget {
  readonly id: number;
  readonly indexName: string;
}

/** What was sent, all of it acknowledged. */
export interface SentCounts {
  readonly written: number;
  readonly deleted: number;
  /** The index holds a later state of these. */
  readonly superseded: number;
  readonly deadLetters: number;
  /** The highest version met in the index above one of ours; 0 for none. */
  readonly newest: number;
}

/** A batch that was acknowledged. */
export interface AcknowledgedBatch {
  readonly items: number;
  readonly bytes: number;
}

export interface SendOptions {
  /** What is too much to go on; without one, nothing is. */
  readonly watch?: DeadLetterWatch;
  /** Nothing new is sent after this. */
  readonly signal: AbortSignal;
  /** Cuts requests that are under way, too; the same unless it is given. */
  readonly cut?: AbortSignal;
  /** Each batch, in the order of its documents, before it is sent; what it answers is called when it is acknowledged. */
  readonly onBatch?: (batch: HeldBatch) => (acknowledged: AcknowledgedBatch) => Promise<void>;
  /** Letters were kept: how many now, and how many the generation has. */
  readonly onLetters?: (kept: number, total: number) => void;
}

/**
 * Sends chunks to a generation's index, several batches at the same time, and resolves when every one is acknowledged.
 * Rejects with the first failure or the signal's reason after all requests have ended. What is rejected, or could not
 * be read, becomes a dead letter, and too many of them are a failure (`TooManyDeadLettersError`); the letter of a
 * document that was taken is removed.
 */
export async function sendDocuments(
  deps: SendDeps,
  target: SendTarget,
  chunks: AsyncIterable<RowChunk>,
  options: SendOptions,
): Promise<SentCounts> {
  const sender = new Sender(deps, target, options);
  const reserve = (bytes: number) => deps.buffers.take(bytes, sender.stop);
  try {
    const batches = cutBatches(sender.withoutUnreadable(chunks), { batchBytes: deps.batchBytes, reserve });
    for await (const batch of batches) sender.begin(batch);
  } catch (error) {
    sender.fail(error);
  }
  return sender.end();
}

class Sender {
  readonly stop: AbortSignal;
  readonly #deps: SendDeps;
  readonly #target: SendTarget;
  readonly #options: SendOptions;
  readonly #failing = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  readonly #desk: DeadLetterHandler;
  readonly #bulk: Omit<BulkTarget, keyof DeadLetterHandler>;
  #sent = { written: 0, deleted: 0, superseded: 0, deadLetters: 0, newest: 0 };

  constructor(deps: SendDeps, target: SendTarget, options: SendOptions) {
    const { signal, cut = signal, watch, onLetters } = options;
    this.#deps = deps;
    this.#target = target;
    this.#options = options;
    this.stop = AbortSignal.any([signal, this.#failing.signal]);
    this.#desk = deadLetterHandler(deps.pool, target, watch, (letters, total) => {
      this.#sent.deadLetters += letters.length;
      onLetters?.(letters.length, total);
    });
    this.#bulk = {
      ...deps,
      indexName: target.indexName,
      alias: writeAliasName(target.indexName),
      limits: deps.bulk,
      onNewer: (version) => {
        this.#sent.newest = Math.max(this.#sent.newest, version);
      },
      signal: this.stop,
      cut: AbortSignal.any([cut, this.#failing.signal]),
    };
  }

  /** The first reason counts: what broke because of a stop is not why we stop. */
  fail(error: unknown): void {
    if (!this.stop.aborted) this.#failing.abort(error);
  }

  /** Keeps the letters of rows that could not be read before what follows them is sent. */
  async *withoutUnreadable(chunks: AsyncIterable<RowChunk>): AsyncGenerator<RowChunk, void, undefined> {
    for await (const chunk of chunks) {
      const { unreadable = [], version } = chunk;
      if (unreadable.length > 0) {
        const stopIfTooMany = this.#desk.onSettled(unreadable.map(({ id }) => ({ id, rejected: true })));
        await this.#desk.onDeadLetters(unreadable.map((row) => ({ ...row, version, document: null })));
        stopIfTooMany();
      }
      yield chunk;
    }
  }

  /** Sends without waiting: the memory for batches holds the reader back. */
  begin(batch: HeldBatch): void {
    const acknowledged = this.#options.onBatch?.(batch);
    const sending = this.#send(batch, acknowledged).catch((error: unknown) => this.#failing.abort(error));
    this.#underWay.add(sending);
    void sending.finally(() => this.#underWay.delete(sending));
  }

  async #send(batch: HeldBatch, acknowledged: ReturnType<NonNullable<SendOptions['onBatch']>> | undefined) {
    const { pool } = this.#deps;
    const dead = new Set<number>();
    const onDeadLetters: BulkTarget['onDeadLetters'] = async (letters) => {
      for (const { id } of letters) dead.add(id);
      await this.#desk.onDeadLetters(letters);
    };
    const { items, body } = batch;
    let sent: SentBatch | undefined;
    try {
      sent = await sendBatch({ ...this.#bulk, ...this.#desk, onDeadLetters }, batch);
    } finally {
      batch.release(sent?.clean ?? false);
    }
    this.#sent.written += sent.written;
    this.#sent.deleted += sent.deleted;
    this.#sent.superseded += sent.superseded;
    const taken = items.filter(({ id }) => !dead.has(id));
    await clearDeadLetters(pool, this.#target.id, taken);
    await acknowledged?.({ items: items.length, bytes: body.length });
  }

  async end(): Promise<SentCounts> {
    await Promise.all(this.#underWay);
    this.stop.throwIfAborted();
    return this.#sent;
  }
}
