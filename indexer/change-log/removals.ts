import type pg from 'pg';
import type { KindName } from '../../src/kinds/kind.ts';

/** Appends removals in the transaction that holds the resolver's row, with the next numbers. */
export async function appendRemovals(client: pg.ClientBase, kind: KindName, ids: readonly number[]): Promise<void> {
  if (ids.length > 0)
    await append(
      client,
      ids.map(() => kind),
      ids,
    );
}

/** Appends a gap for each kind: entities were removed, and their ids are unknown. */
export async function appendGaps(client: pg.ClientBase, kinds: readonly KindName[]): Promise<void> {
  if (kinds.length > 0)
    await append(
      client,
      kinds,
      kinds.map(() => null),
    );
}

async function append(
  client: pg.ClientBase,
  kinds: readonly KindName[],
  ids: readonly (number | null)[],
): Promise<void> {
  await client.query(
    `with counted as (
       update search_resolver set number = number + cardinality($1::text[]) returning number - cardinality($1::text[]) as before
     )
     insert into entity_removals (kind, number, id)
     select removed.kind, counted.before + removed.at, removed.id
     from counted, unnest($1::text[], $2::bigint[]) with ordinality as removed (kind, id, at)`,
    [kinds, ids],
  );
}

/** Days that a consumer's copy may go without reading the removals. After a longer gap the copy must be rebuilt. */
const keptDays = 30;

/** Small, so that no statement holds locks for long. */
const batch = 10_000;

// Deletes in the order of places, up to the last row of the batch that is too old: the rest is all that was removed
// since a place, or follows a gap. A long transaction may lose younger rows that way, but never silently.
const pruneSql = `
  with old as (
    select kind, number from entity_removals
    where removed_at < now() - $1 * interval '1 day' order by removed_at limit $2
  ), last as (
    select distinct on (kind) kind, number from old order by kind, number desc
  ), gap as (
    update entity_removals as r set id = null from last
    where (r.kind, r.number) = (last.kind, last.number) and r.id is not null
  )
  delete from entity_removals as r using last where r.kind = last.kind and r.number < last.number`;

/**
 * Removes rows that no cursor may request any more, in separate statements. One row per kind stays as the gap that
 * replaces the removed rows.
 */
export async function pruneRemovals(pool: pg.Pool, signal: AbortSignal): Promise<void> {
  for (let removed: number | null = batch; removed !== 0; ) {
    signal.throwIfAborted();
    ({ rowCount: removed } = await pool.query(pruneSql, [keptDays, batch]));
  }
}
