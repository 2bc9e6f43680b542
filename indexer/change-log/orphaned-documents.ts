import type { Client } from '@elastic/elasticsearch';
import type pg from 'pg';
import { z } from 'zod';
import { sendRequest } from '../../src/elasticsearch/client.ts';
import { entityIdOf } from '../verify/differences.ts';
import type { DocumentSource } from '../write/documents.ts';
import { nextVersion, type RowChunk } from '../write/rows.ts';

const idsPerPage = 2_000;

const page = z.object({
  hits: z.object({ hits: z.array(z.object({ _id: z.string(), sort: z.tuple([z.int()]) })) }),
});

/** Elasticsearch could not list what an index holds. */
class ScanFailedError extends Error {
  constructor(index: string, why: string, cause: unknown) {
    super(`Elasticsearch could not list the documents of ${index}: ${why}`, { cause });
    this.name = 'ScanFailedError';
  }
}

/**
 * Deletions of all documents of an index whose rows are not in the table. A document that somebody else wrote under an
 * `_id` that no entity has is passed over: it is not a reader's to remove, and `verify` tells of it.
 */
export async function* findOrphanedDocuments(
  deps: { readonly pool: pg.Pool; readonly client: Client; readonly timeoutMs: number },
  source: DocumentSource,
): AsyncGenerator<RowChunk, void, undefined> {
  const path = `/${encodeURIComponent(source.indexName)}`;
  const get = async (method: 'GET' | 'POST', suffix: string, body?: object): Promise<unknown> => {
    const answer = await sendRequest(
      deps.client,
      { method, path: `${path}${suffix}`, ...(body && { body }) },
      { timeoutMs: deps.timeoutMs },
    );
    if (!answer.ok) throw new ScanFailedError(source.indexName, answer.reason, answer.cause);
    return answer.body;
  };
  // What is written is listed only after this.
  await get('POST', '/_refresh');
  for (let after = 0; ; ) {
    const body = {
      size: idsPerPage,
      _source: false,
      track_total_hits: false,
      // By the field, not by `_id`: what has none is not listed.
      query: { range: { id: { gt: after, lte: Number.MAX_SAFE_INTEGER } } },
      sort: [{ id: 'asc' }],
    };
    const { hits } = page.parse(await get('POST', '/_search?allow_partial_search_results=false', body)).hits;
    const last = hits.at(-1);
    if (last === undefined) return;
    const ids = hits.flatMap(({ _id }) => entityIdOf(_id) ?? []);
    const version = await nextVersion(deps.pool);
    const { rows } = await deps.pool.query<{ id: number }>(
      `select id from unnest($1::bigint[]) as held (id)
       where not exists (select from ${source.kind} as present where present.id = held.id)`,
      [ids],
    );
    if (rows.length > 0) yield { version, rows: [], gone: rows.map(({ id }) => id) };
    after = endOf(hits.map(({ sort: [id] }) => id));
  }
}

/** Up to where a page's ids are complete: a full page may have ended between documents that say they are the same. */
function endOf(ids: readonly number[]): number {
  const last = ids.at(-1) ?? 0;
  return ids.length === idsPerPage && ids[0] !== last ? last - 1 : last;
}
