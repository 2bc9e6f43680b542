import type pg from 'pg';
import { readAhead } from '../../src/lib/concurrency/read-ahead.ts';
import { flushWal } from './flush-wal.ts';
import { type DocumentChunk, type DocumentSource, readDocuments } from './read-by-id.ts';

/** Characters that are read while earlier chunks are flushed and sent. */
export const chunksAhead = {
  room: 2_097_152,
  sizeOf: ({ documents }: DocumentChunk) => documents.reduce((sum, [, text]) => sum + text.length, 0),
};

const idsPerPage = 5_000;

/**
 * Reads every document of a kind with an id above one, ascending, as text that is not parsed here, in the chunks of
 * `readDocuments`. Before a chunk is yielded, all that was read is flushed to Postgres' disk. No transaction stays open
 * between two statements, so a long load does not hold vacuum back. Throws the signal's reason when it is aborted.
 */
export async function* readAllDocuments(
  pool: pg.Pool,
  source: DocumentSource,
  options: { readonly afterId: number; readonly signal: AbortSignal },
): AsyncGenerator<DocumentChunk, void, undefined> {
  for await (const chunks of readAhead(readPages(pool, source, options), chunksAhead)) {
    await flushWal(pool);
    yield* chunks;
  }
}

async function* readPages(
  pool: pg.Pool,
  source: DocumentSource,
  { afterId, signal }: { readonly afterId: number; readonly signal: AbortSignal },
): AsyncGenerator<DocumentChunk, void, undefined> {
  for (let after: number | undefined = afterId; after !== undefined; ) {
    signal.throwIfAborted();
    const { rows }: pg.QueryArrayResult<[number]> = await pool.query({
      name: 'ids',
      text: `select id from entity_ids where kind = $1 and id > $2 order by id limit ${idsPerPage}`,
      values: [source.kind, after],
      rowMode: 'array',
    });
    const ids = rows.map(([id]) => id);
    yield* readDocuments(pool, source, ids);
    after = ids.length < idsPerPage ? undefined : ids.at(-1);
  }
}
