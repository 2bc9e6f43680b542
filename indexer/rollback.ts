import type pg from 'pg';
import { generationHash } from '../mappings/registry.ts';
import { aliasName } from '../src/index-names.ts';
import type { KindName } from '../src/kinds/kind.ts';
import { CommandError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { listRetired, recordLive } from './generations.ts';
import { takeLock } from './lock.ts';
import { type Cluster, countDocuments, readAlias, swapAlias } from './reindex-actions.ts';
import { currentSnapshot, standingAt, waitUntilPassed } from './verify-position.ts';

export interface RollbackDeps {
  readonly pool: pg.Pool;
  readonly cluster: Cluster;
  readonly indexPrefix: string;
  readonly applicationName: string;
  /** How long the generation's reader may take to reach this moment. */
  readonly waitMs: number;
  readonly pollMs: number;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

export interface RollbackReport {
  readonly kind: KindName;
  /** What was searched before, and what is now. */
  readonly from: string;
  readonly to: string;
  readonly documents: number;
  /** It was made by another version of the code: searches of this one may miss fields in it. */
  readonly otherShape: boolean;
}

/**
 * Lets a kind's alias name a kept generation again: the one that was live last, or the one of that number. Refuses,
 * with the reason, unless that has been kept in sync and holds as many documents as there are rows. One step for
 * searches; the alias is the truth, so a crash after it loses nothing but the note of it, which the next run makes.
 */
export async function rollback(
  deps: RollbackDeps,
  kind: KindName,
  number: number | undefined,
): Promise<RollbackReport> {
  const { pool, cluster, indexPrefix } = deps;
  const taken = await takeLock(pool, kind, deps.applicationName);
  if (!('held' in taken)) {
    const who = taken.holder === undefined ? '' : ` (${taken.holder.applicationName}, since ${taken.holder.since})`;
    throw refused(`${kind} is under work by another${who}. Wait until that ends, or stop it.`);
  }
  await using lock = taken.held;
  const alias = aliasName(indexPrefix, kind);
  const [from] = await readAlias(cluster, alias);
  if (from === undefined) throw refused(`There is no index of ${kind}. Run: entity-search reindex ${kind}`);
  await recordLive(pool, kind, [from]);
  const target = await kept(pool, kind, number);
  const documents = await proveFit(deps, kind, target);
  lock.lost.throwIfAborted();
  deps.signal.throwIfAborted();
  await swapAlias(cluster, alias, target.indexName);
  await recordLive(pool, kind, await readAlias(cluster, alias));
  return { kind, from, to: target.indexName, documents, otherShape: target.hash !== generationHash(kind) };
}

interface Kept {
  readonly id: number;
  readonly indexName: string;
  readonly hash: string;
  readonly halted: string | null;
  readonly deadLetters: number;
}

async function kept(pool: pg.Pool, kind: KindName, number: number | undefined): Promise<Kept> {
  const retired = await listRetired(pool, kind);
  const { rows } = await pool.query<Kept & { readonly number: number }>(
    `select id, number, index_name as "indexName", hash, halted,
            (select count(*)::int from search_dead_letters l where l.generation_id = g.id) as "deadLetters"
     from search_generations g where index_name = any($1) order by array_position($1, index_name)`,
    [retired],
  );
  const found = number === undefined ? rows[0] : rows.find((row) => row.number === number);
  if (found !== undefined) return found;
  const others = rows.map((row) => row.number).join(', ');
  if (number !== undefined && others !== '') {
    throw refused(`Generation ${number} of ${kind} is not kept. Kept: ${others}.`);
  }
  throw refused(`No earlier generation of ${kind} is kept (GENERATIONS_KEPT). Run: entity-search reindex ${kind}`);
}

/** Answers the number of documents, or refuses. */
async function proveFit(deps: RollbackDeps, kind: KindName, target: Kept): Promise<number> {
  const { pool } = deps;
  const { indexName } = target;
  if (target.halted !== null) throw refused(`${indexName} is not followed: ${target.halted}`);
  const snapshot = await currentSnapshot(pool);
  const { pending, position } = await waitUntilPassed(pool, target.id, snapshot, deps);
  if (position === null || pending > 0) {
    const why = position === null ? 'it has no position in the change log' : `${pending} changes wait for it`;
    throw refused(
      `${indexName} has not been kept in sync: ${why}. Start entity-search sync and wait until status shows no lag, then try again.`,
    );
  }
  return proveCount(deps, kind, target);
}

/** The two counts are not of one moment: what is in flight between them may part them, no more. */
async function proveCount({ pool, cluster }: RollbackDeps, kind: KindName, target: Kept): Promise<number> {
  const { id, indexName, deadLetters } = target;
  let counts = { documents: 0, expected: 0 };
  for (let attempt = 1; attempt <= countAttempts; attempt += 1) {
    const documents = await countDocuments(cluster, indexName);
    const { rows } = await pool.query<{ count: number }>(`select count(*) as count from ${kind}`);
    const expected = rows[0]?.count ?? 0;
    const { pending } = await standingAt(pool, id, await currentSnapshot(pool));
    const missing = expected - documents;
    if (missing === deadLetters || Math.abs(missing) <= pending) return documents;
    counts = { documents, expected };
  }
  const number = /\d+$/.exec(indexName)?.[0];
  throw refused(
    `${indexName} holds ${counts.documents} documents where ${kind} has ${counts.expected} rows and ${deadLetters} were rejected. Run: entity-search repair ${kind} --generation ${number}`,
  );
}

const countAttempts = 5;

function refused(message: string): CommandError {
  return new CommandError(message, exitCodes.refused);
}
