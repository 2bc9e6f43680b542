import type { DocumentChunk, ReadDocument } from '../read/document-chunk.ts';
import type { HeldBuffer } from './batch-buffers.ts';

/**
 * Where one document lies in its batch: the action line from `start`, the document from `documentStart` to `end`. A
 * deletion has no document: `documentStart` is its end.
 */
export interface BatchItem {
  readonly id: number;
  readonly version: number;
  readonly start: number;
  readonly documentStart: number;
  /** After the document's newline. */
  readonly end: number;
}

/** A `_bulk` body, and what it holds in order. */
export interface Batch {
  readonly body: Buffer;
  readonly items: readonly BatchItem[];
}

/** A batch whose bytes are counted against a budget until they are released. */
export interface HeldBatch extends Batch {
  release: HeldBuffer['release'];
}

export interface CutOptions {
  /** A batch is closed before it grows beyond this. One larger document is a batch by itself. */
  readonly batchBytes: number;
  /** Waits until so many bytes may be held. */
  readonly reserve: (bytes: number) => Promise<HeldBuffer>;
}

/**
 * Cuts a stream of rows into `_bulk` bodies by bytes. Documents are copied as they are, never parsed; each goes with
 * its chunk's version, so that Elasticsearch refuses it where it holds a later state already.
 */
export async function* cutBatches(
  chunks: AsyncIterable<DocumentChunk>,
  options: CutOptions,
): AsyncGenerator<HeldBatch, void, undefined> {
  let open: OpenBatch | undefined;
  try {
    for await (const { version, documents, gone } of chunks) {
      for (const entry of entriesOf(version, documents, gone)) {
        if (open !== undefined && !open.fits(entry)) {
          const full: OpenBatch = open;
          open = undefined;
          yield full.close();
        }
        if (open === undefined) {
          const capacity = Math.max(options.batchBytes, entry.bytes);
          open = new OpenBatch(await options.reserve(capacity));
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

/** The same items as two batches; undefined for a single item, which can't be cut. */
export function splitBatch(batch: Batch): readonly [Batch, Batch] | undefined {
  if (batch.items.length < 2) return undefined;
  const middle = Math.ceil(batch.items.length / 2);
  return [subBatch(batch, batch.items.slice(0, middle)), subBatch(batch, batch.items.slice(middle))];
}

/** Some of a batch's items as a batch of their own. */
export function subBatch(batch: Batch, items: readonly BatchItem[]): Batch {
  let at = 0;
  const moved = items.map((item) => {
    const shift = at - item.start;
    at += item.end - item.start;
    const { start, documentStart, end } = item;
    return { ...item, start: start + shift, documentStart: documentStart + shift, end: end + shift };
  });
  return { body: Buffer.concat(items.map((item) => batch.body.subarray(item.start, item.end))), items: moved };
}

/** An item's document, as it was sent; '' for a deletion. */
export function documentText(batch: Batch, item: BatchItem): string {
  return batch.body.toString('utf8', item.documentStart, item.end - 1);
}

interface Entry {
  readonly id: number;
  readonly version: number;
  readonly action: string;
  /** Undefined for a deletion. */
  readonly document: string | undefined;
  readonly bytes: number;
}

function* entriesOf(
  version: number,
  documents: readonly ReadDocument[],
  gone: readonly number[] = [],
): Generator<Entry> {
  for (const one of documents) yield entryOf(one, version);
  for (const id of gone) yield deletionOf(id, version);
}

function deletionOf(id: number, version: number): Entry {
  const action = `{"delete":{"_id":"${id}","version":${version},"version_type":"external_gte"}}\n`;
  return { id, version, action, document: undefined, bytes: action.length };
}

function entryOf([id, text]: ReadDocument, version: number): Entry {
  const action = `{"index":{"_id":"${id}","version":${version},"version_type":"external_gte"}}\n`;
  // A newline would end the document. In JSON text it can only stand between tokens, where a blank does as well.
  const document = text.includes('\n') ? text.replaceAll('\n', ' ') : text;
  return { id, version, action, document, bytes: action.length + Buffer.byteLength(document) + 1 };
}

class OpenBatch {
  readonly #held: HeldBuffer;
  readonly #items: BatchItem[] = [];
  #length = 0;

  constructor(held: HeldBuffer) {
    this.#held = held;
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
  }

  close(): HeldBatch {
    const { buffer, release } = this.#held;
    return { body: buffer.subarray(0, this.#length), items: this.#items, release };
  }
}

const newline = 0x0a;
