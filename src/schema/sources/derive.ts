import type pg from 'pg';
import { type KindName, kindNames } from '../../kinds/kind.ts';
import { relations } from '../../kinds/relations.ts';
import { readValue } from '../../postgres/statements.ts';
import { entityTables, relationTables } from '../tables.ts';
import { type CatalogTable, keyColumns, type Relative, readCatalog, sourceSchema } from './catalog.ts';
import { everything, findWays, type Way } from './ways.ts';

/** One way from the rows of a table to the entities of a kind that one view implies. */
export interface Derivation extends Way {
  /** The table of ours that the view replaces. */
  readonly view: string;
  readonly kind: KindName;
}

/** A table whose rows views read. */
export interface DerivedSource {
  readonly table: Relative;
  readonly derivations: readonly Derivation[];
  /** Columns that views read, in the order of their names. */
  readonly reads: readonly string[];
}

/** Derives the tables whose rows the team's views read, and the ways from them to entities. Changes no table. */
export async function deriveSources(client: pg.ClientBase): Promise<readonly DerivedSource[]> {
  const tables = await readTables(client);
  const found = new FoundSources();
  for (const view of [...entityTables, ...relationTables]) {
    const shown = tables.get(`${sourceSchema}.${view}`);
    if (shown !== undefined) await addView(found, view, shown, tables);
  }
  return found.list();
}

interface FoundSource {
  readonly table: Relative;
  readonly derivations: Derivation[];
  readonly reads: Set<string>;
}

class FoundSources {
  readonly #byOid = new Map<string, FoundSource>();

  list(): readonly DerivedSource[] {
    return [...this.#byOid.values()].map((source) => ({ ...source, reads: [...source.reads].sort() }));
  }

  /** Returns a table and its relatives, each with these columns, or without any if it lacks one. */
  of({ relatives }: CatalogTable, columns: readonly string[]) {
    return relatives.map((table) => {
      const source = this.#byOid.get(table.oid) ?? { table, derivations: [], reads: new Set() };
      this.#byOid.set(table.oid, source);
      return { source, columns: columns.every((name) => table.columns.includes(name)) ? columns : [] };
    });
  }

  derive(table: CatalogTable, end: Pick<Derivation, 'view' | 'kind'>, ways: readonly Way[]): void {
    for (const way of ways) {
      for (const { source, columns } of this.of(table, way.columns)) {
        source.derivations.push({ ...end, ...(columns.length === way.columns.length ? way : everything) });
      }
    }
  }
}

async function readTables(client: pg.ClientBase): Promise<ReadonlyMap<string, CatalogTable>> {
  const path = await readValue(client, `select current_setting('search_path')`);
  await client.query('set search_path = pg_catalog');
  const tables = await readCatalog(client);
  await client.query(`select set_config('search_path', $1, false)`, [path]);
  return tables;
}

async function addView(
  found: FoundSources,
  view: string,
  shown: CatalogTable,
  tables: ReadonlyMap<string, CatalogTable>,
): Promise<void> {
  // Loaded on first use, because Postgres' own parser is large.
  const [{ loadModule }, { graphOfTable, readGraph }] = await Promise.all([
    import('libpg-query'),
    import('./view-graph.ts'),
  ]);
  await loadModule();
  const graph = shown.definition === null ? graphOfTable(shown) : readGraph(shown.definition, tables);
  for (const { table, reads } of graph.instances) {
    for (const { source } of found.of(table, [])) for (const name of reads) source.reads.add(name);
  }
  for (const { kind, id } of endsOf(view)) {
    const own = keyColumns(shown.columns, id);
    const key = (own.length > 0 ? own : shown.columns.filter(({ name }) => name === id)).map(({ name }) => name);
    if (key.length === 0) continue;
    for (const table of new Set(graph.instances.map((instance) => instance.table))) {
      found.derive(table, { view, kind }, findWays(graph, table, key));
    }
  }
}

/** Stores the ways for the resolver, in the caller's transaction. */
export async function saveSources(client: pg.ClientBase): Promise<void> {
  const rows = (await deriveSources(client)).flatMap(({ table, derivations }) =>
    derivations.map((one, way) => ({ source: table.quoted, way, ...one })),
  );
  await client.query('delete from search_sources');
  await client.query(
    `insert into search_sources (source, view, kind, way, columns, statement, has_key)
     select source, view, kind, way, columns, statement, "hasKey" from jsonb_to_recordset($1)
       as s (source text, view text, kind text, way smallint, columns text[], statement text, "hasKey" boolean)`,
    [JSON.stringify(rows)],
  );
}

/** Returns the kinds whose documents a view is part of, and the columns of our table that identify their entities. */
function endsOf(view: string): readonly { readonly kind: KindName; readonly id: string }[] {
  const kind = kindNames.find((name) => name === view);
  if (kind !== undefined) return [{ kind, id: 'id' }];
  return relations
    .filter(({ table }) => table === view)
    .flatMap(({ owner, id, other, otherId, mutual }) => [
      { kind: owner, id },
      ...(mutual ? [{ kind: other, id: otherId }] : []),
    ]);
}
