import type pg from 'pg';
import { aliasName } from '../src/index-names.ts';
import type { KindName } from '../src/kinds/kind.ts';
import { listRetirable, recordEnded } from './generations.ts';
import { type Cluster, deleteIndex } from './reindex-actions.ts';

/** Removes generations that were live longer ago than is kept. Under the kind's lifecycle lock only. */
export async function removeRetired(
  deps: { readonly pool: pg.Pool; readonly cluster: Cluster; readonly indexPrefix: string },
  kind: KindName,
  limits: { readonly kept: number; readonly afterMs: number },
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const indexName of await listRetirable(deps.pool, kind, limits)) {
    if (!(await deleteIndex(deps.cluster, aliasName(deps.indexPrefix, kind), indexName))) continue;
    await recordEnded(deps.pool, indexName);
    removed.push(indexName);
  }
  return removed;
}
