import type pg from 'pg';
import { readIndexSize } from '../../src/elasticsearch/admin.ts';
import { type KindName, kindNames } from '../../src/kinds/kind.ts';
import { isoTimestamp } from '../../src/lib/iso-timestamp.ts';
import { readVerifications, type StoredVerification } from '../../src/postgres/verifications.ts';
import { type IndexContext, readAliasState } from './alias-state.ts';
import { countRows } from './generations.ts';
import { findHolder, type LockHolder } from './locks.ts';
import type { GenerationState } from './model.ts';

/** The status of one generation. Times are ISO 8601 in UTC. */
export interface GenerationStatus {
  readonly kind: KindName;
  readonly number: number;
  readonly index: string;
  readonly state: GenerationState;
  /** True if the kind's alias names it. */
  readonly searched: boolean;
  /** Documents visible to searches, and bytes on disk; null if the index does not exist. */
  readonly documents: number | null;
  readonly bytes: number | null;
  readonly deadLetters: number;
  /** The row of the latest letter, and its reason. */
  readonly latestLetter: string | null;
  /** Pending entries of the change log (counted up to 100,000), and the age of the oldest. */
  readonly pending: number | null;
  readonly lagSeconds: number | null;
  readonly changesApplied: number;
  readonly embeddingModel: string | null;
  /** The process that follows the change log for it. */
  readonly reader: LockHolder | null;
  /** The reason why it is not followed. */
  readonly halted: string | null;
  readonly lastError: string | null;
  readonly createdAt: string;
  readonly liveAt: string | null;
}

export interface KindStatus {
  readonly kind: KindName;
  readonly rows: number;
  /** The process that builds, swaps or removes generations now. */
  readonly builder: LockHolder | null;
  /** The error of the last build; null after a success. */
  readonly lastFailure: string | null;
  /** The problem of the alias, and the command that fixes it; null if it names one index. */
  readonly problem: string | null;
  /** The last comparison of the searched index with the table, by verify or repair; null if there was none. */
  readonly verified: StoredVerification | null;
  readonly generations: readonly GenerationStatus[];
}

type Stored = Omit<GenerationStatus, 'searched' | 'documents' | 'bytes' | 'reader'>;

/** Reads the status of every kind from Postgres and the cluster. */
export async function readStatus(
  context: IndexContext,
  kinds: readonly KindName[] = kindNames,
): Promise<readonly KindStatus[]> {
  const { pool, cluster } = context;
  const verifications = await readVerifications(pool);
  const statuses: KindStatus[] = [];
  for (const kind of kinds) {
    const { named, problem } = await readAliasState(context, kind);
    const generations: GenerationStatus[] = [];
    for (const stored of await storedGenerations(pool, kind)) {
      generations.push({
        ...stored,
        ...(await readIndexSize(cluster, stored.index)),
        searched: named.includes(stored.index),
        reader: (await findHolder(pool, { space: 'reader', name: stored.index })) ?? null,
      });
    }
    const builder = (await findHolder(pool, { space: 'lifecycle', name: kind })) ?? null;
    const lastFailure = await readLastFailure(pool, kind);
    statuses.push({
      kind,
      rows: await countRows(pool, kind),
      builder,
      lastFailure,
      problem: problem === undefined ? null : `${problem.found} ${problem.todo}`,
      verified: verifications.find((one) => one.kind === kind) ?? null,
      generations,
    });
  }
  return statuses;
}

async function storedGenerations(pool: pg.Pool, kind: KindName): Promise<readonly Stored[]> {
  const { rows } = await pool.query<Stored>(
    `select g.kind, g.number, g.index_name as index, g.state, g.halted, g.last_error as "lastError",
            (select count(*)::int from search_dead_letters l where l.generation_id = g.id) as "deadLetters",
            (select 'row ' || l.id || ': ' || left(l.reason, 300) from search_dead_letters l
             where l.generation_id = g.id order by l.last_at desc, l.id limit 1) as "latestLetter",
            lag.pending, lag.seconds as "lagSeconds", g.changes_applied as "changesApplied",
            g.embedding_model as "embeddingModel",
            ${isoTimestamp('g.created_at', 'seconds')} as "createdAt", ${isoTimestamp('g.live_at', 'seconds')} as "liveAt"
     from search_generations g left join search_lag lag on lag.generation_id = g.id
     where g.kind = $1 and g.ended_at is null order by g.number desc`,
    [kind],
  );
  return rows;
}

/** The error of the latest attempt, if it failed. */
async function readLastFailure(pool: pg.Pool, kind: KindName): Promise<string | null> {
  const { rows } = await pool.query<{ error: string | null }>(
    `select case when state in ('failed', 'aborted') then last_error end as error
     from search_generations where kind = $1 order by number desc limit 1`,
    [kind],
  );
  return rows[0]?.error ?? null;
}
