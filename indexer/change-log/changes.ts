import type pg from 'pg';
import type { KindName } from '../../src/kinds/kind.ts';

// Reading the change log. A position is a snapshot; what is new between two of them is decided by transactions, not by
// the order of `seq`, which is not the order of commits.

/** One entry; `id` is null where the whole kind is meant. */
export interface Change {
  readonly xid: string;
  readonly seq: number;
  readonly kind: KindName;
  readonly id: number | null;
  readonly what: 'row' | 'references' | 'truncate' | 'all' | 'vector';
  /** Of a vector: the key of its model. */
  readonly model: string | null;
}

/** A place in the order in which entries are read: by transaction, then in the order of appending. */
export interface LogOffset {
  readonly xid: string;
  readonly seq: number;
}

export interface ChangesOptions {
  readonly reader: KindName;
  /** Two `pg_snapshot`s as text: what the first did not see and the second does. */
  readonly from: string;
  readonly to: string;
  /** Only entries after this place. */
  readonly after?: LogOffset | undefined;
  /** Entries looked at in one statement. */
  readonly chunkSize: number;
}

/** What one statement found. */
export interface ScannedChanges {
  /** The entries that concern the reader; may be none. */
  readonly changes: readonly Change[];
  /** How far it looked: every entry up to here was given out. */
  readonly place: LogOffset;
}

// Transactions that were under way at `from` and have ended by `to`, and those that began later: each part in the order
// of an index that has nothing in it but what concerns the reader, so that a chunk costs what it gives out, and neither
// a busy kind beside a quiet one nor an old transaction that stays open costs anything. The last entry always comes
// along, to tell how far the look went.
const chunkSql = `
  with ended as (
    select xid from pg_snapshot_xip($2::pg_snapshot) as under_way (xid)
    where pg_visible_in_snapshot(xid, $3::pg_snapshot) and xid >= $4::xid8
  ), place as (
    select greatest($4::xid8, pg_snapshot_xmax($2::pg_snapshot)) as xid,
           case when $4::xid8 >= pg_snapshot_xmax($2::pg_snapshot) then $5::bigint else 0 end as seq
  ), entries as (
    select *, row_number() over (order by xid, seq) as number, count(*) over () as scanned from (
      (select xid, seq, kind, id, what, model from search_changes
       where kind = $1 and (xid, seq) > ((select xid from place), (select seq from place))
         and xid < pg_snapshot_xmax($3::pg_snapshot)
       order by xid, seq limit $6)
      union all
      (select entry.* from unnest(search_shown_kinds($1)) as shown (kind) cross join lateral (
         select xid, seq, kind, id, what, model from search_changes
         where what = 'references' and kind = shown.kind
           and (xid, seq) > ((select xid from place), (select seq from place))
           and xid < pg_snapshot_xmax($3::pg_snapshot)
         order by xid, seq limit $6) as entry)
      union all
      (select entry.* from ended cross join lateral (
         select xid, seq, kind, id, what, model from search_changes
         where kind = $1 and xid = ended.xid and seq > case when ended.xid = $4::xid8 then $5::bigint else 0 end
         order by seq limit $6) as entry)
      union all
      (select entry.* from ended cross join unnest(search_shown_kinds($1)) as shown (kind) cross join lateral (
         select xid, seq, kind, id, what, model from search_changes
         where what = 'references' and kind = shown.kind
           and xid = ended.xid and seq > case when ended.xid = $4::xid8 then $5::bigint else 0 end
         order by seq limit $6) as entry)
      order by xid, seq limit $6
    ) as looked_at
  )
  select xid::text as xid, seq, kind, id, what, model, scanned, concerned from (
    select *, pg_visible_in_snapshot(xid, $3::pg_snapshot) as concerned from entries
  ) as visible
  where concerned or number = scanned
  order by number`;

interface ChunkRow extends Change {
  readonly scanned: number;
  readonly concerned: boolean;
}

/** The new entries, each once, in chunks: each is one statement of its own, and says how far it looked. */
export async function* scanChanges(
  pool: pg.Pool,
  options: ChangesOptions,
): AsyncGenerator<ScannedChanges, void, undefined> {
  const { reader, from, to, chunkSize } = options;
  let after: LogOffset = options.after ?? { xid: '0', seq: 0 };
  for (;;) {
    const { rows } = await pool.query<ChunkRow>({
      name: 'scan-changes',
      text: chunkSql,
      values: [reader, from, to, after.xid, after.seq, chunkSize],
    });
    const last = rows.at(-1);
    if (last === undefined) return;
    after = { xid: last.xid, seq: last.seq };
    const changes = rows.flatMap(({ xid, seq, kind, id, what, model, concerned }) =>
      concerned ? [{ xid, seq, kind, id, what, model }] : [],
    );
    yield { changes, place: after };
    if (last.scanned < chunkSize) return;
  }
}

/** The new entries that concern a kind, each once, in chunks that hold at least one. */
export async function* readChanges(
  pool: pg.Pool,
  options: ChangesOptions,
): AsyncGenerator<readonly Change[], void, undefined> {
  for await (const { changes } of scanChanges(pool, options)) if (changes.length > 0) yield changes;
}
