import { haltBehindMarker, raiseVersions } from '../change-log/halts.ts';
import { advanceMarker, isBehindMarker } from '../change-log/write-marker.ts';
import type { Generation } from '../generations/generations.ts';
import { readDocuments } from '../read/read-by-id.ts';
import { lastVersion } from '../read/versions.ts';
import { type SentCounts, sendDocuments } from './send-documents.ts';
import type { WriteContext } from './write-context.ts';

// Reads documents of a generation again by id: for a repair, or for dead letters.

export type WriteCounts = Omit<SentCounts, 'newest'>;

export const noCounts: WriteCounts = { written: 0, deleted: 0, superseded: 0, deadLetters: 0 };

export function addCounts(one: WriteCounts, other: WriteCounts): WriteCounts {
  return {
    written: one.written + other.written,
    deleted: one.deleted + other.deleted,
    superseded: one.superseded + other.superseded,
    deadLetters: one.deadLetters + other.deadLetters,
  };
}

export interface RewriteOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: ((done: number) => void) | undefined;
}

/**
 * Brings documents up to date with the tables: those with a row are written again, the others are deleted. Each gets a
 * version that was drawn before its row was read, so a later write by a reader of the change log wins.
 */
export async function rewriteDocuments(
  context: WriteContext,
  generation: Generation,
  ids: readonly number[],
  options: RewriteOptions,
): Promise<WriteCounts> {
  const { newest, ...counts } = await send(context, generation, ids, options);
  if (newest <= (await lastVersion(context.pool))) return counts;
  // The index, or its memory of deletions, has versions that were not drawn here: new ones must be higher.
  await raiseVersions(context.pool, newest);
  const { newest: _, ...again } = await send(context, generation, ids, options);
  return again;
}

async function send(
  context: WriteContext,
  generation: Generation,
  ids: readonly number[],
  { signal, onProgress }: RewriteOptions,
): Promise<SentCounts> {
  let done = 0;
  if (await isBehindMarker(context, generation)) await haltBehindMarker(context.pool, generation.id);
  return sendDocuments(context, generation, readDocuments(context.pool, generation, ids), {
    signal,
    // No entry of the change log restores these documents if Postgres goes back to an earlier moment. If it has already
    // gone back, incrementing must not hide that.
    beforeSending: () => advanceMarker(context, generation),
    onBatch:
      ({ items }) =>
      async () => {
        done += items.length;
        onProgress?.(done);
      },
  });
}
