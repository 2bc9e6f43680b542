import type { Client } from '@elastic/elasticsearch';
import type pg from 'pg';
import { writeAliasName } from '../src/index-names.ts';
import { cutBatches, type HeldBatch } from './batches.ts';
import type { BatchBuffers } from './batches-buffers.ts';
import { type BulkLimits, type BulkTarget, sendBatch } from './bulk.ts';
import { deadLetterDesk } from './dead-letter-desk.ts';
import type { DeadLetterWatch } from './dead-letter-limits.ts';
import type { Generation } from './generations.ts';
import type { PressureGate } from './pressure-gate.ts';
import type { RowChunk } from './rows.ts';

export interface SendDeps {
  readonly pool: pg.Pool;
  readonly client: Client;
  /** Shared by all readers of a process. */
  readonly gate: PressureGate;
  readonly buffers: BatchBuffers;
  readonly batchBytes: number;
  readonly bulk: BulkLimits;
  readonly nowMs: () => number;
  readonly random: () => number;
}

/** What was sent, all of it acknowledged. */
export interface SentChunks {
  /** Documents written or deleted, or found in a later state. */
  readonly documents: number;
  readonly deadLetters: number;
  /** The highest version met in the index above one of ours; 0 for none. */
  readonly newest: number;
}

/**
 * Sends chunks to a generation's index, several batches at the same time, and resolves when every one is acknowledged.
 * Rejects with the first failure or the signal's reason after all requests have ended. A rejected document becomes a
 * dead letter, and too many of them are a failure (`TooManyDeadLettersError`); the letter of one that was taken is
 * removed.
 */
export async function sendChunks(
  deps: SendDeps,
  generation: Generation,
  chunks: AsyncIterable<RowChunk>,
  watch: DeadLetterWatch,
  signal: AbortSignal,
): Promise<SentChunks> {
  const failing = new AbortController();
  const stop = AbortSignal.any([signal, failing.signal]);
  const underWay = new Set<Promise<void>>();
  const sent = { documents: 0, deadLetters: 0, newest: 0 };
  const sendOne = async (batch: HeldBatch): Promise<void> => {
    const dead = new Set<number>();
    const target: BulkTarget = {
      ...deps,
      alias: writeAliasName(generation.indexName),
      limits: deps.bulk,
      ...deadLetterDesk(deps.pool, generation, watch, (letters) => {
        for (const { id } of letters) dead.add(id);
      }),
      onNewer: (version) => {
        sent.newest = Math.max(sent.newest, version);
      },
      signal: stop,
      cut: stop,
    };
    let reusable = false;
    try {
      const result = await sendBatch(target, batch);
      reusable = result.clean;
      sent.documents += result.written;
      sent.deadLetters += dead.size;
      const written = batch.items.flatMap(({ id }) => (dead.has(id) ? [] : [id]));
      await clearLetters(deps.pool, generation, written);
    } finally {
      batch.release(reusable);
    }
  };
  try {
    const reserve = (bytes: number) => deps.buffers.take(bytes, stop);
    for await (const batch of cutBatches(chunks, { batchBytes: deps.batchBytes, reserve })) {
      const sending = sendOne(batch).catch((error: unknown) => failing.abort(error));
      underWay.add(sending);
      void sending.finally(() => underWay.delete(sending));
    }
  } catch (error) {
    // The first reason counts: what broke because of a stop is not why we stop.
    if (!stop.aborted) failing.abort(error);
  }
  await Promise.all(underWay);
  stop.throwIfAborted();
  return sent;
}

async function clearLetters(pool: pg.Pool, generation: Generation, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await pool.query({
    name: 'clear-letters',
    text: 'delete from search_dead_letters where generation_id = $1 and id = any($2::bigint[])',
    values: [generation.id, ids],
  });
}
