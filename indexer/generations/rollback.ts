import { generationHash, type IndexOptions } from '../../mappings/registry.ts';
import { readAlias, swapAlias } from '../../src/elasticsearch/admin.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { resolvedSnapshot, waitForReader } from '../change-log/reader-status.ts';
import { RefusedError } from '../errors.ts';
import { ForeignOwnerError, findAliasConflict } from './alias-conflict.ts';
import { type AliasState, type IndexContext, type KeptGeneration, readAliasState } from './alias-state.ts';
import { readCompleteness } from './completeness.ts';
import { recordLive } from './generations.ts';
import { describeHolder, takeLock } from './locks.ts';
import { recordGone } from './retirement.ts';

export interface RollbackDeps extends IndexContext, IndexOptions {
  readonly applicationName: string;
  /** The longest wait for the generation's reader to reach this moment. */
  readonly waitMs: number;
  readonly pollMs: number;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

export interface RollbackReport {
  readonly kind: KindName;
  /** The index searched before, or several separated by commas; null if there was none. */
  readonly from: string | null;
  /** The index searched now. */
  readonly to: string;
  /** Null if they were not counted: it was already searched, together with others. */
  readonly documents: number | null;
  /** Changes that it does not have yet; above 0 only if no index was searched. */
  readonly pending: number;
  /** It was created by another version of the code: searches may miss fields in it. */
  readonly otherShape: boolean;
}

/**
 * Points a kind's alias at one kept generation: the one that was live last, or the one of that number; if no index is
 * searched, the best kept one. Refuses, with the reason, unless it has been kept in sync and holds as many documents as
 * there are rows. Searches change in one step. The alias decides, so a crash after it loses only the record, which the
 * next run writes.
 */
export async function rollbackKind(
  deps: RollbackDeps,
  kind: KindName,
  number: number | undefined,
): Promise<RollbackReport> {
  const { pool, cluster } = deps;
  const taken = await takeLock(pool, kind, deps.applicationName);
  if (!('held' in taken)) {
    throw new RefusedError(`${kind} is in use by ${describeHolder(taken.holder)}. Wait until that ends, or stop it.`);
  }
  await using lock = taken.held;
  const conflict = await findAliasConflict(deps, kind);
  if (conflict?.reason === 'owner' && number === undefined) throw new ForeignOwnerError(conflict, kind);
  const before = await readAliasState(deps, kind);
  if (before.named.length === 1) await recordLive(pool, kind, before.named);
  const searched = await readAliasState(deps, kind);
  const { target, documents, pending } = await choose(deps, kind, searched, number);
  lock.lost.throwIfAborted();
  deps.signal.throwIfAborted();
  await swapAlias(cluster, searched.alias, { from: searched.named, to: target.indexName });
  await recordLive(pool, kind, await readAlias(cluster, searched.alias));
  await recordGone(deps, kind);
  const from = searched.named.length === 0 ? null : [...searched.named].sort().join(', ');
  const otherShape = target.hash !== generationHash(kind, deps);
  return { kind, from, to: target.indexName, documents, pending, otherShape };
}

type Chosen = Pick<RollbackReport, 'documents' | 'pending'> & { readonly target: KeptGeneration };

async function choose(
  deps: RollbackDeps,
  kind: KindName,
  searched: AliasState,
  number: number | undefined,
): Promise<Chosen> {
  const { named, problem } = searched;
  if (named.length === 0 && number === undefined) return bestKept(deps, kind, searched);
  if (named.length > 1 && number === undefined && problem !== undefined) {
    throw new RefusedError(`${problem.found} ${problem.todo}`);
  }
  const target = kept(kind, searched, number);
  // It is already searched, and is the right one: removing the others from the alias can only help.
  if (named.includes(target.indexName) && target.state === 'live') {
    return { target, documents: null, pending: 0 };
  }
  return proveFit(deps, kind, target, { searched, waitMs: deps.waitMs });
}

/**
 * No index is searched: returns the generation that is in sync, or otherwise the least behind, of those that are
 * followed.
 */
async function bestKept(deps: RollbackDeps, kind: KindName, searched: AliasState): Promise<Chosen> {
  if (searched.kept.length === 0)
    throw new RefusedError(`There is no index of ${kind}. Run: entity-search reindex ${kind}`);
  const fit: Chosen[] = [];
  const reasons: string[] = [];
  for (const target of searched.kept) {
    try {
      const chosen = await proveFit(deps, kind, target, { searched, waitMs: 0 });
      if (chosen.pending === 0) return chosen;
      fit.push(chosen);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      reasons.push(error.message);
    }
  }
  const [best] = fit.sort((one, other) => one.pending - other.pending);
  if (best !== undefined) return best;
  throw new RefusedError(`${reasons.join('\n')}\nNone of these can be used. Run: entity-search reindex ${kind}`);
}

function kept(kind: KindName, { named, kept: all }: AliasState, number: number | undefined): KeptGeneration {
  const others = all.filter(({ indexName }) => named.length > 1 || !named.includes(indexName));
  const found = number === undefined ? others[0] : others.find((one) => one.number === number);
  if (found !== undefined) return found;
  if (number !== undefined && others.length > 0) {
    const numbers = others.map((one) => one.number).join(', ');
    throw new RefusedError(`Generation ${number} of ${kind} is not kept. Kept: ${numbers}.`);
  }
  throw new RefusedError(
    `No earlier generation of ${kind} is kept (GENERATIONS_KEPT). Run: entity-search reindex ${kind}`,
  );
}

/** Returns the number of its documents, or refuses. If no index is searched, it may have pending changes. */
async function proveFit(
  deps: RollbackDeps,
  kind: KindName,
  target: KeptGeneration,
  { searched, waitMs }: { readonly searched: AliasState; readonly waitMs: number },
): Promise<Chosen> {
  const { pool } = deps;
  const { indexName, number } = target;
  if (target.halted !== null) throw new RefusedError(`${indexName} is not followed: ${target.halted}`);
  if (target.index.closed) throw new RefusedError(`${indexName} is closed. Open it: entity-search doctor shows how.`);
  const snapshot = await resolvedSnapshot(deps);
  const { pending, position } = await waitForReader(pool, target.id, snapshot, { ...deps, waitMs });
  if (position === null || (pending > 0 && searched.named.length > 0)) {
    const why = position === null ? 'it has no position in the change log' : `${pending} changes are pending`;
    throw new RefusedError(
      `${indexName} has not been kept in sync: ${why}. Start entity-search sync and wait until status shows no lag, then try again.`,
    );
  }
  const { fit, found } = await readCompleteness(deps, kind, target);
  if (fit) return { target, documents: found.documents, pending };
  throw new RefusedError(
    `${indexName} holds ${found.documents} documents where ${kind} has ${found.rows} rows and ${found.missing} were rejected. Run: entity-search repair ${kind} --generation ${number}`,
  );
}
