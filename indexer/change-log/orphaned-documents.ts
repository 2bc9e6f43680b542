import type pg from 'pg';
import { type Cluster, refreshIndex } from '../../src/elasticsearch/admin.ts';
import type { DocumentChunk, DocumentSource } from '../read/read-by-id.ts';
import { nextVersion } from '../read/versions.ts';
import { entityIdOf } from '../verify/differences.ts';
import { readIndexedDocuments } from '../verify/indexed-documents.ts';

const idsPerPage = 2_000;

/**
 * Yields deletions of all documents of an index whose rows are not in the table. Documents under an `_id` that no
 * entity has are skipped: they are not ours to remove, and `verify` reports them.
 */
export async function* findOrphanedDocuments(
  { pool, cluster }: { readonly pool: pg.Pool; readonly cluster: Cluster },
  generation: DocumentSource,
): AsyncGenerator<DocumentChunk, void, undefined> {
  await refreshIndex(cluster, generation.indexName);
  const all = { after: 0, upTo: undefined };
  for await (const page of readIndexedDocuments({ cluster, generation, deep: false }, all, idsPerPage)) {
    const ids = page.flatMap(({ key }) => entityIdOf(key) ?? []);
    const drawn = await nextVersion(pool);
    const { rows } = await pool.query<{ id: number }>(
      `select id from unnest($1::bigint[]) as held (id)
       where not exists (select from entity_ids as present where present.kind = $2 and present.id = held.id)`,
      [ids, generation.kind],
    );
    if (rows.length > 0) yield { ...drawn, documents: [], gone: rows.map(({ id }) => id) };
  }
}
