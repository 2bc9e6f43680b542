import type pg from 'pg';
import type { KindName } from '../../src/kinds/kind.ts';
import { IndexerError, RefusedError } from '../errors.ts';
import { type IndexContext, readAliasState } from './alias-state.ts';
import type { Generation } from './generations.ts';
import type { GenerationState } from './model.ts';

/** A generation whose index exists, with its stored definition. */
export interface StoredGeneration extends Generation {
  readonly hash: string;
  readonly state: GenerationState;
  /** The settings and mappings of its index. */
  readonly definition: object;
}

/**
 * Returns the generation that a kind's alias names. Refuses if the alias names none, several, or one that Postgres does
 * not know.
 */
export async function liveGeneration(context: IndexContext, kind: KindName): Promise<StoredGeneration> {
  const { named, problem } = await readAliasState(context, kind);
  if (problem !== undefined) throw new RefusedError(`${problem.found} ${problem.todo}`);
  const found = await findOne(context.pool, 'index_name = $1', [named[0]]);
  if (found === undefined) throw new IndexerError(`The index of ${kind} was removed meanwhile. Run the command again.`);
  return found;
}

/** Returns the generation of that number whose index has not been removed. */
export async function numberedGeneration(pool: pg.Pool, kind: KindName, number: number): Promise<StoredGeneration> {
  const found = await findOne(pool, 'kind = $1 and number = $2 and ended_at is null', [kind, number]);
  if (found !== undefined) return found;
  throw new RefusedError(`There is no generation ${number} of ${kind}. See: entity-search status`);
}

export async function generationById(pool: pg.Pool, id: number): Promise<StoredGeneration> {
  const found = await findOne(pool, 'id = $1', [id]);
  if (found === undefined) throw new IndexerError('The generation was removed meanwhile. Run the command again.');
  return found;
}

async function findOne(
  pool: pg.Pool,
  condition: string,
  values: readonly unknown[],
): Promise<StoredGeneration | undefined> {
  const { rows } = await pool.query<StoredGeneration>(
    `select id, kind, number, index_name as "indexName", document_sql as "documentSql", hash, state, definition
     from search_generations where ${condition}`,
    [...values],
  );
  return rows[0];
}
