import type pg from 'pg';
import type { ChangeLogLimits } from '../../src/config/indexer.ts';
import { hourMs } from '../../src/lib/durations.ts';
import { readValue } from '../../src/postgres/statements.ts';
import { haltGenerations } from './halts.ts';
import type { FollowedGeneration } from './positions.ts';
import { followedSql } from './prune.ts';

// An index that is not followed, because it is halted or paused or its engine is down, keeps every later entry. The log
// is limited in size, because it is part of the database: beyond the limit such an index loses its position, and is
// compared with the tables when it can be followed again.

export interface ChangeLogSize {
  /** From Postgres' statistics; too low for a while after a crash of Postgres. */
  readonly entries: number;
  /** Age of the first entry that a reader may need; 0 if there is none. */
  readonly oldestMs: number;
  /** The larger share of the two limits: above 1 the log is too long. */
  readonly fullness: number;
}

/** The generations that may need entries, and the first such entry of each. */
const neededSql = `
  followed as (
    select *, coalesce(settled_position, position) as seen from search_generations where ${followedSql}
  ), needed as (
    select entry.* from followed cross join lateral search_first_unseen(followed.kind, followed.seen) as entry
  )`;

export async function readChangeLogSize(pool: pg.Pool, bounds: ChangeLogLimits): Promise<ChangeLogSize> {
  const { rows } = await pool.query<{ entries: number; oldestMs: number }>(
    `with ${neededSql}
     select (select coalesce(sum(pg_stat_get_live_tuples(inhrelid)), 0)::bigint
             from pg_inherits where inhparent = 'public.search_changes'::regclass) as entries,
            coalesce((select greatest(0, extract(epoch from clock_timestamp() - min(at)) * 1000)
                      from needed), 0)::float8 as "oldestMs"`,
  );
  const { entries, oldestMs } = rows[0] ?? { entries: 0, oldestMs: 0 };
  return { entries, oldestMs, fullness: Math.max(entries / bounds.maxEntries, oldestMs / bounds.maxAgeMs) };
}

/** Describes the size in a sentence, with its share of the limit. */
export function describeChangeLogSize({ entries, oldestMs, fullness }: ChangeLogSize): string {
  const hours = (oldestMs / hourMs).toFixed(1);
  return `The change log has about ${entries} entries, the oldest ${hours} hours old: ${Math.round(fullness * 100)} % of the limit.`;
}

/** Returns true if the log is certainly too long: entries are counted before a generation loses its position. */
export async function isChangeLogTooLong(
  pool: pg.Pool,
  { entries, oldestMs }: ChangeLogSize,
  bounds: ChangeLogLimits,
): Promise<boolean> {
  if (oldestMs > bounds.maxAgeMs) return true;
  if (entries <= bounds.maxEntries) return false;
  const text = 'select count(*) from (select from search_changes limit $1::bigint + 1) as counted';
  return (await readValue<number>(pool, text, [bounds.maxEntries])) > bounds.maxEntries;
}

/**
 * A reader without progress for this long is not just slow: it moves every few seconds, unless it reads every document
 * of a kind again.
 */
export const stalledAfterMs = 30 * 60_000;

/**
 * Returns the generations that keep the log from being pruned, and are halted or have not moved for half an hour: those
 * that do not see the first entry that some reader needs. Generations under construction are left out: they are aborted
 * when their build is given up.
 */
export async function listStalledGenerations(
  pool: pg.Pool,
  afterMs: number = stalledAfterMs,
): Promise<readonly FollowedGeneration[]> {
  const { rows } = await pool.query<FollowedGeneration>(
    `with ${neededSql}
     select id, kind, index_name as "indexName" from followed
     where state in ('live', 'retired')
       and not pg_visible_in_snapshot((select xid from needed order by xid limit 1), seen)
       and (halted is not null
            or coalesce(position_at, created_at) < clock_timestamp() - $1 * interval '1 ms')
     order by id`,
    [afterMs],
  );
  return rows;
}

/** Removes generations' positions in the log: they are compared with the tables before they are followed again. */
export async function haltStalledGenerations(pool: pg.Pool, holding: readonly FollowedGeneration[]): Promise<void> {
  const reason =
    'the change log was longer than CHANGE_LOG_MAX_AGE and CHANGE_LOG_MAX_ENTRIES allow, and this index, which was not followed, kept it.';
  await haltGenerations(pool, { ids: holding.map(({ id }) => id), reason });
}
