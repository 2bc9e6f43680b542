import { writeAliasName } from '../../src/kinds/index-names.ts';
import { clearDeadLetters } from '../dead-letters/dead-letters.ts';
import { deadLetterHandler } from '../dead-letters/handler.ts';
import type { DeadLetterMonitor } from '../dead-letters/monitor.ts';
import type { DocumentChunk } from '../read/document-chunk.ts';
import { cutBatches, type HeldBatch } from './batches.ts';
import { type BulkTarget, type SentBatch, sendBatch } from './bulk.ts';
import type { WriteContext } from './write-context.ts';

// From documents to an index: batches, `_bulk`, dead letters and the end of dead letters. The one way in which loads,
// the readers of the change log and partial reindexes write.

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

export interface SendOptions {
  /** What is too much to go on; without one, nothing is. */
  readonly watch?: DeadLetterMonitor;
  /** Nothing new is sent after this. */
  readonly signal: AbortSignal;
  /** Cuts requests that are under way, too; the same unless it is given. */
  readonly cut?: AbortSignal;
  /** Each batch, in the order of its documents, before it is sent; what it answers is called when it is acknowledged. */
  readonly onBatch?: (batch: HeldBatch) => () => Promise<void>;
  /** Letters were stored: how many the generation has now. */
  readonly onLetters?: (total: number) => void;
}

/**
 * Sends chunks to a generation's index, several batches at the same time, and resolves when every one is acknowledged.
 * Rejects with the first failure or the signal's reason after all requests have ended. What is rejected, or could not
 * be read, becomes a dead letter, and too many of them are a failure (`TooManyDeadLettersError`); the letter of a
 * document that was taken is removed.
 */
export async function sendDocuments(
  context: WriteContext,
  target: SendTarget,
  chunks: AsyncIterable<DocumentChunk>,
  options: SendOptions,
): Promise<SentCounts> {
  using buffers = context.buffers.share();
  const sender = new Sender(context, target, options);
  const reserve = (bytes: number) => buffers.take(bytes, sender.stop);
  try {
    const { batchBytes } = context.config;
    const batches = cutBatches(sender.withoutUnreadable(chunks), { batchBytes, reserve });
    for await (const batch of batches) sender.begin(batch);
  } catch (error) {
    sender.fail(error);
  }
  return await sender.end();
}

class Sender {
  readonly stop: AbortSignal;
  readonly #context: WriteContext;
  readonly #target: SendTarget;
  readonly #options: SendOptions;
  readonly #failing = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  readonly #onSettled: BulkTarget['onSettled'];
  readonly #bulk: Omit<BulkTarget, 'onSettled'>;
  #sent = { written: 0, deleted: 0, superseded: 0, deadLetters: 0, newest: 0 };

  constructor(context: WriteContext, target: SendTarget, options: SendOptions) {
    const { signal, cut = signal, watch, onLetters } = options;
    this.#context = context;
    this.#target = target;
    this.#options = options;
    this.stop = AbortSignal.any([signal, this.#failing.signal]);
    this.#onSettled = deadLetterHandler(context.pool, target, watch, (letters, total) => {
      this.#sent.deadLetters += letters;
      onLetters?.(total);
    });
    this.#bulk = {
      ...context,
      limiter: context.limiter.share(),
      client: context.cluster.client,
      indexName: target.indexName,
      alias: writeAliasName(target.indexName),
      limits: context.config.bulk,
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

  /** Stores the letters of rows that could not be read before what follows them is sent. */
  async *withoutUnreadable(chunks: AsyncIterable<DocumentChunk>): AsyncGenerator<DocumentChunk, void, undefined> {
    for await (const chunk of chunks) {
      const { unreadable = [], version } = chunk;
      if (unreadable.length > 0) {
        await this.#onSettled(
          unreadable.map(({ id }) => ({ id, rejected: true })),
          unreadable.map((row) => ({ ...row, version, document: null })),
        );
      }
      yield chunk;
    }
  }

  /** Sends without waiting: the memory for batches holds the reader back. */
  begin(batch: HeldBatch): void {
    const onAcknowledged = this.#options.onBatch?.(batch);
    const sending = this.#send(batch)
      .then(onAcknowledged)
      .catch((error: unknown) => this.#failing.abort(error));
    this.#underWay.add(sending);
    void sending.finally(() => this.#underWay.delete(sending));
  }

  async #send(batch: HeldBatch): Promise<void> {
    const dead = new Set<number>();
    const onSettled: BulkTarget['onSettled'] = (settled, letters) => {
      for (const { id } of letters) dead.add(id);
      return this.#onSettled(settled, letters);
    };
    let sent: SentBatch | undefined;
    try {
      sent = await sendBatch({ ...this.#bulk, onSettled }, batch);
    } finally {
      batch.release(sent?.clean ?? false);
    }
    this.#sent.written += sent.written;
    this.#sent.deleted += sent.deleted;
    this.#sent.superseded += sent.superseded;
    const taken = batch.items.filter(({ id }) => !dead.has(id));
    await clearDeadLetters(this.#context.pool, this.#target.id, taken);
  }

  async end(): Promise<SentCounts> {
    await Promise.all(this.#underWay);
    this.stop.throwIfAborted();
    return this.#sent;
  }
}
