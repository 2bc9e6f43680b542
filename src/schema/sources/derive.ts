import type pg from 'pg';
import { type KindName, kindNames } from '../../kinds/kind.ts';
import { relations } from '../../kinds/relations.ts';
import { entityTables, relationTables } from '../tables.ts';
import { type CatalogTable, readCatalog, sourceSchema } from './catalog.ts';
import { findWays, type Way } from './ways.ts';

/** One way from the rows of a table to the entities of a kind, because of one view. */
export interface Derivation extends Way {
  /** The table of ours that is shown. */
  readonly view: string;
  readonly kind: KindName;
}

/** A table that views read. */
export interface DerivedSource {
  readonly table: CatalogTable;
  readonly derivations: readonly Derivation[];
  /** Columns that views read, in the order of their names. */
  readonly reads: readonly string[];
}

/**
 * Derives the tables that the team's views read, and the ways from their rows to entities. Changes no table.
 * @param more tables that are among them in any case, as statements write them
 */
export async function deriveSources(
  client: pg.ClientBase,
  more: readonly string[] = [],
): Promise<readonly DerivedSource[]> {
  const tables = await readTables(client, more);
  const found = new Map<string, FoundSource>();
  for (const view of [...entityTables, ...relationTables]) {
    const shown = tables.get(`${sourceSchema}.${view}`);
    if (shown !== undefined) await addView(found, view, shown, tables);
  }
  for (const table of tables.values()) {
    if (more.includes(table.quoted) && !found.has(table.oid)) found.set(table.oid, emptySource(table));
  }
  return [...found.values()].map((source) => ({ ...source, reads: [...source.reads].sort() }));
}

interface FoundSource {
  readonly table: CatalogTable;
  readonly derivations: Derivation[];
  readonly reads: Set<string>;
}

const emptySource = (table: CatalogTable): FoundSource => ({ table, derivations: [], reads: new Set() });

async function readTables(client: pg.ClientBase, more: readonly string[]): Promise<ReadonlyMap<string, CatalogTable>> {
  const { rows } = await client.query<{ path: string }>(`select current_setting('search_path') as path`);
  await client.query('set search_path = pg_catalog');
  const tables = await readCatalog(client, more);
  await client.query(`select set_config('search_path', $1, false)`, [rows[0]?.path]);
  return tables;
}

async function addView(
  found: Map<string, FoundSource>,
  view: string,
  shown: CatalogTable,
  tables: ReadonlyMap<string, CatalogTable>,
): Promise<void> {
  // Loaded where it is needed: it is Postgres' own parser, and large.
  const [{ loadModule }, { graphOfTable, readGraph }] = await Promise.all([
    import('libpg-query'),
    import('./view-graph.ts'),
  ]);
  await loadModule();
  const graph = shown.definition === null ? graphOfTable(shown) : readGraph(shown.definition, tables);
  for (const { table, reads } of graph.instances) {
    const source = found.get(table.oid) ?? emptySource(table);
    found.set(table.oid, source);
    for (const name of reads) source.reads.add(name);
  }
  for (const table of new Set(graph.instances.map((instance) => instance.table))) {
    for (const { kind, prefix, id } of endsOf(view)) {
      const key = keyNames(shown, prefix, id);
      const ways = key.length === 0 ? [] : findWays(graph, table, key);
      for (const way of ways) found.get(table.oid)?.derivations.push({ view, kind, ...way });
    }
  }
}

/** Stores the ways for the resolver, in the caller's transaction; what a person has added stays. */
export async function saveSources(client: pg.ClientBase): Promise<void> {
  const rows = (await deriveSources(client)).flatMap(({ table, derivations }) =>
    derivations.map((one, way) => ({ source: table.quoted, way, ...one })),
  );
  await client.query('delete from search_sources where not corrected');
  await client.query(
    `insert into search_sources (source, view, kind, way, columns, statement, has_key)
     select source, view, kind, way, columns, statement, "hasKey" from jsonb_to_recordset($1)
       as s (source text, view text, kind text, way smallint, columns text[], statement text, "hasKey" boolean)`,
    [JSON.stringify(rows)],
  );
}

/** Returns the kinds whose documents a view is part of, and the names of the columns that identify their entities. */
function endsOf(view: string): readonly { readonly kind: KindName; readonly prefix: string; readonly id: string }[] {
  const kind = kindNames.find((name) => name === view);
  if (kind !== undefined) return [{ kind, prefix: 'key', id: 'id' }];
  return relations
    .filter(({ table }) => table === view)
    .flatMap(({ owner, id, other, otherId, mutual }) => [
      { kind: owner, prefix: id.replace(/_id$/, '_key'), id },
      ...(mutual ? [{ kind: other, prefix: otherId.replace(/_id$/, '_key'), id: otherId }] : []),
    ]);
}

/** Returns the columns of a view that hold a key: `key`, or `key1` and so on; otherwise the id, if it has it. */
function keyNames(view: Pick<CatalogTable, 'columns'>, prefix: string, id: string): readonly string[] {
  const names = view.columns.map(({ name }) => name);
  const keys = names.filter((name) => name.startsWith(prefix) && /^[1-9]?$/.test(name.slice(prefix.length))).sort();
  return keys.length > 0 ? keys : names.filter((name) => name === id);
}
