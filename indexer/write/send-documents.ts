import { writeAliasName } from '../../src/kinds/index-names.ts';
import { createBatcher } from '../../src/lib/concurrency/batcher.ts';
import type { Moment } from '../../src/lib/moment.ts';
import { clearDeadLetters, countDeadLetters, storeDeadLetters } from '../dead-letters/dead-letters.ts';
import { type DeadLetterMonitor, type SettledDocument, TooManyDeadLettersError } from '../dead-letters/monitor.ts';
import type { Generation } from '../generations/generations.ts';
import { flushWal } from '../read/flush-wal.ts';
import type { DocumentChunk } from '../read/read-by-id.ts';
import type { DrawnVersion } from '../read/versions.ts';
import type { HeldBuffer } from './batch-buffers.ts';
import type { Batch, BatchItem } from './batches.ts';
import { type BulkTarget, type DeadLetter, type SentBatch, sendBatch } from './bulk.ts';
import type { WriteContext } from './write-context.ts';

type SendTarget = Pick<Generation, 'id' | 'indexName'>;

/** Acknowledged documents by outcome. */
export interface SentCounts {
  readonly written: number;
  readonly deleted: number;
  readonly superseded: number;
  readonly deadLetters: number;
  /** The highest version in the index above one of ours; 0 for none. */
  readonly newest: number;
}

export interface SendOptions {
  /** Decides when too many documents were rejected to continue; by default there is no limit. */
  readonly watch?: DeadLetterMonitor;
  /** Stops sending, and cuts requests that are under way. */
  readonly signal: AbortSignal;
  /**
   * Awaited between the reading of rows and the sending of their documents, once for all batches that wait for it. By
   * default everything read is flushed to Postgres' disk, which other functions must do, too.
   */
  readonly beforeSending?: () => Promise<unknown>;
  /** Called for each batch in order, before it is sent; the returned function is called when it is acknowledged. */
  readonly onBatch?: (batch: HeldBatch) => () => Promise<void>;
  /** Called after dead letters were stored, with the number that the generation has now. */
  readonly onLetters?: (total: number) => void;
}

/**
 * Sends chunks to a generation's index as `_bulk` bodies, several at the same time, and resolves when every one is
 * acknowledged. Rejects with the first failure or the signal's reason after all requests have ended. A rejected
 * document or an unreadable row becomes a dead letter, and too many of them are a failure (`TooManyDeadLettersError`).
 * The letter of an accepted document is removed.
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
  readonly #bulk: Omit<BulkTarget, 'onSettled'>;
  readonly #flushed: (key: 'flush', item: undefined) => Promise<undefined>;
  #sent = { written: 0, deleted: 0, superseded: 0, deadLetters: 0, newest: 0 };

  constructor(context: WriteContext, target: SendTarget, options: SendOptions) {
    this.#context = context;
    this.#target = target;
    this.#options = options;
    this.stop = AbortSignal.any([options.signal, this.#failing.signal]);
    const { beforeSending = () => flushWal(context.pool) } = options;
    this.#flushed = createBatcher(async (_, items: readonly undefined[]) => {
      await beforeSending();
      return items;
    }, Number.POSITIVE_INFINITY);
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
    };
  }

  /** Keeps the first reason: errors that follow from a stop are not its cause. */
  fail(error: unknown): void {
    if (!this.stop.aborted) this.#failing.abort(error);
  }

  /** Stores the letters of unreadable rows before the documents after them are sent. */
  async *withoutUnreadable(chunks: AsyncIterable<DocumentChunk>): AsyncGenerator<DocumentChunk, void, undefined> {
    for await (const chunk of chunks) {
      const { unreadable = [], version } = chunk;
      if (unreadable.length > 0) {
        await this.#settle(
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
      return this.#settle(settled, letters);
    };
    let sent: SentBatch | undefined;
    try {
      await this.#flushed('flush', undefined);
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

  /**
   * Stores the letters of rejected documents. Throws `TooManyDeadLettersError` if the options' monitor reports too
   * many.
   */
  async #settle(settled: readonly SettledDocument[], letters: readonly DeadLetter[]): Promise<void> {
    const { watch, onLetters } = this.#options;
    // Recorded before the first await: the next response may come meanwhile.
    const seen = watch?.see(settled);
    const last = letters.at(-1);
    if (last === undefined) return;
    await storeDeadLetters(this.#context.pool, this.#target, letters);
    const total = await countDeadLetters(this.#context.pool, this.#target);
    this.#sent.deadLetters += letters.length;
    onLetters?.(total);
    const why = seen ?? watch?.tooMany(total);
    if (why !== undefined) throw new TooManyDeadLettersError(why, last.reason);
  }

  async end(): Promise<SentCounts> {
    await Promise.all(this.#underWay);
    this.stop.throwIfAborted();
    return this.#sent;
  }
}

/** A batch whose bytes count against a budget until they are released. */
export interface HeldBatch extends Batch {
  release: HeldBuffer['release'];
}

export interface CutOptions {
  /** A batch is closed before it exceeds this. One larger document is a batch by itself. */
  readonly batchBytes: number;
  /** Waits until this many bytes may be held. */
  readonly reserve: (bytes: number) => Promise<HeldBuffer>;
}

/**
 * Cuts a stream of rows into `_bulk` bodies by bytes. Documents are copied unparsed; each has its chunk's version, so
 * that Elasticsearch refuses it if it holds a later state.
 */
export async function* cutBatches(
  chunks: AsyncIterable<DocumentChunk>,
  options: CutOptions,
): AsyncGenerator<HeldBatch, void, undefined> {
  let open: OpenBatch | undefined;
  try {
    for await (const chunk of chunks) {
      for (const entry of entriesOf(chunk)) {
        if (open !== undefined && !open.fits(entry)) {
          const full: OpenBatch = open;
          open = undefined;
          yield full.close();
        }
        if (open === undefined) {
          const capacity = Math.max(options.batchBytes, entry.bytes);
          open = new OpenBatch(await options.reserve(capacity), entry.drawnAt);
        }
        open.add(entry);
      }
    }
    if (open !== undefined) {
      const last = open;
      open = undefined;
      yield last.close();
    }
  } finally {
    open?.release(true);
  }
}

interface Entry extends DrawnVersion {
  readonly id: number;
  readonly action: string;
  readonly document: string | undefined;
  readonly bytes: number;
}

function* entriesOf({ version, drawnAt, documents, gone = [] }: DocumentChunk): Generator<Entry> {
  for (const [id, text] of documents) {
    // A newline would end the document. In JSON text it can only be between tokens, where a blank is equivalent.
    const document = text.includes('\n') ? text.replaceAll('\n', ' ') : text;
    const action = actionLine('index', id, version);
    yield { id, version, drawnAt, action, document, bytes: action.length + Buffer.byteLength(document) + 1 };
  }
  for (const id of gone) {
    const action = actionLine('delete', id, version);
    yield { id, version, drawnAt, action, document: undefined, bytes: action.length };
  }
}

function actionLine(name: 'index' | 'delete', id: number, version: number): string {
  return `{"${name}":{"_id":"${id}","version":${version},"version_type":"external_gte"}}\n`;
}

class OpenBatch {
  readonly #held: HeldBuffer;
  readonly #items: BatchItem[] = [];
  #length = 0;
  #drawnAt: Moment;

  constructor(held: HeldBuffer, drawnAt: Moment) {
    this.#held = held;
    this.#drawnAt = drawnAt;
  }

  release(reusable: boolean): void {
    this.#held.release(reusable);
  }

  fits(entry: Entry): boolean {
    return this.#length + entry.bytes <= this.#held.buffer.length;
  }

  add(entry: Entry): void {
    const { buffer } = this.#held;
    const start = this.#length;
    const documentStart = start + buffer.write(entry.action, start, 'latin1');
    let end = documentStart;
    if (entry.document !== undefined) {
      end += buffer.write(entry.document, documentStart, 'utf8') + 1;
      buffer[end - 1] = newline;
    }
    this.#items.push({ id: entry.id, version: entry.version, start, documentStart, end });
    this.#length = end;
    if (entry.drawnAt.steadyMs < this.#drawnAt.steadyMs) this.#drawnAt = entry.drawnAt;
  }

  close(): HeldBatch {
    const { buffer, release } = this.#held;
    return { body: buffer.subarray(0, this.#length), items: this.#items, drawnAt: this.#drawnAt, release };
  }
}

const newline = 0x0a;
