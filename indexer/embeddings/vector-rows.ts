import type pg from 'pg';
import { type EmbeddingModel, vectorBytes } from '../../src/embeddings/model.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { kinds } from '../../src/kinds/registry.ts';

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

/** Ids above the first and up to the second; null for no upper end. */
export interface IdWindow {
  readonly after: number;
  readonly upTo: number | null;
}

/** Reads the next ids of a kind's table, up to a number of rows. */
export async function nextWindow(pool: pg.Pool, kind: KindName, after: number, rows: number): Promise<IdWindow> {
  const { rows: found } = await pool.query<{ id: number }>(
    `select id from ${kind} where id > $1 order by id offset $2 limit 1`,
    [after, rows - 1],
  );
  return { after, upTo: found[0]?.id ?? null };
}

/** Returns the pending texts of a window, ascending. */
export function waitingInWindow(
  pool: pg.Pool,
  target: VectorTarget,
  { after, upTo }: IdWindow,
): Promise<readonly WaitingText[]> {
  return waitingTexts(pool, target, 'id > $3 and id <= $4', [after, upTo ?? Number.MAX_SAFE_INTEGER]);
}

/** Returns the pending texts of some entities, ascending. */
export function waitingAmong(
  pool: pg.Pool,
  target: VectorTarget,
  ids: readonly number[],
): Promise<readonly WaitingText[]> {
  return waitingTexts(pool, target, 'id = any($3::bigint[])', [ids]);
}

async function waitingTexts(
  pool: pg.Pool,
  { kind, model }: VectorTarget,
  condition: string,
  values: readonly unknown[],
): Promise<readonly WaitingText[]> {
  const { sql } = kinds[kind];
  const { rows } = await pool.query<WaitingText>(
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

/** Counts the texts of a kind that lack a vector. Reads every row. */
export async function countWaiting(pool: pg.Pool, { kind, model }: VectorTarget): Promise<number> {
  const { sql } = kinds[kind];
  const { rows } = await pool.query<{ count: number }>(
    `select count(*) as count
     from (select ${sql.id} as id, md5(${sql.text}) as hash from ${sql.table}) as entity
     left join entity_vectors v on v.kind = $1 and v.model = $2 and v.id = entity.id
     where v.text_hash is distinct from entity.hash`,
    [kind, model.key],
  );
  return rows[0]?.count ?? 0;
}

export interface VectorCount {
  readonly model: string;
  readonly count: number;
}

/** Counts a kind's vectors by model, including those of texts that have changed since. */
export async function countVectors(pool: pg.Pool, kind: KindName): Promise<readonly VectorCount[]> {
  const { rows } = await pool.query<VectorCount>(
    'select model, count(*) as count from entity_vectors where kind = $1 group by model order by model',
    [kind],
  );
  return rows;
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

/** Removes the vectors, of all models, of a window's ids without an entity. Returns their number. */
export async function removeOrphansInWindow(pool: pg.Pool, kind: KindName, { after, upTo }: IdWindow): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from entity_vectors v
     where v.kind = $1 and v.id > $2 and v.id <= $3 and not exists (select from ${kind} as entity where entity.id = v.id)`,
    [kind, after, upTo ?? Number.MAX_SAFE_INTEGER],
  );
  return rowCount ?? 0;
}

/** Removes the vectors, of all models, of those ids without an entity. Returns their number. */
export async function removeOrphansAmong(pool: pg.Pool, kind: KindName, ids: readonly number[]): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from entity_vectors v
     where v.kind = $1 and v.id = any($2::bigint[]) and not exists (select from ${kind} as entity where entity.id = v.id)`,
    [kind, ids],
  );
  return rowCount ?? 0;
}
