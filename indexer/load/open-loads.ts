import type pg from 'pg';
import { z } from 'zod';
import { generationHash } from '../../mappings/registry.ts';
import { type Cluster, ClusterRequestError } from '../../src/elasticsearch/admin.ts';
import { generationName } from '../../src/kinds/index-names.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { identitySql } from '../../src/postgres/identity.ts';
import type { DeadLetterLimits } from '../dead-letters/monitor.ts';
import { currentOrigin, originOf } from '../generations/alias-conflict.ts';
import type { Generation } from '../generations/generations.ts';
import type { ReindexConfig } from '../reindex/config.ts';
import { JoinRefusedError } from './errors.ts';
import { releaseOf } from './run.ts';

/** A load that somebody leads and that is not done. */
export interface OpenLoad extends Generation {
  readonly hash: string;
  readonly runId: number;
  readonly release: string;
  readonly deadLetterLimits: DeadLetterLimits;
  /** Parts that nobody has. */
  readonly free: number;
  /** It was planned in this database, which has not been another since. */
  readonly isOwn: boolean;
}

const deadLetterLimits = z.object({ total: z.int(), inARow: z.int(), sharePercent: z.number() });

/** The loads of some kinds that may be helped with, the oldest first. */
export async function listOpenLoads(
  pool: pg.Pool,
  kinds: readonly KindName[],
  leaseMs: number,
): Promise<readonly OpenLoad[]> {
  const { rows } = await pool.query<Omit<OpenLoad, 'deadLetterLimits'> & { deadLetters: unknown }>({
    name: 'open-loads',
    text: `
      select g.id, g.kind, g.number, g.index_name as "indexName", g.document_sql as "documentSql", g.hash,
             l.run_id as "runId", r.release, r.dead_letters as "deadLetters", p.free::int,
             g.halted is null and g.source_identity is not distinct from ${identitySql} as "isOwn"
      from search_loads l
      join search_generations g on g.id = l.generation_id
      join search_load_runs r on r.id = l.run_id
      cross join lateral (
        select count(*) filter (where worker_id is null) as free, count(*) as open
        from search_load_parts where generation_id = g.id and not done
      ) as p
      where g.kind = any($1) and g.state = 'loading' and l.stopped is null and p.open > 0
        and exists (select from search_load_workers w
                    where w.run_id = r.id and w.leads and w.seen_at > clock_timestamp() - $2 * interval '1 ms')
      order by g.id`,
    values: [kinds, leaseMs],
  });
  return rows.map(({ deadLetters, ...load }) => ({ ...load, deadLetterLimits: deadLetterLimits.parse(deadLetters) }));
}

export interface HelperContext {
  readonly pool: pg.Pool;
  readonly cluster: Cluster;
  readonly config: ReindexConfig;
  readonly indexPrefix: string;
}

/**
 * Throws `JoinRefusedError` where what this process would send might be something else than what its leader sends, or go
 * somewhere else.
 */
export async function refuseOtherLoad(context: HelperContext, load: OpenLoad): Promise<void> {
  const { pool, cluster, config, indexPrefix } = context;
  const { kind, indexName, hash, number } = load;
  const release = await releaseOf(pool);
  if (load.release !== release) {
    throw new JoinRefusedError(
      `${indexName} is loaded by release ${load.release}, and this is ${release}. Run the same on both.`,
    );
  }
  if (hash !== generationHash(kind, config)) {
    throw new JoinRefusedError(
      `${indexName} is made with other settings than those given here. Set EMBEDDINGS and ELASTICSEARCH_SHARDS as they are where it is led.`,
    );
  }
  if (indexName !== generationName(indexPrefix, kind, hash, number)) {
    throw new JoinRefusedError(
      `${indexName} has another prefix than INDEX_PREFIX here (${indexPrefix}). Set it as it is where it is led.`,
    );
  }
  if (!load.isOwn) {
    throw new JoinRefusedError(
      `${indexName} was begun in another database, or this one has gone back. Begin anew: entity-search reindex ${kind}`,
    );
  }
  if ((await ownerOf(cluster, indexName)) !== (await currentOrigin(pool)).owner) {
    throw new JoinRefusedError(
      `The ${indexName} of ELASTICSEARCH_URL is not the one that is loaded. Set it as it is where it is led.`,
    );
  }
}

/** Undefined where the index is not there. */
async function ownerOf(cluster: Cluster, index: string): Promise<string | undefined> {
  try {
    return (await originOf(cluster, index))?.owner;
  } catch (error) {
    if (error instanceof ClusterRequestError && error.permanent) return undefined;
    throw error;
  }
}
