import { z } from 'zod';
import { isoTimestamp } from '../lib/iso-timestamp.ts';
import type { RemovalPage, RemovalPlace } from '../records/ports.ts';

// The resolver numbers removals in the order of commits, so no removal can appear before a number that was read. One
// statement reads everything, and so one snapshot.

export const removalRows = z.tuple([
  z.object({
    epoch: z.string(),
    last: z.int(),
    gap: z.boolean(),
    rows: z.array(z.object({ id: z.int(), number: z.int(), removedAt: z.iso.datetime(), present: z.boolean() })),
  }),
]);

/** Parameters: the kind, the position's number (null: now), and the maximum number of rows. */
export const removalsSql = `
    select epoch::text as epoch, number as last,
      exists (select from entity_removals where kind = $1 and number > $2::bigint and id is null) as gap,
      coalesce((
        select json_agg(json_build_object('id', r.id, 'number', r.number,
            'removedAt', ${isoTimestamp('r.removed_at')}, 'present', r.present) order by r.number)
        from (
          select id, number, removed_at, exists (select from entity_ids where kind = $1 and id = removed.id) as present
          from entity_removals as removed where kind = $1 and number > $2::bigint and id is not null order by number limit $3
        ) as r
      ), '[]') as rows
    from search_resolver`;

/** Returns null if there is a gap, or the position is of another epoch or was lost in a restore. */
export function toRemovalPage(
  [{ epoch, last, gap, rows }]: z.output<typeof removalRows>,
  after: RemovalPlace | null,
  limit: number,
): RemovalPage | null {
  if (after !== null && (gap || after.epoch !== epoch || after.number > last)) return null;
  const looked = rows.slice(0, limit);
  const end = rows.length > limit ? looked.at(-1) : undefined;
  return {
    removals: looked.filter(({ present }) => !present).map(({ id, removedAt }) => ({ id, removedAt })),
    next: { epoch, number: end?.number ?? last },
    hasMore: end !== undefined,
  };
}
