import type pg from 'pg';
import { z } from 'zod';
import { type Cluster, refreshIndex, requestCluster } from '../../src/elasticsearch/admin.ts';
import type { DocumentChunk, DocumentSource } from '../read/read-by-id.ts';
import { nextVersion } from '../read/versions.ts';
import { entityIdOf } from '../verify/differences.ts';

const idsPerPage = 2_000;

const page = z.object({
  hits: z.object({ hits: z.array(z.object({ _id: z.string(), sort: z.tuple([z.int()]) })) }),
});

/**
 * Yields deletions of all documents of an index whose rows are not in the table. Documents under an `_id` that no
 * entity has are skipped: they are not ours to remove, and `verify` reports them.
 */
export async function* findOrphanedDocuments(
  { pool, cluster }: { readonly pool: pg.Pool; readonly cluster: Cluster },
  { indexName, kind }: DocumentSource,
): AsyncGenerator<DocumentChunk, void, undefined> {
  await refreshIndex(cluster, indexName);
  for (let after = 0; ; ) {
    const answer = await requestCluster(cluster, {
      what: `list the documents of ${indexName}`,
      method: 'POST',
      path: `/${encodeURIComponent(indexName)}/_search`,
      querystring: { allow_partial_search_results: false },
      body: {
        size: idsPerPage,
        _source: false,
        track_total_hits: false,
        // By the field, not by `_id`: documents without the field are not listed.
        query: { range: { id: { gt: after, lte: Number.MAX_SAFE_INTEGER } } },
        sort: [{ id: 'asc' }],
      },
    });
    const { hits } = page.parse(answer).hits;
    if (hits.length === 0) return;
    const ids = hits.flatMap(({ _id }) => entityIdOf(_id) ?? []);
    const version = await nextVersion(pool);
    const { rows } = await pool.query<{ id: number }>(
      `select id from unnest($1::bigint[]) as held (id)
       where not exists (select from entity_ids as present where present.kind = $2 and present.id = held.id)`,
      [ids, kind],
    );
    if (rows.length > 0) yield { version, documents: [], gone: rows.map(({ id }) => id) };
    after = endOf(hits.map(({ sort: [id] }) => id));
  }
}

/** Returns the id up to which a page is complete: a full page may have ended between documents with the same id. */
function endOf(ids: readonly number[]): number {
  const last = ids.at(-1) ?? 0;
  return ids.length === idsPerPage && ids[0] !== last ? last - 1 : last;
}
