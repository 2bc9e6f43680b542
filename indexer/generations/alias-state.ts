import type pg from 'pg';
import { type Cluster, type ClusterIndex, listClusterIndices, readAlias } from '../../src/elasticsearch/admin.ts';
import { aliasName } from '../../src/kinds/index-names.ts';
import type { KindName } from '../../src/kinds/kind.ts';

// Compares the target of a kind's alias with the expected state: one existing index, which the database follows. Either
// may have been changed by hand.

/** Both engines, and the prefix of every index and alias name. */
export interface IndexContext {
  readonly pool: pg.Pool;
  readonly cluster: Cluster;
  readonly indexPrefix: string;
}

/** A generation that was live, and whose index exists. */
export interface KeptGeneration {
  readonly id: number;
  readonly number: number;
  readonly indexName: string;
  readonly hash: string;
  readonly state: 'live' | 'retired';
  readonly halted: string | null;
  /** True if sync follows it. */
  readonly hasPosition: boolean;
  readonly index: ClusterIndex;
}

/** The problem in one sentence, and the command that fixes it. */
export interface AliasProblem {
  readonly found: string;
  readonly todo: string;
}

export interface AliasState {
  readonly alias: string;
  /** The indices that the alias names; normally one. */
  readonly named: readonly string[];
  /** The recorded live one first, then the one that was live last. */
  readonly kept: readonly KeptGeneration[];
  /** Undefined if the alias names one index that the database knows. */
  readonly problem: AliasProblem | undefined;
}

/**
 * Reads the indices that a kind's alias names, and the kept generations. Rejects with an error of Postgres or
 * `ClusterRequestError`.
 */
export async function readAliasState(
  { pool, cluster, indexPrefix }: IndexContext,
  kind: KindName,
): Promise<AliasState> {
  const alias = aliasName(indexPrefix, kind);
  const named = await readAlias(cluster, alias);
  const there = await listClusterIndices(cluster, alias);
  const { rows } = await pool.query<Omit<KeptGeneration, 'index'>>(
    `select id, number, index_name as "indexName", hash, state, halted, position is not null as "hasPosition"
     from search_generations
     where kind = $1 and state in ('live', 'retired') and ended_at is null
     order by state = 'live' desc, retired_at desc nulls last, live_at desc nulls last, number desc`,
    [kind],
  );
  const kept = rows.flatMap((row) => {
    const index = there.get(row.indexName);
    return index === undefined ? [] : [{ ...row, index }];
  });
  const noted = rows.find(({ state }) => state === 'live')?.indexName;
  return { alias, named, kept, problem: findAliasProblem({ kind, alias, named, kept, noted }) };
}

/** Pure. `noted`: the index recorded as live, whether it exists or not. */
export function findAliasProblem(seen: {
  readonly kind: KindName;
  readonly alias: string;
  readonly named: readonly string[];
  readonly kept: readonly Pick<KeptGeneration, 'number' | 'indexName'>[];
  readonly noted: string | undefined;
}): AliasProblem | undefined {
  const { kind, alias, named, kept, noted } = seen;
  const reindex = `Run: entity-search reindex ${kind}`;
  const [index] = named;
  const [best] = kept;
  if (index === undefined) {
    if (best === undefined) return { found: `There is no index of ${kind}.`, todo: reindex };
    const gone = noted === undefined || noted === best.indexName ? '' : `, and ${noted}, which was searched, is gone`;
    return {
      found: `Nothing is searched: ${alias} names no index${gone}.`,
      todo: `Run: entity-search rollback ${kind}`,
    };
  }
  const chosen = kept.find(({ indexName }) => named.includes(indexName)) ?? best;
  const narrow = chosen === undefined ? reindex : `Run: entity-search rollback ${kind} --generation ${chosen.number}`;
  if (named.length > 1) {
    const found = `${alias} names ${named.length} indices (${[...named].sort().join(', ')}): searches return duplicates.`;
    return { found, todo: narrow };
  }
  if (kept.some(({ indexName }) => indexName === index)) return undefined;
  const found = `${index} is searched, but the database does not know it, so changes of the tables do not reach it.`;
  const todo = `Correct INDEX_PREFIX or ELASTICSEARCH_URL if another database uses it; or take it over. ${narrow} --take-over`;
  return { found, todo };
}
