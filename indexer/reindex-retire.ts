import type pg from 'pg';
import { aliasName } from '../src/index-names.ts';
import type { KindName } from '../src/kinds/kind.ts';
import { listRetirable, recordEnded } from './generations.ts';
import { takeLock, tidying } from './lock.ts';
import { type Cluster, deleteIndex } from './reindex-actions.ts';
import type { RetireConfig } from './retire-config.ts';

interface RetireDeps {
  readonly pool: pg.Pool;
  readonly cluster: Cluster;
  readonly indexPrefix: string;
}

/** Removes generations that were live longer ago than is kept. Under the kind's lifecycle lock only. */
export async function removeRetired(
  deps: RetireDeps,
  kind: KindName,
  limits: RetireConfig,
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const indexName of await listRetirable(deps.pool, kind, limits)) {
    if (!(await deleteIndex(deps.cluster, aliasName(deps.indexPrefix, kind), indexName))) continue;
    await recordEnded(deps.pool, indexName);
    removed.push(indexName);
  }
  return removed;
}

/**
 * The same from outside: takes the lifecycle lock where there is something to remove. Whoever has it does that at the
 * end of his own work, so a kind that is under work is passed over.
 */
export async function retireKind(
  deps: RetireDeps & { readonly applicationName: string },
  kind: KindName,
  limits: RetireConfig,
): Promise<readonly string[]> {
  if ((await listRetirable(deps.pool, kind, limits)).length === 0) return [];
  const taken = await takeLock(deps.pool, kind, `${tidying}${deps.applicationName}`);
  if (!('held' in taken)) return [];
  await using lock = taken.held;
  lock.lost.throwIfAborted();
  return await removeRetired(deps, kind, limits);
}
