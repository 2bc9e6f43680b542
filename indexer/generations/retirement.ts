import { deleteIndex, listClusterIndices, readAlias } from '../../src/elasticsearch/admin.ts';
import { aliasName } from '../../src/kinds/index-names.ts';
import type { KindName } from '../../src/kinds/kind.ts';
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
import { recordAborted } from './unfinished.ts';

/** The generations that are kept after they were live. */
export interface RetireConfig {
  /** This many, the latest ones. */
  readonly kept: number;
  /** The others are removed so long after: later than the longest cursor that was opened in them. */
  readonly afterMs: number;
  /** A generation under construction without progress for this long is given up. */
  readonly abandonedAfterMs: number;
}

/**
 * Ends the following of generations beyond those that are kept, and removes those of them that were live long enough
 * ago. Under the kind's lifecycle lock only.
 */
export async function removeRetired(
  deps: IndexContext,
  kind: KindName,
  limits: Pick<RetireConfig, 'kept' | 'afterMs'>,
): Promise<readonly string[]> {
  // One that is gone must not take the place of one that could be returned to.
  await recordGone(deps, kind);
  await dropSurplusPositions(deps.pool, kind, limits.kept);
  return removeIndices(deps, kind, await listRetirable(deps.pool, kind, limits));
}

/** Ends retired generations whose index was deleted by hand: they are not followed, counted or offered for rollback. */
export async function recordGone({ pool, cluster, indexPrefix }: IndexContext, kind: KindName): Promise<void> {
  // Read in this order: an index that is there is never taken for one that is gone.
  const retired = await listRetired(pool, kind);
  const there = await listClusterIndices(cluster, aliasName(indexPrefix, kind));
  for (const indexName of retired) {
    if (!there.has(indexName)) await recordEnded(pool, indexName, 'Its index was deleted by hand.');
  }
}

/** Removes abandoned builds. Under the kind's lifecycle lock only, so no process builds them. */
async function removeAbandoned(deps: IndexContext, kind: KindName, afterMs: number): Promise<readonly string[]> {
  // One whose process died between its swap and the note of that is live, and not abandoned.
  const named = await readAlias(deps.cluster, aliasName(deps.indexPrefix, kind));
  if (named.length === 1) await recordLive(deps.pool, kind, named);
  const abandoned = await listAbandoned(deps.pool, kind, afterMs);
  return removeIndices(deps, kind, abandoned, 'Given up: its build did not continue.');
}

/** Answers those that were removed: all but the one that the alias names. */
async function removeIndices(
  { pool, cluster, indexPrefix }: IndexContext,
  kind: KindName,
  indices: readonly string[],
  whyAborted?: string,
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const indexName of indices) {
    if (!(await deleteIndex(cluster, aliasName(indexPrefix, kind), indexName))) continue;
    if (whyAborted !== undefined) await recordAborted(pool, indexName, whyAborted);
    await recordEnded(pool, indexName);
    removed.push(indexName);
  }
  return removed;
}

export interface CleanUpResult {
  /** Indices of generations that are not kept any longer. */
  readonly retired: readonly string[];
  /** Indices whose building was left. */
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
