import type pg from 'pg';
import { type KindName, kindNames } from '../../src/kinds/kind.ts';
import { listShownTables } from '../../src/schema/sources/shown-tables.ts';
import { bisectInTransaction } from '../read/bisect.ts';
import type { EntityKey } from './source-entities.ts';

/** A note of the change log: rows of a source that may have changed. */
export interface Note {
  readonly xid: string;
  readonly seq: number;
  /** `all`: any row of the source may have changed. */
  readonly what: 'row' | 'all';
  /** The name of a table, or of a kind whose keys are given. */
  readonly entity: string;
  readonly columns: readonly string[] | null;
  /** The values of these columns, row by row. */
  readonly keys: readonly (readonly (string | null)[])[] | null;
}

/** Beyond this, comparing the whole kind is cheaper. */
const keysAtMost = 10_000;

interface Source {
  readonly source: string;
  readonly view: string;
  readonly kind: KindName;
  readonly way: number;
  readonly columns: readonly string[];
}

type NotedRow = Readonly<Record<string, string | null>>;

/** Finds the entities that notes are about, in the caller's transaction. */
export async function findAffected(client: pg.ClientBase, notes: readonly Note[]): Promise<Affected> {
  const found = new Affected();
  if (notes.length === 0) return found;
  const shown = await listShownTables(client);
  const sources = await readSources(client, notes);
  for (const name of new Set(notes.map(({ entity }) => entity))) {
    const noted = notes.filter(({ entity }) => entity === name);
    const isAll = noted.some(({ what }) => what === 'all');
    const rows = noted.flatMap(rowsOf);
    const kind = kindNames.find((one) => one === name);
    if (kind !== undefined && shown.includes(kind)) {
      found.add(kind, rows.map(Object.values<string | null>));
      if (isAll) found.everything.add(kind);
    } else if (kind !== undefined) {
      if (isAll) found.gaps.add(kind);
      found.gone.set(kind, await listGone(client, kind, rows));
    }
    for (const source of sources.filter((one) => one.source === name)) {
      if (isAll) found.addEverything(source);
      else await findBySource(client, source, rows, found);
    }
  }
  return found;
}

/** The entities that notes may be about. */
class Affected {
  readonly #keys = new Map<KindName, Map<string, EntityKey>>();
  /** Kinds whose entities may all have changed or gone. */
  readonly everything = new Set<KindName>();
  /** Kinds whose documents must all be read again because of a relation. */
  readonly reread = new Set<KindName>();
  /** Ids that are no longer in our own tables. */
  readonly gone = new Map<KindName, readonly number[]>();
  /** Kinds whose own table was emptied. */
  readonly gaps = new Set<KindName>();

  /** Entities of kinds that views show. */
  get keys(): ReadonlyMap<KindName, readonly EntityKey[]> {
    const kept = [...this.#keys].filter(([kind]) => !this.everything.has(kind));
    return new Map(kept.map(([kind, keys]) => [kind, [...keys.values()]]));
  }

  add(kind: KindName, keys: readonly (readonly (string | null)[])[]): void {
    const known = this.#keys.get(kind) ?? new Map<string, EntityKey>();
    for (const key of keys) if (isWhole(key)) known.set(JSON.stringify(key), key);
    this.#keys.set(kind, known);
    if (known.size > keysAtMost) this.everything.add(kind);
  }

  addEverything({ view, kind }: Source): void {
    (view === kind ? this.everything : this.reread).add(kind);
  }
}

function isWhole(key: readonly (string | null)[]): key is EntityKey {
  return key.every((part) => part !== null);
}

function rowsOf({ columns, keys }: Note): readonly NotedRow[] {
  return (keys ?? []).map((values) =>
    Object.fromEntries((columns ?? []).map((name, at) => [name, values[at] ?? null])),
  );
}

async function readSources(client: pg.ClientBase, notes: readonly Note[]): Promise<readonly Source[]> {
  const { rows } = await client.query<Source>(
    'select source, view, kind, way, columns from search_sources where source = any($1) order by source, view, kind, way',
    [[...new Set(notes.map(({ entity }) => entity))]],
  );
  return rows;
}

async function findBySource(
  client: pg.ClientBase,
  source: Source,
  rows: readonly NotedRow[],
  found: Affected,
): Promise<void> {
  // The triggers are older than the view, and note other columns.
  if (rows.some((row) => source.columns.some((name) => !(name in row)))) return found.addEverything(source);
  const { view, kind, way } = source;
  // A value that isn't of the column's type leads to no entity.
  await bisectInTransaction(client, rows, async (some) => {
    const { rows: answers } = await client.query<{ key: (string | null)[] | null }>(
      'select distinct key from entity_search_affected($1, $2, $3, $4, $5) as key limit $6',
      [source.source, view, kind, way, JSON.stringify(some), keysAtMost + 1],
    );
    const keys = answers.flatMap(({ key }) => (key === null ? [] : [key]));
    if (keys.length < answers.length) found.addEverything(source);
    else found.add(kind, keys);
  });
}

/** Returns the ids that our own table does not have. */
async function listGone(client: pg.ClientBase, kind: KindName, rows: readonly NotedRow[]): Promise<readonly number[]> {
  if (rows.length === 0) return [];
  // Names of kinds are constants.
  // nosemgrep: no-values-in-sql
  const text = `select distinct noted.id from unnest($1::bigint[]) as noted (id)
                where not exists (select from ${kind} as present where present.id = noted.id) order by 1`;
  const { rows: gone } = await client.query<{ id: number }>(text, [rows.map(({ id }) => id)]);
  return gone.map(({ id }) => id);
}
