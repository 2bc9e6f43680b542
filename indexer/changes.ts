import type pg from 'pg';
import type { KindName } from '../src/kinds/kind.ts';

// Reading the change log. A position is a snapshot; what is new between two of them is decided by transactions, not by
// the order of `seq`, which is not the order of commits.

/** One entry; `id` is null where the whole kind is meant. */
export interface Change {
  readonly xid: string;
  readonly seq: number;
  readonly kind: KindName;
  readonly id: number | null;
  readonly what: 'row' | 'references' | 'truncate' | 'all';
}

export interface ChangesOptions {
  readonly reader: KindName;
  /** Two `pg_snapshot`s as text: what the first did not see and the second does. */
  readonly from: string;
  readonly to: string;
  readonly chunkSize: number;
}

// Transactions that were under way at `from` first, then those that began later: both in the index's own order, so
// that a chunk costs what it holds, and an old transaction that stays open costs nothing.
const chunkSql = `
  select xid::text as xid, seq, kind, id, what from (
    (select xid, seq, kind, id, what from search_changes
     where xid = any(array(select pg_snapshot_xip($2::pg_snapshot)))
       and (xid, seq) > ($4::xid8, $5::bigint)
       and pg_visible_in_snapshot(xid, $3::pg_snapshot) and search_concerns($1, kind, what)
     order by xid, seq limit $6)
    union all
    (select xid, seq, kind, id, what from search_changes
     where (xid, seq) > (greatest($4::xid8, pg_snapshot_xmax($2::pg_snapshot)),
                         case when $4::xid8 >= pg_snapshot_xmax($2::pg_snapshot) then $5::bigint else 0 end)
       and xid < pg_snapshot_xmax($3::pg_snapshot)
       and pg_visible_in_snapshot(xid, $3::pg_snapshot) and search_concerns($1, kind, what)
     order by xid, seq limit $6)
  ) as entries
  order by entries.xid, entries.seq limit $6`;

/** The new entries that concern a kind, each once, in chunks. Each chunk is one statement of its own. */
export async function* readChanges(
  pool: pg.Pool,
  options: ChangesOptions,
): AsyncGenerator<readonly Change[], void, undefined> {
  let after = { xid: '0', seq: 0 };
  for (;;) {
    const { rows } = await pool.query<Change>({
      name: 'read-changes',
      text: chunkSql,
      values: [options.reader, options.from, options.to, after.xid, after.seq, options.chunkSize],
    });
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < options.chunkSize) return;
    after = last;
  }
}
