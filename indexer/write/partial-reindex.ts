import type pg from 'pg';
import type { KindName } from '../../src/kinds/kind.ts';
import { kindNames } from '../../src/kinds/kind.ts';
import type { Change } from '../change-log/changes.ts';
import { affectedDocuments } from '../change-log/dependants.ts';
import { haltBehindMarker, raiseVersions } from '../change-log/halts.ts';
import { collectDependants } from '../change-log/reader-status.ts';
import { advanceMarker, isBehindMarker } from '../change-log/write-marker.ts';
import type { Generation } from '../generations/generations.ts';
import type { BatchBuffers } from './batch-buffers.ts';
import type { BulkLimits } from './bulk.ts';
import { readDocuments } from './documents.ts';
import { lastVersion, type RowChunk } from './rows.ts';
import { type SendDeps, sendDocuments } from './send-documents.ts';

// A part of a generation, read again by id: for a repair, for dead letters, for ids that somebody names.

export interface PartialReindexDeps extends Omit<SendDeps, 'buffers' | 'batchBytes' | 'bulk'> {
  readonly buffers: BatchBuffers;
  readonly config: { readonly batchBytes: number; readonly bulk: BulkLimits };
}

export interface WriteCounts {
  readonly written: number;
  /** Documents whose rows are not there any more. */
  readonly deleted: number;
  /** Documents that the index holds in a later state than was read: somebody else was quicker. */
  readonly superseded: number;
  /** Documents that Elasticsearch would not take, and rows that can't be made into documents. */
  readonly deadLetters: number;
}

export const noCounts: WriteCounts = { written: 0, deleted: 0, superseded: 0, deadLetters: 0 };

/** What two parts came to together. */
export function addCounts(one: WriteCounts, other: WriteCounts): WriteCounts {
  return {
    written: one.written + other.written,
    deleted: one.deleted + other.deleted,
    superseded: one.superseded + other.superseded,
    deadLetters: one.deadLetters + other.deadLetters,
  };
}

/**
 * Brings documents to what the tables say now: those with a row are written anew, the others are deleted. Each with a
 * version that was drawn before its row was read, so that whatever a reader of the change log writes later wins.
 */
export async function reindexIds(
  deps: PartialReindexDeps,
  generation: Generation,
  ids: readonly number[],
  options: { readonly signal: AbortSignal; readonly onProgress: (done: number) => void },
): Promise<WriteCounts> {
  const { newest, ...counts } = await send(deps, generation, ids, options);
  if (newest <= (await lastVersion(deps.pool))) return counts;
  // The index, or what it remembers of deletions, has versions that were not drawn here: new ones are above them.
  await raiseVersions(deps.pool, newest);
  const { newest: _, ...again } = await send(deps, generation, ids, options);
  return again;
}

async function send(
  deps: PartialReindexDeps,
  generation: Generation,
  ids: readonly number[],
  { signal, onProgress }: Parameters<typeof reindexIds>[3],
): Promise<WriteCounts & { readonly newest: number }> {
  const { batchBytes, bulk } = deps.config;
  using buffers = deps.buffers.share();
  let done = 0;
  return await sendDocuments(
    { ...deps, buffers, batchBytes, bulk },
    generation,
    marked(deps, generation, readDocuments(deps.pool, generation, ids), signal),
    {
      signal,
      onBatch:
        () =>
        async ({ items }) => {
          done += items;
          onProgress(done);
        },
    },
  );
}

/**
 * Counts the marker up for each chunk after it was read: no entry of the change log brings these documents again where
 * Postgres goes back to a moment before that. Where it has gone back already, that must not be hidden by counting.
 */
async function* marked(
  { pool, client, config }: PartialReindexDeps,
  generation: Generation,
  chunks: AsyncIterable<RowChunk>,
  signal: AbortSignal,
): AsyncGenerator<RowChunk> {
  const marking = { pool, client, timeoutMs: config.bulk.requestTimeoutMs };
  if (await isBehindMarker(marking, generation)) await haltBehindMarker(pool, generation.id);
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    await advanceMarker(marking, generation);
    yield chunk;
  }
}

/** Ids of a kind's entities that were changed at or after a moment, and of those that show one that was. Ascending. */
export async function idsSince(pool: pg.Pool, kind: KindName, since: Date): Promise<readonly number[]> {
  const changes: Change[] = [];
  for (const changed of kindNames) {
    const { rows } = await pool.query<{ id: number }>(`select id from ${changed} where updated_at >= $1`, [since]);
    for (const { id } of rows) changes.push({ xid: '0', seq: 0, kind: changed, id, what: 'references' });
  }
  const wanted = affectedDocuments(kind, changes);
  const ids = new Set([...wanted.ids, ...(await collectDependants(pool, wanted.lookups))]);
  return [...ids].sort((one, other) => one - other);
}
