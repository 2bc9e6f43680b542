import type pg from 'pg';
import type { EmbeddingModel } from '../../src/embeddings/model.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { kinds } from '../../src/kinds/registry.ts';
import { vectorBytes } from '../../src/lib/vector-bytes.ts';
import type { Queryable } from '../../src/postgres/by-index.ts';
import { readValue } from '../../src/postgres/statements.ts';
import { bisect } from '../read/bisect.ts';
import { isRowError } from '../read/row-errors.ts';

// Vectors are rows, separate from their texts. A vector belongs to a text by the text's hash, computed by Postgres. If
// the text's hash has changed, the text needs a new vector.

/** The owner of vectors: a kind and a model. */
export interface VectorTarget {
  readonly kind: KindName;
  readonly model: EmbeddingModel;
}

/** A text without a vector, or with an outdated one. */
export interface WaitingText {
  readonly id: number;
  readonly text: string;
  readonly hash: string;
}

/** Some entities of a kind: those of the ids, or those above the first id and up to the second. */
export type EntitySelection = readonly number[] | { readonly after: number; readonly upTo: number };

/** Returns the condition of a selection on a column, and its parameters, which are numbered from this number on. */
function conditionOf(of: EntitySelection, column: string, number: number): readonly [string, readonly unknown[]] {
  if (!('after' in of)) return [`${column} = any($${number}::bigint[])`, [of]];
  return [`${column} > $${number} and ${column} <= $${number + 1}`, [of.after, of.upTo]];
}

/** Returns the pending texts of some entities, ascending. */
export async function waitingTexts(
  pool: pg.Pool,
  { kind, model }: VectorTarget,
  of: EntitySelection,
): Promise<readonly WaitingText[]> {
  try {
    return await readWaiting(pool, { kind, model }, of);
  } catch (error) {
    if (!isRowError(error)) throw error;
  }
  const [condition, values] = conditionOf(of, 'id', 2);
  const { rows } = await pool.query<{ id: number }>(
    `select id from entity_ids where kind = $1 and ${condition} order by id`,
    [kind, ...values],
  );
  const found: WaitingText[] = [];
  // A row that can't be read gets no vector; the reader of documents reports it.
  await bisect(
    pool,
    rows.map(({ id }) => id),
    async (database, ids) => {
      found.push(...(await readWaiting(database, { kind, model }, ids)));
    },
  );
  return found.sort((one, other) => one.id - other.id);
}

async function readWaiting(
  database: Queryable | pg.ClientBase,
  { kind, model }: VectorTarget,
  of: EntitySelection,
): Promise<readonly WaitingText[]> {
  const [condition, values] = conditionOf(of, 'id', 3);
  const { sql } = kinds[kind];
  const { rows } = await database.query<WaitingText>(
    // "offset 0" keeps the text from being built once for its hash and again for itself.
    `select entity.id, entity.text, md5(entity.text) as hash
     from (select id, text from (select ${sql.id} as id, ${sql.text} as text from ${sql.table}) as texts
           where ${condition} offset 0) as entity
     left join entity_vectors v on v.kind = $1 and v.model = $2 and v.id = entity.id
     where v.text_hash is distinct from md5(entity.text)
     order by entity.id`,
    [kind, model.key, ...values],
  );
  return rows;
}

/** Counts the texts of a kind that lack a vector. Reads every row; if one can't be read, counts entities without one. */
export async function countWaiting(pool: pg.Pool, { kind, model }: VectorTarget): Promise<number> {
  const { sql } = kinds[kind];
  // Both are made of the kind's own SQL.
  // nosemgrep: no-values-in-sql
  const countSql = (entities: string, condition: string): string => `select count(*) from ${entities} as entity
     left join entity_vectors v on v.kind = $1 and v.model = $2 and v.id = entity.id where ${condition}`;
  const texts = `(select ${sql.id} as id, md5(${sql.text}) as hash from ${sql.table})`;
  const ids = '(select id from entity_ids where kind = $1)';
  const count = (text: string): Promise<number> => readValue(pool, text, [kind, model.key]);
  try {
    return await count(countSql(texts, 'v.text_hash is distinct from entity.hash'));
  } catch (error) {
    if (!isRowError(error)) throw error;
    return count(countSql(ids, 'v.id is null'));
  }
}

export interface NewVector extends Omit<WaitingText, 'text'> {
  readonly vector: Readonly<Float32Array>;
}

/**
 * Stores vectors whose texts are unchanged. Returns their number: the entities of the others were changed or removed
 * meanwhile.
 */
export async function storeVectors(
  pool: pg.Pool,
  { kind, model }: VectorTarget,
  vectors: readonly NewVector[],
): Promise<number> {
  const { sql } = kinds[kind];
  const { rowCount } = await pool.query(
    // In the order of ids: two processes that store the same vectors must not deadlock.
    `insert into entity_vectors (kind, id, model, text_hash, vector)
     select $1, given.id, $2, given.hash, given.vector
     from unnest($3::bigint[], $4::text[], $5::bytea[]) as given (id, hash, vector)
     join lateral (select md5(${sql.text}) as hash from ${sql.table} where ${sql.id} = given.id offset 0) as present
       on present.hash = given.hash
     order by given.id
     on conflict (kind, model, id)
     do update set text_hash = excluded.text_hash, vector = excluded.vector, embedded_at = excluded.embedded_at`,
    [
      kind,
      model.key,
      vectors.map(({ id }) => id),
      vectors.map(({ hash }) => hash),
      vectors.map(({ vector }) => Buffer.from(vectorBytes(vector))),
    ],
  );
  return rowCount ?? 0;
}

/** Removes the vectors, of all models, of selected ids without an entity. Returns their number. */
export async function removeOrphans(pool: pg.Pool, kind: KindName, of: EntitySelection): Promise<number> {
  const [condition, values] = conditionOf(of, 'v.id', 2);
  const { rowCount } = await pool.query(
    `delete from entity_vectors v
     where v.kind = $1 and ${condition} and not exists (select from entity_ids as entity where entity.kind = $1 and entity.id = v.id)`,
    [kind, ...values],
  );
  return rowCount ?? 0;
}
