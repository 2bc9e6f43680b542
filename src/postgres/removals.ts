import { z } from 'zod';
import type { KindName } from '../kinds/kind.ts';
import { isoTimestamp } from '../lib/iso-timestamp.ts';
import type { RemovalPage, RemovalPlace } from '../records/ports.ts';
import { identitySql } from './identity.ts';

// Only transactions that began before every one that is under way are shown: nothing can appear among them any more, so
// that a place in their order is never behind something that was not read. All in one statement, and so in one snapshot.

/** The columns of one row. */
export const removalRows = z.tuple([
  z.object({
    database: z.string(),
    before: z.string(),
    gap: z.boolean(),
    rows: z.array(
      z.object({ id: z.int(), xid: z.string(), seq: z.int(), removedAt: z.iso.datetime(), present: z.boolean() }),
    ),
  }),
]);

/** Parameters: the kind, then the place's transaction (null: now) and number, then how many rows at most. */
export function removalsSql(kind: KindName): string {
  const behindSql = `kind = $1 and (xid, seq) > ($2::xid8, $3::bigint) and xid < before`;
  return `
    select database, before::text as before,
      exists (select from entity_removals where ${behindSql} and id is null) as gap,
      coalesce((
        select json_agg(json_build_object('id', r.id, 'xid', r.xid::text, 'seq', r.seq,
            'removedAt', ${isoTimestamp('r.removed_at')}, 'present', r.present) order by r.xid, r.seq)
        from (
          select id, xid, seq, removed_at, exists (select from ${kind} where ${kind}.id = entity_removals.id) as present
          from entity_removals where ${behindSql} and id is not null order by xid, seq limit $4
        ) as r
      ), '[]') as rows
    from (select pg_snapshot_xmin(pg_current_snapshot()) as before, ${identitySql} as database) as now`;
}

/** Returns null if there is a gap, or if the place belongs to another database. Pure. */
export function toRemovalPage(
  [{ database, before, gap, rows }]: z.output<typeof removalRows>,
  after: RemovalPlace | null,
  limit: number,
): RemovalPage | null {
  if (after !== null && (gap || after.database !== database)) return null;
  const looked = rows.slice(0, limit);
  const last = rows.length > limit ? looked.at(-1) : undefined;
  // Numbers begin with one: this is before all of that transaction and behind all that ended earlier.
  const end = { xid: before, seq: 0 };
  return {
    removals: looked.filter(({ present }) => !present).map(({ id, removedAt }) => ({ id, removedAt })),
    next: { database, xid: (last ?? end).xid, seq: (last ?? end).seq },
    hasMore: last !== undefined,
  };
}
