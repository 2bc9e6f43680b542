import type pg from 'pg';
import type { VectorTarget } from './vector-rows.ts';

/** Each removed vector is an entry of the change log, so a transaction removes only this many. */
const removedAtOnce = 5_000;

export interface UnusedModelOptions {
  /** Vectors that no index ever held are kept this long: an index may be built with them. */
  readonly unusedModelMs: number;
  readonly signal: AbortSignal;
}

/**
 * Removes a kind's vectors of other models that no index holds: those whose last live index is gone and which have had
 * no additions since, and those that no index was built with in a long time. Returns the number removed.
 */
export async function removeUnusedModels(
  pool: pg.Pool,
  { kind, model }: VectorTarget,
  { unusedModelMs, signal }: UnusedModelOptions,
): Promise<number> {
  const { rows } = await pool.query<{ model: string }>(
    `select v.model
     from (select model, max(embedded_at) as latest from entity_vectors where kind = $1 and model <> $2 group by model) as v
     left join lateral (
       select bool_or(g.ended_at is null) as used, max(g.ended_at) filter (where g.live_at is not null) as ended_at
       from search_generations g where g.kind = $1 and g.embedding_model = v.model
     ) as made on true
     where made.used is not true
       and (v.latest < made.ended_at or v.latest < clock_timestamp() - $3 * interval '1 ms')`,
    [kind, model.key, unusedModelMs],
  );
  let removed = 0;
  for (const unused of rows) removed += await removeModel(pool, { kind, model: unused.model }, signal);
  return removed;
}

async function removeModel(
  pool: pg.Pool,
  { kind, model }: { readonly kind: string; readonly model: string },
  signal: AbortSignal,
): Promise<number> {
  for (let removed = 0; ; ) {
    signal.throwIfAborted();
    const { rowCount } = await pool.query(
      `delete from entity_vectors where kind = $1 and model = $2 and id = any(array(
         select id from entity_vectors where kind = $1 and model = $2 order by id limit $3))`,
      [kind, model, removedAtOnce],
    );
    removed += rowCount ?? 0;
    if ((rowCount ?? 0) < removedAtOnce) return removed;
  }
}
