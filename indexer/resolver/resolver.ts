import type pg from 'pg';
import { type KindName, kindNames } from '../../src/kinds/kind.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { identitySql } from '../../src/postgres/identity.ts';
import { inTransaction } from '../../src/postgres/pool.ts';
import { listShownTables } from '../../src/schema/sources/shown-tables.ts';
import { type LogOffset, noteFields, scanChanges } from '../change-log/changes.ts';
import { haltBehindMarker } from '../change-log/halts.ts';
import type { FollowedGeneration } from '../change-log/positions.ts';
import { appendGaps, appendRemovals } from '../change-log/removals.ts';
import { compareKind } from './compare-kind.ts';
import { findAffected, type Note } from './notes.ts';
import {
  appendAll,
  busyPauseMs,
  lockResolver,
  markRemovals,
  type ResolverDeps,
  type ResolverState,
  storeStates,
} from './resolving.ts';
import { readStatesByKey } from './source-entities.ts';

// Resolves notes. Triggers only note which rows of a table changed. In a snapshot after the writer's commit, the
// resolver finds the entities concerned, whether they still exist, and whether other entities show them differently.
// One transaction resolves some notes: it stores the entities' new states, appends entries for the readers and
// removals, and moves the position. It locks the resolver's row, so there is one resolver at a time, in any process
// that reads the change log. If the process stops, the transaction is rolled back.

/** Number of notes per transaction, with up to 500 rows each. */
const notesAtOnce = 20;
/**
 * Resolves every note that was committed before the call. Throws the error of an engine; may be called again after that.
 */
export async function resolveNotes(deps: ResolverDeps, signal?: AbortSignal): Promise<void> {
  let due = await isDue(deps.pool);
  while (due) due = await resolveNext(deps, signal);
}

/** Also true once a minute without notes, so that later lookups skip ended transactions. */
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

type Step =
  | { readonly next: 'end' | 'more' | 'busy' }
  /** These kinds must be compared as a whole before the notes up to `to` are resolved. */
  | { readonly next: 'compare'; readonly kinds: readonly KindName[]; readonly from: string; readonly to: string }
  | { readonly next: 'halt'; readonly generation: FollowedGeneration };

/** Resolves some notes. Returns true if there may be others left. */
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
    if (step.next === 'busy') await sleep(busyPauseMs, signal);
    if (step.next !== 'compare') return step.next !== 'end';
    // Another process was faster, and it is unknown which kinds it compared.
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
  if (state === undefined) return { next: 'busy' };
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
  for (const [kind, keys] of affected.keys) {
    const states = await readStatesByKey(client, kind, keys);
    removed.set(kind, [...(removed.get(kind) ?? []), ...(await storeStates(client, kind, states, 'all'))]);
  }
  await appendAll(client, [...affected.everything, ...affected.reread]);
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
 * Resolves all notes, then compares all entities that views show with their stored states. This finds changes that no
 * trigger noted: rows of logical replication or attached partitions, or written while triggers were disabled. New
 * entities get ids. Returns the number of differences. With `apply`, stores the new states and appends the resulting
 * entries.
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
