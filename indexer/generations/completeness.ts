import type pg from 'pg';
import { z } from 'zod';
import { type Cluster, countDocuments, requestCluster } from '../../src/elasticsearch/admin.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { readReaderStatus, resolvedSnapshot } from '../change-log/reader-status.ts';
import { countRows } from './generations.ts';

/** The number of documents in an index, and the number expected. */
export interface Completeness {
  readonly documents: number;
  readonly rows: number;
  /** Dead letters whose row exists and whose document does not. */
  readonly missing: number;
}

interface Target {
  readonly id: number;
  readonly indexName: string;
}

/**
 * Counts rows and documents, and reads the dead letters: a letter accounts for a missing document only if its row
 * exists. The counts are not of one moment, so changes in flight can make them differ; they are repeated a few times.
 * Returns `fit` undefined if they never agreed.
 */
export async function readCompleteness(
  deps: { readonly pool: pg.Pool; readonly cluster: Cluster },
  kind: KindName,
  target: Target,
): Promise<{ readonly fit: boolean; readonly found: Completeness }> {
  const { pool, cluster } = deps;
  for (let attempt = 1; ; attempt += 1) {
    const documents = await countDocuments(cluster, target.indexName);
    const missing = await countAbsentLetters(pool, cluster, kind, target);
    const rows = await countRows(pool, kind);
    const { pending } = await readReaderStatus(pool, target.id, await resolvedSnapshot(deps));
    const unexplained = Math.abs(rows - documents - missing);
    if (unexplained <= pending || attempt === attempts) {
      return { fit: unexplained <= pending, found: { documents, rows, missing } };
    }
  }
}

const attempts = 5;
/** Ids in one query; Elasticsearch accepts 65,536. */
const idsAtOnce = 10_000;

const foundIds = z.object({ hits: z.object({ hits: z.array(z.object({ _id: z.string() })) }) });

/** Counts dead letters whose row exists and whose document is not in the index. */
async function countAbsentLetters(pool: pg.Pool, cluster: Cluster, kind: KindName, target: Target): Promise<number> {
  let absent = 0;
  for (let after = 0; ; ) {
    const { rows } = await pool.query<{ id: number }>(
      `select l.id from search_dead_letters l join entity_ids as entity on entity.kind = $4 and entity.id = l.id
       where l.generation_id = $1 and l.id > $2 order by l.id limit $3`,
      [target.id, after, idsAtOnce, kind],
    );
    const last = rows.at(-1);
    if (last === undefined) return absent;
    after = last.id;
    const body = await requestCluster(cluster, {
      what: `look for dead letters in ${target.indexName}`,
      method: 'POST',
      path: `/${encodeURIComponent(target.indexName)}/_search`,
      body: { size: rows.length, _source: false, query: { ids: { values: rows.map(({ id }) => String(id)) } } },
    });
    const there = new Set(foundIds.parse(body).hits.hits.map(({ _id }) => Number(_id)));
    absent += rows.filter(({ id }) => !there.has(id)).length;
  }
}
