import type { Client } from '@elastic/elasticsearch';
import type pg from 'pg';
import { writeAliasName } from '../src/index-names.ts';
import type { KindName } from '../src/kinds/kind.ts';
import { kindNames } from '../src/kinds/kind.ts';
import { cutBatches, type HeldBatch } from './batches.ts';
import type { BatchBuffers } from './batches-buffers.ts';
import { type BulkLimits, type BulkTarget, type DeadLetter, sendBatch } from './bulk.ts';
import type { Change } from './changes.ts';
import { clearDeadLetters } from './dead-letters.ts';
import { wantedBy } from './dependants.ts';
import { type Generation, keepDeadLetters } from './generations.ts';
import type { PressureGate } from './pressure-gate.ts';
import type { Row, RowChunk } from './rows.ts';
import { expanded } from './verify-position.ts';

// A part of a generation, read again by id: for a repair, for dead letters, for ids that somebody names.

export interface PartDeps {
  readonly pool: pg.Pool;
  readonly client: Client;
  readonly gate: PressureGate;
  readonly buffers: BatchBuffers;
  readonly config: { readonly batchBytes: number; readonly bulk: BulkLimits };
  readonly nowMs: () => number;
  readonly random: () => number;
}

export interface PartCounts {
  readonly written: number;
  /** The index held a later state already. */
  readonly superseded: number;
  /** Documents whose rows are not there any more. */
  readonly deleted: number;
  readonly deadLetters: number;
}

/** Rows read in one statement. Its snapshot is opened after the version was drawn. */
const rowsPerRead = 500;

/**
 * Brings documents to what the tables say now: those with a row are written anew, the others are deleted. Each with a
 * version that was drawn before its row was read, so that whatever a reader of the change log writes later wins.
 */
export async function writePart(
  deps: PartDeps,
  generation: Generation,
  ids: readonly number[],
  options: { readonly signal: AbortSignal; readonly onProgress: (done: number) => void },
): Promise<PartCounts> {
  const { pool, client, gate, nowMs, random, config, buffers } = deps;
  const dead = new Set<number>();
  const target: BulkTarget = {
    client,
    alias: writeAliasName(generation.indexName),
    gate,
    limits: config.bulk,
    nowMs,
    random,
    onDead: async (letters: readonly DeadLetter[]) => {
      await keepDeadLetters(pool, generation, letters);
      for (const { id } of letters) dead.add(id);
    },
    signal: options.signal,
    cut: options.signal,
  };
  let deleted = 0;
  let done = 0;
  const chunks = readPart(pool, generation, ids, options.signal, (gone) => {
    deleted += gone;
  });
  const batches = cutBatches(chunks, {
    batchBytes: config.batchBytes,
    reserve: (bytes) => buffers.take(bytes, options.signal),
  });
  for await (const batch of batches) {
    await send(target, batch);
    const settled = batch.items.map(({ id }) => id).filter((id) => !dead.has(id));
    await clearDeadLetters(pool, generation.id, settled);
    done += batch.items.length;
    options.onProgress(done);
  }
  return { written: done - deleted - dead.size, superseded: 0, deleted, deadLetters: dead.size };
}

async function send(target: BulkTarget, batch: HeldBatch): Promise<void> {
  let clean = false;
  try {
    clean = (await sendBatch(target, batch)).clean;
  } finally {
    batch.release(clean);
  }
}

async function* readPart(
  pool: pg.Pool,
  generation: Generation,
  ids: readonly number[],
  signal: AbortSignal,
  onGone: (count: number) => void,
): AsyncGenerator<RowChunk, void, undefined> {
  for (let at = 0; at < ids.length; at += rowsPerRead) {
    signal.throwIfAborted();
    const wanted = ids.slice(at, at + rowsPerRead);
    const drawn = await pool.query<{ version: number }>(`select nextval('search_versions') as version`);
    const version = drawn.rows[0]?.version ?? 0;
    const { rows } = await pool.query<[number, string]>({
      text: `select id, body from (${generation.documentSql}) as documents where id = any($1::bigint[])`,
      values: [wanted],
      rowMode: 'array',
    });
    const present = new Set(rows.map(([id]) => id));
    const gone = wanted.filter((id) => !present.has(id));
    onGone(gone.length);
    yield { version, rows: rows satisfies readonly Row[], gone };
  }
}

/** Ids of a kind's entities that were changed at or after a moment, and of those that show one that was. Ascending. */
export async function idsSince(pool: pg.Pool, kind: KindName, since: Date): Promise<readonly number[]> {
  const changes: Change[] = [];
  for (const changed of kindNames) {
    const { rows } = await pool.query<{ id: number }>(`select id from ${changed} where updated_at >= $1`, [since]);
    for (const { id } of rows) changes.push({ xid: '0', seq: 0, kind: changed, id, what: 'references' });
  }
  const wanted = wantedBy(kind, changes);
  const ids = new Set([...wanted.ids, ...(await expanded(pool, wanted.expansions))]);
  return [...ids].sort((one, other) => one - other);
}
