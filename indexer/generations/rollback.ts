import { generationHash, type IndexOptions } from '../../mappings/registry.ts';
import { readAlias, swapAlias } from '../../src/elasticsearch/admin.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { counted } from '../../src/lib/text/counted.ts';
import { idsWithDeadLetters } from '../dead-letters/dead-letters.ts';
import { RefusedError } from '../errors.ts';
import { entityIdOf, entityIdsOf } from '../verify/differences.ts';
import { type VerifyDeps, verifyGeneration } from '../verify/verify.ts';
import { refuseForeignOwner } from './alias-conflict.ts';
import { type AliasState, type IndexContext, type KeptGeneration, readAliasState } from './alias-state.ts';
import { recordLive } from './generations.ts';
import { describeHolder, takeLock } from './locks.ts';
import { recordGone } from './retirement.ts';
import { generationById } from './stored-generation.ts';

export interface RollbackDeps extends IndexContext, IndexOptions, VerifyDeps {
  readonly applicationName: string;
  readonly signal: AbortSignal;
  /** Also takes the alias from another database. */
  readonly takeOver: boolean;
}

export interface RollbackReport {
  readonly kind: KindName;
  /** The index searched before, or several separated by commas; null if there was none. */
  readonly from: string | null;
  /** The index searched now. */
  readonly to: string;
  /** Null if they were not compared: it was already searched, together with others. */
  readonly documents: number | null;
  /** Changes that it does not have yet; above 0 only if no index was searched. */
  readonly pending: number;
  /** It was created by another version of the code: searches may miss fields in it. */
  readonly otherShape: boolean;
}

/**
 * Points a kind's alias at one kept generation: the one that was live last, or the one of that number; if no index is
 * searched, the best kept one. Refuses, with the reason, unless it has been kept in sync and equals the tables, except
 * for its dead letters. Searches change in one step. The alias decides, so a crash after it loses only the record, which
 * the next run writes.
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
  if (!deps.takeOver) await refuseForeignOwner(deps, [kind]);
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
  return proveFit(deps, kind, target, { unfollowed: named.length === 0 });
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
      const chosen = await proveFit(deps, kind, target, { unfollowed: true });
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

/**
 * Compares a generation with the tables. Refuses it if it differs, or if it has pending changes while another index is
 * searched.
 * @param options with `unfollowed`, no index is searched, and pending changes are not waited for
 */
async function proveFit(
  deps: RollbackDeps,
  kind: KindName,
  target: KeptGeneration,
  { unfollowed }: { readonly unfollowed: boolean },
): Promise<Chosen> {
  const { pool, signal } = deps;
  const { id, indexName, number } = target;
  if (target.halted !== null) throw new RefusedError(`${indexName} is not followed: ${target.halted}`);
  if (target.index.closed) throw new RefusedError(`${indexName} is closed. Open it: entity-search doctor shows how.`);
  const unsynced = (why: string): RefusedError =>
    new RefusedError(
      `${indexName} has not been kept in sync: ${why}. Start entity-search sync and wait until status shows no lag, then try again.`,
    );
  if (!target.hasPosition) throw unsynced('it has no position in the change log');
  const found = await verifyGeneration(deps, await generationById(pool, id), { deep: false, signal, unfollowed });
  const { documents, pending, unjudged, differences } = found;
  const letters = await idsWithDeadLetters(pool, id, entityIdsOf(differences));
  const different = differences.filter(({ key }) => !letters.has(entityIdOf(key) ?? 0)).length;
  if (different > 0 || !found.complete) {
    throw new RefusedError(
      `${indexName} differs from the tables in ${counted(different, 'document')}. Run: entity-search repair ${kind} --generation ${number}`,
    );
  }
  if (unjudged > 0 && !unfollowed) throw unsynced(`${pending} changes are pending`);
  return { target, documents, pending };
}
