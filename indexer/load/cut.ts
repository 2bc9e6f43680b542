import type pg from 'pg';
import type { KindName } from '../../src/kinds/kind.ts';
import { estimateRows } from '../generations/generations.ts';
import type { LoadLimits } from '../limits.ts';
import { highestId, type IdRange } from '../read/read-all.ts';

// Where a kind is cut into parts. Ids may be sparse and skewed (a hole of a billion, half of the rows among the first
// hundred), so that parts are cut by counting rows and not by dividing the numbers.

/** Up to so many rows are counted; of more of them, a sample of pages shows how the ids lie. */
const countedRows = 1_000_000;
/** The sample has so many rows for each part, so that parts differ by a third or so. */
const sampledPerPart = 40;

/**
 * Ranges of ids above one, ascending and without gaps, the last one open; each with about as many rows. At least one.
 * Rows that come later are in one of them as well.
 */
export async function cutParts(
  pool: pg.Pool,
  kind: KindName,
  afterId: number,
  { partRows, partsAtMost }: Pick<LoadLimits, 'partRows' | 'partsAtMost'>,
): Promise<readonly IdRange[]> {
  const rows = await estimateRows(pool, kind);
  const parts = Math.min(partsAtMost, Math.ceil(rows / partRows));
  if (parts <= 1) return rangesOf(afterId, []);
  const isSampled = rows > countedRows && (await canBeSampled(pool, kind));
  const bounds = isSampled
    ? everyNth(await sampleIds(pool, kind, { afterId, share: (parts * sampledPerPart) / rows }), sampledPerPart)
    : await countIds(pool, kind, { afterId, step: Math.ceil(rows / parts) });
  return rangesOf(afterId, bounds);
}

/** Bounds are upper ends, ascending. Pure. */
export function rangesOf(afterId: number, bounds: readonly number[]): readonly IdRange[] {
  const ends = [...bounds.filter((bound, at) => bound > (bounds[at - 1] ?? afterId)), highestId];
  return ends.map((upToId, at) => ({ afterId: ends[at - 1] ?? afterId, upToId }));
}

/** Pure. */
function everyNth(ids: readonly number[], step: number): readonly number[] {
  return ids.filter((_, at) => (at + 1) % step === 0);
}

/** Every so manyth id. */
async function countIds(
  pool: pg.Pool,
  kind: KindName,
  { afterId, step }: { readonly afterId: number; readonly step: number },
): Promise<readonly number[]> {
  const { rows } = await pool.query<{ id: number }>(
    `select id from (select id, row_number() over (order by id) as n from ${kind} where id > $1) as numbered
     where n % $2 = 0 order by id`,
    [afterId, step],
  );
  return rows.map(({ id }) => id);
}

/** The ids of a share of the table's pages, ascending. */
async function sampleIds(
  pool: pg.Pool,
  kind: KindName,
  { afterId, share }: { readonly afterId: number; readonly share: number },
): Promise<readonly number[]> {
  const { rows } = await pool.query<{ id: number }>(
    `select id from ${kind} tablesample system ($2) where id > $1 order by id`,
    [afterId, Math.min(100, 100 * share)],
  );
  return rows.map(({ id }) => id);
}

/** A view has no pages. */
async function canBeSampled(pool: pg.Pool, kind: KindName): Promise<boolean> {
  const { rows } = await pool.query<{ sampled: boolean }>(
    `select relkind in ('r', 'p', 'm') as sampled from pg_class where oid = $1::regclass`,
    [kind],
  );
  return rows[0]?.sampled === true;
}
