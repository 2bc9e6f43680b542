import { z } from 'zod';
import type { KindName } from '../kinds/kind.ts';
import { isoTimestamp } from '../lib/iso-timestamp.ts';
import type { RemovalPage, RemovalPlace } from '../records/ports.ts';

// The resolver numbers removals in the order of commits, so nothing can appear before a number that was read. All in one
// statement, and so in one snapshot.

/** The columns of one row. */
export const removalRows = z.tuple([
  z.object({
    epoch: z.string(),
    last: z.int(),
    gap: z.boolean(),
    rows: z.array(z.object({ id: z.int(), number: z.int(), removedAt: z.iso.datetime(), present: z.boolean() })),
  }),
]);

/** Returns the condition that an entity is there again; where a team's view shows the kind, by what is stored of it. */
function presentSql(kind: KindName): string {
  return `case when to_regclass('public.entity_search_own_${kind}') is null
              then exists (select from ${kind} where ${kind}.id = entity_removals.id)
              else exists (select from source_entities as e
                           where e.kind = $1 and e.id = entity_removals.id and e.shown is not null) end`;
}

/** Parameters: the kind, then the place's number (null: now), then how many rows at most. */
export function removalsSql(kind: KindName): string {
  return `
    select epoch::text as epoch, number as last,
      exists (select from entity_removals where kind = $1 and number > $2::bigint and id is null) as gap,
      coalesce((
        select json_agg(json_build_object('id', r.id, 'number', r.number,
            'removedAt', ${isoTimestamp('r.removed_at')}, 'present', r.present) order by r.number)
        from (
          select id, number, removed_at, ${presentSql(kind)} as present
          from entity_removals where kind = $1 and number > $2::bigint and id is not null order by number limit $3
        ) as r
      ), '[]') as rows
    from search_resolver`;
}

/** Returns null if there is a gap, or if the place is of another epoch or was lost in a restore. Pure. */
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
