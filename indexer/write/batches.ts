import type { Moment } from '../../src/lib/moment.ts';

/**
 * Position of one document in its batch: the action line from `start`, the document from `documentStart` to `end`. A
 * deletion has no document: `documentStart` is its end.
 */
export interface BatchItem {
  readonly id: number;
  readonly version: number;
  readonly start: number;
  readonly documentStart: number;
  readonly end: number;
}

/** A `_bulk` body, and its items in order. */
export interface Batch {
  readonly body: Buffer;
  readonly items: readonly BatchItem[];
  /** The moment before its oldest version was drawn. */
  readonly drawnAt: Moment;
}

/** Splits the items into two batches; returns undefined for a single item. */
export function splitBatch(batch: Batch): readonly [Batch, Batch] | undefined {
  if (batch.items.length < 2) return undefined;
  const middle = Math.ceil(batch.items.length / 2);
  return [subBatch(batch, batch.items.slice(0, middle)), subBatch(batch, batch.items.slice(middle))];
}

export function subBatch(batch: Batch, items: readonly BatchItem[]): Batch {
  let at = 0;
  const moved = items.map((item) => {
    const shift = at - item.start;
    at += item.end - item.start;
    const { start, documentStart, end } = item;
    return { ...item, start: start + shift, documentStart: documentStart + shift, end: end + shift };
  });
  const body = Buffer.concat(items.map((item) => batch.body.subarray(item.start, item.end)));
  return { body, items: moved, drawnAt: batch.drawnAt };
}

/** Returns an item's document, as it was sent; '' for a deletion. */
export function documentText(batch: Batch, item: BatchItem): string {
  return batch.body.toString('utf8', item.documentStart, item.end - 1);
}
