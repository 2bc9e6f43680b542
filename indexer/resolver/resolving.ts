import type pg from 'pg';
import type { KindName } from '../../src/kinds/kind.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { identitySql } from '../../src/postgres/identity.ts';
import { inTransaction } from '../../src/postgres/pool.ts';
import type { LogOffset } from '../change-log/changes.ts';
import type { FollowedGeneration, Progress } from '../change-log/positions.ts';
import { followedSql } from '../change-log/prune.ts';
import { appendRemovals } from '../change-log/removals.ts';
import { advanceMarker, isBehindMarker } from '../change-log/write-marker.ts';
import type { IndexContext } from '../generations/alias-state.ts';
import { applyStates, compareStates, type EntityStates } from './source-entities.ts';

// Parts of the resolver's transactions.

export type ResolverDeps = Pick<IndexContext, 'pool' | 'cluster'>;

export interface ResolverState {
  readonly position: string;
  readonly progress: Progress | null;
  readonly present: string;
  /** False if the position is another database's, or lies in the future. */
  readonly isOurs: boolean;
}

/** The pause while another transaction resolves. Waiting for its lock would occupy a connection that it may need. */
export const busyPauseMs = 20;

/** Locks the resolver's row until the end of the transaction; undefined if another transaction has locked it. */
export async function lockResolver(client: pg.ClientBase): Promise<ResolverState | undefined> {
  // A process that stops, or waits too long for Elasticsearch, must not keep others from resolving.
  await client.query(`set local idle_in_transaction_session_timeout = '15s'`);
  const { rowCount } = await client.query('select from search_resolver for update skip locked');
  if (rowCount === 0) return undefined;
  // A separate statement, whose snapshot sees the commits of the lock's last holder.
  const { rows } = await client.query<Omit<ResolverState, 'progress'> & { to: string | null } & LogOffset>(
    `select position::text as position, progress_to::text as to, progress_xid::text as xid, progress_seq as seq,
            pg_current_snapshot()::text as present,
            coalesce(identity = ${identitySql}, true)
              and pg_snapshot_xmax(position) <= pg_snapshot_xmax(pg_current_snapshot()) as "isOurs"
     from search_resolver`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('The table search_resolver is empty. Run: entity-search migrate');
  const { to, xid, seq, ...state } = row;
  return { ...state, progress: to === null ? null : { to, place: { xid, seq } } };
}

/**
 * Increments the markers of the live indices before removals are appended. If this database goes back to an earlier
 * state, the markers show it before other removals get the same numbers. Returns a generation whose marker shows that
 * it has already gone back.
 */
export async function markRemovals(
  deps: ResolverDeps,
  client: pg.ClientBase,
  kinds: readonly KindName[],
): Promise<FollowedGeneration | undefined> {
  if (kinds.length === 0) return undefined;
  const { rows } = await client.query<FollowedGeneration>(
    `select id, kind, index_name as "indexName" from search_generations
     where kind = any($1) and state = 'live' and halted is null and ${followedSql}`,
    [kinds],
  );
  for (const generation of rows) {
    // Checked first, because another state of this database may have counted the same number.
    if ((await isBehindMarker(deps, generation)) || (await advanceMarker(deps, generation))) return generation;
  }
  return undefined;
}

/**
 * Appends removals of entities whose documents were deleted without a note, because a restore lost the state of the
 * database that had them. Consumers' copies may have them. Entities that exist are left out when removals are read.
 */
export async function appendLostRemovals(pool: pg.Pool, kind: KindName, ids: readonly number[]): Promise<void> {
  for (let isDone = ids.length === 0; !isDone; ) {
    isDone = await inTransaction(pool, async (client) => {
      if ((await lockResolver(client)) === undefined) return false;
      await appendRemovals(client, kind, ids);
      return true;
    });
    if (!isDone) await sleep(busyPauseMs);
  }
}

/** Kinds with a generation whose reader may need entries. */
const followedKinds = `(select kind from search_generations where ${followedSql})`;

/**
 * Stores the present states of entities, and appends the resulting entries for readers. Returns the ids that the view no
 * longer shows.
 * @param rows the entities whose documents are read again
 */
export async function storeStates(
  client: pg.ClientBase,
  kind: KindName,
  states: EntityStates,
  rows: 'all' | 'different',
): Promise<readonly number[]> {
  const { present, different, removed } = compareStates(states);
  await applyStates(client, kind, different);
  const changed = different.map(({ id }) => id);
  await client.query(
    `insert into search_changes (kind, id, what, entity)
     select $1, id, 'row', null from unnest($2::bigint[]) as id where $1 in ${followedKinds}
     union all
     select reader, id, 'references', $1 from unnest(search_readers($1)) as reader, unnest($3::bigint[]) as id
     where reader in ${followedKinds}`,
    [kind, rows === 'all' ? present : changed, changed],
  );
  return removed;
}

/** Has the readers of these kinds read every document again. */
export async function appendAll(client: pg.ClientBase, kinds: readonly KindName[]): Promise<void> {
  await client.query(
    `insert into search_changes (kind, what) select kind, 'all' from unnest($1::text[]) as kind where kind in ${followedKinds}`,
    [kinds],
  );
}
