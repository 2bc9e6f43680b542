import type pg from 'pg';
import type { KindName } from '../../src/kinds/kind.ts';
import { bisectInTransaction } from '../read/bisect.ts';

// The stored states of entities from a team's view: the id of each key, and a hash of the values that other entities
// show.

/** An entity's key: its columns as texts. */
export type EntityKey = readonly string[];

/** The state of an entity whose row can't be read. */
const unreadable = '0';

interface EntityState {
  readonly id: number;
  /** The stored hash of the values that other entities show; null if the view did not show the entity. */
  readonly before: string | null;
  /** The present hash; `unreadable` if the row can't be read. */
  readonly now: string | null;
  readonly slug: string | null;
}

export type EntityStates = readonly EntityState[];

/** Compares stored with present states. Pure. */
export function compareStates(states: EntityStates): {
  /** Ids of present and former entities. */
  readonly present: readonly number[];
  readonly different: EntityStates;
  readonly removed: readonly number[];
} {
  const present = states.filter(({ before, now }) => before !== null || now !== null);
  const different = present.filter(({ before, now }) => before !== now);
  const removed = different.filter(({ now }) => now === null);
  return { present: present.map(({ id }) => id), different, removed: removed.map(({ id }) => id) };
}

/** Reads states by keys. Keys that the view shows for the first time get ids. */
export async function readStatesByKey(
  client: pg.ClientBase,
  kind: KindName,
  keys: readonly EntityKey[],
): Promise<EntityStates> {
  const known = await readKnown(client, kind, keys);
  const have = new Set(known.map(({ key }) => JSON.stringify(key)));
  const unknown = keys.filter((key) => !have.has(JSON.stringify(key)));
  await assignIds(client, kind, unknown);
  return readStates(client, kind, [...known, ...(await readKnown(client, kind, unknown))]);
}

/** Gives ids to keys that have none, including those of unreadable rows. */
async function assignIds(client: pg.ClientBase, kind: KindName, keys: readonly EntityKey[]): Promise<void> {
  const assign = async (some: readonly EntityKey[], unread: boolean): Promise<void> => {
    await client.query('select entity_search_assign($1, $2, $3)', [kind, JSON.stringify(some), unread]);
  };
  const failing = await bisectInTransaction(client, keys, (some) => assign(some, false));
  // A key that fails again is not of the type of the view's key.
  await bisectInTransaction(
    client,
    failing.map(({ item }) => item),
    (some) => assign(some, true),
  );
}

interface Known {
  readonly id: number;
  readonly key: EntityKey;
  readonly before: string | null;
}

async function readKnown(client: pg.ClientBase, kind: KindName, keys: readonly EntityKey[]): Promise<readonly Known[]> {
  if (keys.length === 0) return [];
  const { rows } = await client.query<Known>(
    `select e.id, e.key, e.shown::text as before
     from jsonb_array_elements($2::jsonb) as wanted (key)
     join source_entities as e on e.kind = $1 and e.key = array(select jsonb_array_elements_text(wanted.key))`,
    [kind, JSON.stringify(keys)],
  );
  return rows;
}

/** Reads the present state of entities by their ids. */
export async function readStates(
  client: pg.ClientBase,
  kind: KindName,
  known: readonly { readonly id: number; readonly before: string | null }[],
): Promise<EntityStates> {
  const now = new Map<number, { readonly shown: string; readonly slug: string }>();
  const ids = known.map(({ id }) => id);
  const failing = await bisectInTransaction(client, ids, async (some) => {
    // Names of kinds are constants.
    // nosemgrep: no-values-in-sql
    const text = `select id, hash_record_extended(row(name, slug), 0)::text as shown, slug from ${kind} where id = any($1::bigint[])`;
    const { rows } = await client.query<{ id: number; shown: string; slug: string }>(text, [some]);
    for (const row of rows) now.set(row.id, row);
  });
  const unread = new Set(failing.map(({ item }) => item));
  return known.map(({ id, before }) => {
    const found = now.get(id);
    const shown = unread.has(id) ? unreadable : (found?.shown ?? null);
    return { id, before, now: shown, slug: found?.slug ?? null };
  });
}

export async function applyStates(client: pg.ClientBase, kind: KindName, states: EntityStates): Promise<void> {
  if (states.length === 0) return;
  await client.query(
    `update source_entities as e set shown = s.shown, slug = s.slug
     from unnest($2::bigint[], $3::bigint[], $4::text[]) as s (id, shown, slug) where e.kind = $1 and e.id = s.id`,
    [kind, states.map(({ id }) => id), states.map(({ now }) => now), states.map(({ slug }) => slug)],
  );
}
