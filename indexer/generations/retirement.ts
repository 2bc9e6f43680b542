import { listClusterIndices, readAlias } from '../../src/elasticsearch/admin.ts';
import { aliasName } from '../../src/kinds/index-names.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { deleteOwnIndex } from './alias-conflict.ts';
import type { IndexContext } from './alias-state.ts';
import {
  dropSurplusPositions,
  listAbandoned,
  listRetirable,
  listRetired,
  listSurplusFollowed,
  recordEnded,
  recordLive,
} from './generations.ts';
import { cleanUpPrefix, takeLock } from './locks.ts';
import { giveUp } from './unfinished.ts';

/** The generations that are kept after they were live. */
export interface RetireConfig {
  /** This many, the latest ones. */
  readonly kept: number;
  /** The others are removed after this time, which is longer than any cursor lives. */
  readonly afterMs: number;
  /** A generation under construction without progress for this long is given up. */
  readonly abandonedAfterMs: number;
}

/**
 * Stops following generations beyond those that are kept, and removes those retired long enough ago. Under the kind's
 * lifecycle lock only.
 */
export async function removeRetired(
  deps: IndexContext,
  kind: KindName,
  limits: Pick<RetireConfig, 'kept' | 'afterMs'>,
): Promise<readonly string[]> {
  // A missing index must not take the place of one that rollback can use.
  await recordGone(deps, kind);
  await dropSurplusPositions(deps.pool, kind, limits.kept);
  return removeIndices(deps, kind, await listRetirable(deps.pool, kind, limits));
}

/** Ends retired generations whose index was deleted by hand: they are not followed, counted or offered for rollback. */
export async function recordGone({ pool, cluster, indexPrefix }: IndexContext, kind: KindName): Promise<void> {
  // Read in this order, so that an existing index never counts as missing.
  const retired = await listRetired(pool, kind);
  const there = await listClusterIndices(cluster, aliasName(indexPrefix, kind));
  for (const indexName of retired) {
    if (!there.has(indexName)) await recordEnded(pool, indexName, 'Its index was deleted by hand.');
  }
}

/** Removes abandoned builds. Under the kind's lifecycle lock only, so no process builds them. */
async function removeAbandoned(deps: IndexContext, kind: KindName, afterMs: number): Promise<readonly string[]> {
  // A generation whose process died between its swap and the record of that is live, not abandoned.
  const named = await readAlias(deps.cluster, aliasName(deps.indexPrefix, kind));
  if (named.length === 1) await recordLive(deps.pool, kind, named);
  const abandoned = await listAbandoned(deps.pool, kind, afterMs);
  return removeIndices(deps, kind, abandoned, 'Given up: its build did not continue.');
}

/** Returns the removed indices: all except the one that the alias names. */
async function removeIndices(
  deps: IndexContext,
  kind: KindName,
  indices: readonly string[],
  whyAborted?: string,
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const indexName of indices) {
    if (whyAborted !== undefined) await giveUp(deps.pool, indexName, 'aborted', whyAborted);
    if (!(await deleteOwnIndex(deps, kind, indexName))) continue;
    await recordEnded(deps.pool, indexName);
    removed.push(indexName);
  }
  return removed;
}

export interface CleanUpResult {
  /** Indices of generations that are not kept. */
  readonly retired: readonly string[];
  readonly abandoned: readonly string[];
}

/**
 * Removes both from outside: takes the lifecycle lock if there is something to remove. Skips a kind whose lock is held:
 * the holder removes the rest at the end of its own work.
 */
export async function cleanUpKind(
  deps: IndexContext & { readonly applicationName: string },
  kind: KindName,
  limits: RetireConfig,
): Promise<CleanUpResult> {
  const { pool } = deps;
  const nothing: CleanUpResult = { retired: [], abandoned: [] };
  const retirable = await listRetirable(pool, kind, limits);
  const surplus = await listSurplusFollowed(pool, kind, limits.kept);
  const abandoned = await listAbandoned(pool, kind, limits.abandonedAfterMs);
  if (retirable.length + surplus.length + abandoned.length === 0) return nothing;
  const taken = await takeLock(pool, kind, `${cleanUpPrefix}${deps.applicationName}`);
  if (!('held' in taken)) return nothing;
  await using lock = taken.held;
  lock.lost.throwIfAborted();
  return {
    retired: await removeRetired(deps, kind, limits),
    abandoned: abandoned.length === 0 ? [] : await removeAbandoned(deps, kind, limits.abandonedAfterMs),
  };
}
