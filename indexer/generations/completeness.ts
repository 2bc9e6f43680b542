import type pg from 'pg';
import { type Cluster, countDocuments } from '../../src/elasticsearch/admin.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { readReaderStatus, resolvedSnapshot } from '../change-log/reader-status.ts';
import { countDeadLetters } from '../dead-letters/dead-letters.ts';
import { countRows } from './generations.ts';

/** The number of documents in an index, and the number expected. */
export interface Completeness {
  readonly documents: number;
  readonly rows: number;
  readonly deadLetters: number;
}

const attempts = 5;

/**
 * Counts rows, documents and dead letters; a dead letter explains one missing document. The counts are not of one
 * moment, so changes in flight can make them differ; they are repeated a few times. Returns `fit` false if they never
 * agreed.
 */
export async function readCompleteness(
  deps: { readonly pool: pg.Pool; readonly cluster: Cluster },
  kind: KindName,
  target: { readonly id: number; readonly indexName: string },
): Promise<{ readonly fit: boolean; readonly found: Completeness }> {
  const { pool, cluster } = deps;
  for (let attempt = 1; ; attempt += 1) {
    const documents = await countDocuments(cluster, target.indexName);
    const deadLetters = await countDeadLetters(pool, target);
    const rows = await countRows(pool, kind);
    const { pending } = await readReaderStatus(pool, target.id, await resolvedSnapshot(deps));
    const fit = documents <= rows + pending && rows <= documents + deadLetters + pending;
    if (fit || attempt === attempts) return { fit, found: { documents, rows, deadLetters } };
  }
}
