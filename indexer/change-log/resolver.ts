import type pg from 'pg';
import Cursor from 'pg-cursor';
import type { Cluster } from '../../src/elasticsearch/admin.ts';
import { type KindName, kindNames } from '../../src/kinds/kind.ts';
import { identitySql } from '../../src/postgres/identity.ts';
import { inTransaction } from '../../src/postgres/pool.ts';
import { listShownTables } from '../../src/schema/sources/shown-tables.ts';
import { isRowError } from '../read/row-errors.ts';
import { type LogOffset, noteFields, scanChanges } from './changes.ts';
import { haltBehindMarker } from './halts.ts';
import { findAffected, type Note } from './notes.ts';
import type { FollowedGeneration, Progress } from './positions.ts';
import { followedSql } from './prune.ts';
import { appendGaps, appendRemovals } from './removals.ts';
import {
  applyStates,
  assignIds,
  compareStates,
  type EntityKey,
  type EntityStates,
  readStates,
  readStatesByKey,
} from './source-entities.ts';
import { advanceMarker } from './write-marker.ts';

// Resolves notes. Triggers only note which rows of a table changed; which entities these concern, whether an
// entity is still there and whether others show it differently is found here, in snapshots after the writer's commit.
// One transaction resolves some notes: it stores the entities' new state, appends entries for the readers of the
// generations and the removals, and moves the position. It holds the resolver's row meanwhile, so there is one resolver
// at a time, in whichever process reads the change log. A process that is stopped then loses its transaction.

export interface ResolverDeps {
  readonly pool: pg.Pool;
  readonly cluster: Cluster;
}

/** Entries of up to 500 rows each. */
const notesAtOnce = 20;
/** Ids of a kind that is compared as a whole, in one transaction. */
const idsAtOnce = 5_000;

/**
 * Resolves every note that was committed before the call. Throws the error of an engine; may be called again after that.
 */
export async function resolveNotes(deps: ResolverDeps, signal?: AbortSignal): Promise<void> {
  let due = await isDue(deps.pool);
  while (due) due = await resolveNext(deps, signal);
}

/** Returns true if there are notes that are not resolved: they may be about what a comparison finds. */
async function hasNotes(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(
    `select exists (select from search_resolver, search_first_unseen('sources', position)) as there`,
  );
  return rows[0]?.there === true;
}

/** Also true once a minute without notes, so that ended transactions are not looked for again and again. */
async function isDue(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ due: boolean }>({
    name: 'notes-due',
    text: `select progress_to is not null or identity is distinct from ${identitySql}
                  or position_at < now() - interval '1 minute'
                  or pg_snapshot_xmax(position) > pg_snapshot_xmax(pg_current_snapshot())
                  or exists (select from search_first_unseen('sources', position)) as due
           from search_resolver`,
  });
  return rows[0]?.due === true;
}

interface ResolverState {
  readonly position: string;
  readonly progress: Progress | null;
  readonly present: string;
  /** False if the position is another database's, or lies in the future. */
  readonly isOurs: boolean;
}

/** Locks the resolver's row until the end of the transaction. */
async function lockResolver(client: pg.ClientBase): Promise<ResolverState> {
  // A process that is stopped, or waits for Elasticsearch for too long, must not keep others from resolving.
  await client.query(`set local idle_in_transaction_session_timeout = '15s'`);
  await client.query('select from search_resolver for update');
  // A statement of its own: its snapshot sees what the last holder of the lock committed.
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

type Step =
  | { readonly next: 'end' | 'more' }
  /** These kinds must be compared as a whole before the notes up to `to` are resolved. */
  | { readonly next: 'compare'; readonly kinds: readonly KindName[]; readonly from: string; readonly to: string }
  | { readonly next: 'halt'; readonly generation: FollowedGeneration };

/** Resolves some notes. Returns true if there may be more. */
async function resolveNext(deps: ResolverDeps, signal?: AbortSignal): Promise<boolean> {
  const compared = new Set<KindName>();
  let span: { readonly from: string; readonly to: string } | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const step: Step = await inTransaction(deps.pool, (client, undo) =>
      resolveSome(deps, client, undo, span, compared),
    );
    if (step.next === 'halt') {
      await haltBehindMarker(deps.pool, step.generation.id);
      return true;
    }
    if (step.next !== 'compare') return step.next === 'more';
    // Another process was faster: what it compared is unknown.
    if (step.from !== span?.from) compared.clear();
    span = step;
    for (const kind of step.kinds) {
      await compareKind(deps, kind, true, signal);
      compared.add(kind);
    }
  }
}

async function resolveSome(
  deps: ResolverDeps,
  client: pg.PoolClient,
  undo: () => void,
  span: { readonly from: string; readonly to: string } | undefined,
  compared: ReadonlySet<KindName>,
): Promise<Step> {
  const state = await lockResolver(client);
  if (!state.isOurs) {
    await client.query(`select search_begin_epoch(${identitySql})`);
    return { next: 'more' };
  }
  const from = JSON.stringify([state.position, state.progress]);
  const isContinued = span?.from === from;
  const to = state.progress?.to ?? (isContinued ? span.to : state.present);
  const { notes, place } = await nextNotes(client, state, to);
  const affected = await findAffected(client, notes);
  const kinds = [...affected.everything].filter((kind) => !(isContinued && compared.has(kind)));
  if (kinds.length > 0) {
    undo();
    return { next: 'compare', kinds, from, to };
  }
  const removed = new Map<KindName, readonly number[]>(affected.gone);
  const appender = await Appender.open(client);
  for (const [kind, keys] of affected.keys) {
    const states = await readStatesByKey(client, kind, keys);
    removed.set(kind, [...(removed.get(kind) ?? []), ...(await appender.append(kind, states, 'all'))]);
  }
  for (const kind of [...affected.everything, ...affected.reread]) await appender.appendAll(kind);
  const removes = kindNames.filter((kind) => affected.gaps.has(kind) || (removed.get(kind)?.length ?? 0) > 0);
  const behind = await markRemovals(deps, client, removes);
  if (behind !== undefined) {
    undo();
    return { next: 'halt', generation: behind };
  }
  for (const [kind, ids] of removed) await appendRemovals(client, kind, ids);
  await appendGaps(client, [...affected.gaps]);
  return { next: await advance(client, to, place) };
}

async function nextNotes(
  client: pg.ClientBase,
  { position, progress }: ResolverState,
  to: string,
): Promise<{ readonly notes: readonly Note[]; readonly place: LogOffset | null }> {
  const options = { reader: 'sources', from: position, to, after: progress?.place, chunkSize: notesAtOnce } as const;
  for await (const { changes, place, isLast } of scanChanges<Note>(client, options, noteFields)) {
    return { notes: changes, place: isLast ? null : place };
  }
  return { notes: [], place: null };
}

/** Moves the position to the end, or to a place on the way. */
async function advance(client: pg.ClientBase, to: string, place: LogOffset | null): Promise<'end' | 'more'> {
  await client.query(
    `update search_resolver
     set position = case when $2::xid8 is null then $1::pg_snapshot else position end, position_at = now(),
         progress_to = case when $2::xid8 is not null then $1::pg_snapshot end, progress_xid = $2, progress_seq = $3,
         identity = ${identitySql}`,
    [to, place?.xid ?? null, place?.seq ?? null],
  );
  return place === null ? 'end' : 'more';
}

/**
 * Counts the markers of the live indices before removals are appended: should this database go back to an earlier state,
 * it will be noticed before other removals get the same numbers. Returns a generation for which it has.
 */
async function markRemovals(
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
  for (const generation of rows) if (await advanceMarker(deps, generation)) return generation;
  return undefined;
}

/** Appends entries for the readers of generations, of kinds that have any. */
class Appender {
  readonly #client: pg.ClientBase;
  readonly #followed: ReadonlySet<KindName>;

  private constructor(client: pg.ClientBase, followed: ReadonlySet<KindName>) {
    this.#client = client;
    this.#followed = followed;
  }

  static async open(client: pg.ClientBase): Promise<Appender> {
    const { rows } = await client.query<{ kind: KindName }>(
      `select distinct kind from search_generations where ${followedSql}`,
    );
    return new Appender(client, new Set(rows.map(({ kind }) => kind)));
  }

  /** Stores states, and appends what follows from them. Returns the ids that the view no longer shows. */
  async append(kind: KindName, states: EntityStates, rows: 'all' | 'different'): Promise<readonly number[]> {
    const found = compareStates(states);
    await applyStates(this.#client, kind, found.different);
    const ids = rows === 'all' ? found.present : found.different.map(({ id }) => id);
    if (this.#followed.has(kind)) await this.#insert(kind, ids);
    await this.#client.query(
      `insert into search_changes (kind, id, what, entity)
       select reader, id, 'references', $1 from unnest(search_readers($1)) as reader, unnest($2::bigint[]) as id
       where reader = any($3)`,
      [kind, found.different.map(({ id }) => id), [...this.#followed]],
    );
    return found.removed;
  }

  async appendAll(kind: KindName): Promise<void> {
    if (!this.#followed.has(kind)) return;
    await this.#client.query(`insert into search_changes (kind, what) values ($1, 'all')`, [kind]);
  }

  async #insert(kind: KindName, ids: readonly number[]): Promise<void> {
    await this.#client.query(
      `insert into search_changes (kind, id, what) select $1, id, 'row' from unnest($2::bigint[]) as id`,
      [kind, ids],
    );
  }
}

/**
 * Compares all entities that views show with what is stored of them, after all notes. It finds changes that no
 * trigger saw: rows of logical replication, of attached partitions, or written while triggers were disabled. Entities
 * that are new get ids. Returns the number of differences. `apply`: stores them, and appends what follows.
 */
export async function compareShown(deps: ResolverDeps, apply: boolean, signal?: AbortSignal): Promise<number> {
  await resolveNotes(deps, signal);
  const shown = await listShownTables(deps.pool);
  let different = 0;
  for (const kind of kindNames.filter((name) => shown.includes(name))) {
    different += await compareKind(deps, kind, apply, signal);
  }
  return different;
}

/** Does it for one kind. */
async function compareKind(deps: ResolverDeps, kind: KindName, apply: boolean, signal?: AbortSignal): Promise<number> {
  await assignAll(deps.pool, kind);
  let different = 0;
  for (let after: number | undefined = 0; after !== undefined; ) {
    signal?.throwIfAborted();
    const page: ComparedPage = await inTransaction(deps.pool, (client, undo) =>
      comparePage(deps, client, undo, { kind, after: after ?? 0, apply }),
    );
    if (page.behind !== undefined) await haltBehindMarker(deps.pool, page.behind.id);
    else after = page.next;
    different += page.different;
  }
  return different;
}

/** Gives ids to all keys of a view; if it can't be read as a whole, to those of its table, some at a time. */
async function assignAll(pool: pg.Pool, kind: KindName): Promise<void> {
  try {
    await pool.query('select entity_search_assign($1)', [kind]);
    return;
  } catch (error) {
    if (!isRowError(error)) throw error;
  }
  await inTransaction(pool, async (client) => {
    const cursor = client.query(
      new Cursor<{ key: EntityKey }>('select key from entity_search_keys($1) as key', [kind]),
    );
    for (;;) {
      const rows = await cursor.read(idsAtOnce);
      if (rows.length === 0) return;
      await assignIds(
        client,
        kind,
        rows.map(({ key }) => key),
      );
    }
  });
}

interface ComparedPage {
  readonly different: number;
  readonly next: number | undefined;
  readonly behind?: FollowedGeneration | undefined;
}

async function comparePage(
  deps: ResolverDeps,
  client: pg.PoolClient,
  undo: () => void,
  { kind, after, apply }: { readonly kind: KindName; readonly after: number; readonly apply: boolean },
): Promise<ComparedPage> {
  await lockResolver(client);
  const { rows } = await client.query<{ id: number; before: string | null }>(
    `select id, shown::text as before from source_entities where kind = $1 and id > $2 order by id limit $3`,
    [kind, after, idsAtOnce],
  );
  const states = await readStates(client, kind, rows);
  const next = rows.length < idsAtOnce ? undefined : rows.at(-1)?.id;
  // A note that is not resolved yet may be about what differs.
  const different = (await hasNotes(client)) ? 0 : compareStates(states).different.length;
  if (!apply) return { different, next };
  const removed = await (await Appender.open(client)).append(kind, states, 'different');
  const behind = await markRemovals(deps, client, removed.length > 0 ? [kind] : []);
  if (behind !== undefined) {
    undo();
    return { different: 0, next: after, behind };
  }
  await appendRemovals(client, kind, removed);
  return { different, next };
}
