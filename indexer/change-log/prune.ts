import type pg from 'pg';
import { sleep } from '../../src/lib/sleep.ts';
import { inTransaction } from '../../src/postgres/pool.ts';
import { readValue } from '../../src/postgres/statements.ts';
import { changeLogSlots } from '../../src/schema/tables.ts';
import { codeOf } from '../errors.ts';

// The log consists of partitions called slots: writers fill one, and whole slots are emptied. Truncating drops a file,
// so it takes no time, whatever its size, and leaves nothing to vacuum. A slot is emptied only under a lock that
// excludes every transaction that has written to it and not ended. The choice of the slot to fill affects only economy.

/** Excludes pruning (exclusive) while a first position is taken (shared). */
export const pruneLock = `hashtext('entity-search prune')`;

/** The generations whose reader may need entries, as a condition on search_generations. */
export const followedSql = `ended_at is null and position is not null and state not in ('failed', 'aborted')`;

/** A slot as last read; it may have more entries by now. */
export interface LogSlot {
  readonly slot: number;
  readonly isCurrent: boolean;
  /** 0 if it is empty; above 0 if transactions that were rolled back wrote there. */
  readonly bytes: number;
  /** True if some reader may have to apply an entry of it. */
  readonly isNeeded: boolean;
  /** The time of its first entry in milliseconds; 0 if it is empty. */
  readonly ageMs: number;
}

// Entries that every settled position sees are unused: a reader that goes back begins there.
const slotsSql = `
  with held as (
    select kind, coalesce(settled_position, position) as seen from search_generations where ${followedSql}
    union all
    select 'sources', position from search_resolver
  )
  select slots.slot, slots.slot = (select last_value from search_changes_slot) as "isCurrent",
         pg_relation_size(to_regclass('public.search_changes_' || slots.slot)) as bytes,
         exists (
           select from held cross join lateral search_unseen(held.kind, held.seen) as entry where entry.slot = slots.slot
         ) as "isNeeded",
         coalesce(greatest(0, extract(epoch from clock_timestamp() - first.at) * 1000), 0)::float8 as "ageMs"
  from unnest($1::smallint[]) as slots (slot)
  left join lateral (select at from search_changes where slot = slots.slot limit 1) as first on true
  order by slots.slot`;

async function readSlots(
  client: pg.ClientBase | pg.Pool,
  slots: readonly number[] = changeLogSlots,
): Promise<LogSlot[]> {
  const { rows } = await client.query<LogSlot>(slotsSql, [slots]);
  return rows;
}

/** The longest time that a slot is filled; five slots hold more than twice the longest life of a request. */
const filledForMs = 8 * 60_000;

/** Returns the slot to fill from now on, or undefined to keep the present one. Pure. */
export function nextSlot(slots: readonly LogSlot[]): number | undefined {
  const current = slots.find(({ isCurrent }) => isCurrent);
  if (current === undefined || current.bytes === 0) return undefined;
  const isDue = !current.isNeeded || current.ageMs > filledForMs;
  return isDue ? slots.find(({ isCurrent, bytes }) => !isCurrent && bytes === 0)?.slot : undefined;
}

/** Removes entries that no reader can need, slot by slot. Returns their number; for millions, an estimate. */
export async function pruneChanges(pool: pg.Pool, signal: AbortSignal): Promise<number> {
  const slots = await readSlots(pool);
  const emptied = slots.filter(({ isCurrent }) => !isCurrent);
  // The slot that was current until now comes last: before it, no other slot may be free.
  const removed = await emptySlots(pool, emptied, signal);
  const left = await turn(pool);
  return removed + (await emptySlots(pool, left, signal));
}

/** Switches writers to another slot, if that is due. Returns the slot that they have left. */
function turn(pool: pg.Pool): Promise<readonly LogSlot[]> {
  return inTransaction(pool, async (client) => {
    await client.query(`select pg_advisory_xact_lock(${pruneLock})`);
    const slots = await readSlots(client);
    const next = nextSlot(slots);
    if (next === undefined) return [];
    await client.query(`select setval('search_changes_slot', $1)`, [next]);
    return slots.filter(({ isCurrent }) => isCurrent);
  });
}

async function emptySlots(pool: pg.Pool, slots: readonly LogSlot[], signal: AbortSignal): Promise<number> {
  let removed = 0;
  for (const { slot, bytes, isNeeded } of slots) {
    if (bytes > 0 && !isNeeded) removed += await emptySlot(pool, slot, signal);
  }
  return removed;
}

/** Readers hold a slot for milliseconds, writers until their transaction ends. */
const attempts = 10;
const pauseMs = 25;

/**
 * Returns the number of removed entries. It is 0 if a reader needs one of them or the slot is in use; the next pruning
 * tries again.
 */
async function emptySlot(pool: pg.Pool, slot: number, signal: AbortSignal): Promise<number> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    signal.throwIfAborted();
    const removed = await emptyIfFree(pool, slot);
    if (removed !== 'busy') return removed;
    await sleep(pauseMs, signal);
  }
  return 0;
}

const lockNotAvailable = '55P03';

/** Does not wait for the lock: later requests would queue behind a waiting one. */
function emptyIfFree(pool: pg.Pool, slot: number): Promise<number | 'busy'> {
  const partition = `public.search_changes_${slot}`;
  return inTransaction(pool, async (client, undo) => {
    await client.query(`select pg_advisory_xact_lock(${pruneLock})`);
    try {
      // nosemgrep: no-values-in-sql
      await client.query(`lock table ${partition} in access exclusive mode nowait`);
    } catch (error) {
      if (codeOf(error) !== lockNotAvailable) throw error;
      undo();
      return 'busy';
    }
    // A separate statement, so that its snapshot sees the writes of earlier holders of that lock, and all positions
    // taken before we held the other one.
    const [found] = await readSlots(client, [slot]);
    if (found === undefined || found.isNeeded) return 0;
    const entries = await countEntries(client, found);
    // nosemgrep: no-values-in-sql
    await client.query(`truncate ${partition}`);
    return entries;
  });
}

/** Larger slots are not counted while others wait: the statistics are accurate enough. */
const countedToBytes = 16 * 1_048_576;

function countEntries(client: pg.ClientBase, { slot, bytes }: LogSlot): Promise<number> {
  const text =
    bytes <= countedToBytes
      ? 'select count(*) from search_changes where slot = $1'
      : `select pg_stat_get_live_tuples(to_regclass('public.search_changes_' || $1::smallint))`;
  return readValue(client, text, [slot]);
}
