import type pg from 'pg';
import { type DocumentChunk, type DocumentSource, readDocuments } from './read-by-id.ts';

const idsPerPage = 5_000;

/**
 * Reads every document of a kind with an id above one, ascending, as text that is not parsed here, in the chunks of
 * `readDocuments`. No transaction stays open between two statements, so a long load does not hold vacuum back. Throws
 * the signal's reason when it is aborted.
 */
export async function* readAllDocuments(
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
