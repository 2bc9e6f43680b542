import type pg from 'pg';
import type { KindName } from '../../src/kinds/kind.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { inTransaction } from '../../src/postgres/pool.ts';
import { readValue } from '../../src/postgres/statements.ts';
import { haltBehindMarker } from '../change-log/halts.ts';
import type { FollowedGeneration } from '../change-log/positions.ts';
import { appendRemovals } from '../change-log/removals.ts';
import { isRowError } from '../read/row-errors.ts';
import { busyPauseMs, lockResolver, markRemovals, type ResolverDeps, storeStates } from './resolving.ts';
import { compareStates, readStates } from './source-entities.ts';

/** Number of ids per transaction when a whole kind is compared. */
const idsAtOnce = 5_000;

/**
 * Compares all entities that a kind's view shows with their stored states. New entities get ids. Returns the number of
 * differences that no note is about. With `apply`, stores the new states and appends the resulting entries.
 */
export async function compareKind(
  deps: ResolverDeps,
  kind: KindName,
  apply: boolean,
  signal?: AbortSignal,
): Promise<number> {
  await assignAll(deps.pool, kind);
  let different = 0;
  for (let after: number | undefined = 0; after !== undefined; ) {
    signal?.throwIfAborted();
    const page: ComparedPage = await inTransaction(deps.pool, (client, undo) =>
      comparePage(deps, client, undo, { kind, after: after ?? 0, apply }),
    );
    if (page.isBusy === true) await sleep(busyPauseMs, signal);
    if (page.behind !== undefined) await haltBehindMarker(deps.pool, page.behind.id);
    else after = page.next;
    different += page.different;
  }
  return different;
}

/** Gives ids to all keys of a view; if it can't be read as a whole, to those of its table. */
async function assignAll(pool: pg.Pool, kind: KindName): Promise<void> {
  try {
    await pool.query('select entity_search_assign($1)', [kind]);
  } catch (error) {
    if (!isRowError(error)) throw error;
    await pool.query(
      'select entity_search_assign($1, (select jsonb_agg(to_jsonb(key)) from entity_search_keys($1) as key), true)',
      [kind],
    );
  }
}

interface ComparedPage {
  readonly different: number;
  readonly next: number | undefined;
  readonly behind?: FollowedGeneration | undefined;
  /** Nothing was compared, so this page must be repeated. */
  readonly isBusy?: boolean;
}

async function comparePage(
  deps: ResolverDeps,
  client: pg.PoolClient,
  undo: () => void,
  { kind, after, apply }: { readonly kind: KindName; readonly after: number; readonly apply: boolean },
): Promise<ComparedPage> {
  if ((await lockResolver(client)) === undefined) return { different: 0, next: after, isBusy: true };
  const { rows } = await client.query<{ id: number; before: string | null }>(
    `select id, shown::text as before from source_entities where kind = $1 and id > $2 order by id limit $3`,
    [kind, after, idsAtOnce],
  );
  const states = await readStates(client, kind, rows);
  const next = rows.length < idsAtOnce ? undefined : rows.at(-1)?.id;
  // An unresolved note may be about a difference.
  const different = (await hasNotes(client)) ? 0 : compareStates(states).different.length;
  if (!apply) return { different, next };
  const removed = await storeStates(client, kind, states, 'different');
  const behind = await markRemovals(deps, client, removed.length > 0 ? [kind] : []);
  if (behind !== undefined) {
    undo();
    return { different: 0, next: after, behind };
  }
  await appendRemovals(client, kind, removed);
  return { different, next };
}

/** Returns true if there are unresolved notes, which may explain the differences of a comparison. */
function hasNotes(client: pg.ClientBase): Promise<boolean> {
  return readValue(client, `select exists (select from search_resolver, search_first_unseen('sources', position))`);
}
