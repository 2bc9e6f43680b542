import pg from 'pg';
import { entityTables, relationTables } from '../tables.ts';
import { sourceSchema } from './catalog.ts';
import { asideName, describe, SourceViewError } from './shown-text.ts';

// A team's own tables in place of ours: if the schema search_source has a view (or table) with the name of one of our
// tables, `migrate` puts our table aside, which must be empty, and creates a view in its place. The view has all
// columns of our table, in their types, with null or the table's default for those that the team's view lacks, such as
// columns of a later version. Rows that cannot be entities, such as rows without a name, are left out. Values that our
// table would refuse become null.

/** Tables that views may replace. */
const showable = [...entityTables, ...relationTables];

/** The views hidden while migrations alter our own tables. */
const hiddenName = (view: string): string => `entity_search_shown_${view}`;

/** A view written by `migrate` is recognised by its comment, which has a hash of its sources. */
const mark = 'entity-search: shown from search_source, ';

interface State {
  readonly table: string;
  /** True if our own table was renamed to make place for the view. */
  readonly aside: boolean;
  /** The hash of the view written by `migrate` that replaces it; null if there is none. */
  readonly shown: string | null;
  /** True if the team has a view for it. */
  readonly source: boolean;
}

const statesSql = `
  select name as "table",
    to_regclass('public.entity_search_own_' || name) is not null as aside,
    case when c.relkind = 'v' then substring(obj_description(c.oid, 'pg_class') from '^' || $2 || '(.*)') end as shown,
    s.oid is not null as source
  from unnest($1::text[]) with ordinality as listed (name, at)
  left join pg_class c on c.oid = to_regclass('public.' || name)
  left join pg_class s on s.relname = name and s.relkind in ('r', 'p', 'v', 'm', 'f')
    and s.relnamespace = (select oid from pg_namespace where nspname = $3)
  order by at`;

async function readStates(client: pg.ClientBase | pg.Pool): Promise<readonly State[]> {
  const { rows } = await client.query<State>(statesSql, [showable, mark, sourceSchema]);
  return rows;
}

/** Returns the tables that views replace: nothing is written to them, and they have no triggers of ours. */
export async function listShownTables(client: pg.ClientBase | pg.Pool): Promise<readonly string[]> {
  return (await readStates(client)).filter(({ shown }) => shown !== null).map(({ table }) => table);
}

/** Returns true if any view must be added, removed or changed. */
export async function isShowingDue(client: pg.ClientBase | pg.Pool): Promise<boolean> {
  for (const { table, source, shown, aside } of await readStates(client)) {
    if (source !== (shown !== null) || aside !== source) return true;
    if (source && shown !== (await describe(client, table)).hash) return true;
  }
  return false;
}

/** Gives our own tables their names back for migrations, in the caller's transaction. */
export async function hideShownTables(client: pg.ClientBase): Promise<void> {
  const aside = (await readStates(client)).filter((state) => state.aside);
  for (const { table, shown } of aside) {
    if (shown !== null) await client.query(`alter view public.${table} rename to ${hiddenName(table)}`);
    await client.query(`alter table public.${asideName(table)} rename to ${table}`);
  }
  if (aside.length > 0) await client.query(joinInvestments);
}

/** Lets the view over two of our tables read those that have their names now. */
const joinInvestments = 'select entity_search_join_investments()';

/**
 * Replaces our tables by the team's views, in the caller's transaction. Our tables must have their own names before.
 * Changed views are noted, so that their documents are read again. Returns the replaced tables.
 *
 * Throws `SourceViewError` if our own table has rows, which could not be found any more, or if a view lacks a column.
 */
export async function showTables(client: pg.ClientBase): Promise<readonly string[]> {
  const wanted = (await readStates(client)).filter(({ source }) => source).map(({ table }) => table);
  for (const table of wanted) await show(client, table);
  if (wanted.length > 0) await client.query(joinInvestments);
  for (const name of await listHidden(client)) {
    // The team's view was dropped, so our table is back.
    await client.query(`drop view public.${hiddenName(name)}`);
    await client.query('update source_entities set shown = null where kind = $1', [name]);
    await noteAll(client, name);
  }
  return wanted;
}

async function listHidden(client: pg.ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select name from unnest($1::text[]) as name where to_regclass('public.entity_search_shown_' || name) is not null`,
    [showable],
  );
  return rows.map(({ name }) => name);
}

async function show(client: pg.ClientBase, table: string): Promise<void> {
  const { rows } = await client.query<{ taken: boolean; readable: boolean }>(
    `select exists (select from public.${table}) as taken, has_table_privilege($1, 'select') as readable`,
    [`${sourceSchema}.${table}`],
  );
  if (rows[0]?.readable === false) {
    throw new SourceViewError(
      `${sourceSchema}.${table} can't be shown: this role may not read it. Let it, as the owner: grant select on ${sourceSchema}.${table} to the role that migrates.`,
    );
  }
  if (rows[0]?.taken) {
    throw new SourceViewError(
      `${sourceSchema}.${table} can't be shown: the table ${table} has rows of its own, which searches could no longer find. Remove them (delete from ${table}), or drop the view ${sourceSchema}.${table}; then run entity-search migrate again.`,
    );
  }
  const { text, hash } = await describe(client, table);
  const isHidden = (await listHidden(client)).includes(table);
  await client.query(`alter table public.${table} rename to ${asideName(table)}`);
  if (isHidden) await client.query(`alter view public.${hiddenName(table)} rename to ${table}`);
  try {
    await replace(client, table, text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SourceViewError(`${sourceSchema}.${table} can't be shown as ${table}: ${reason}.`, { cause: error });
  }
  if ((await readStates(client)).some((state) => state.table === table && state.shown === hash)) return;
  await client.query(`comment on view public.${table} is '${mark}${hash}'`);
  await noteAll(client, table);
}

/** `create or replace view` can't remove or change columns, so the view is dropped and created again. */
const invalidDefinition = '42P16';

async function replace(client: pg.ClientBase, view: string, text: string): Promise<void> {
  await client.query('savepoint replacing');
  try {
    await client.query(`create or replace view public.${view} as ${text}`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== invalidDefinition) throw error;
    await client.query('rollback to savepoint replacing');
    await client.query(`drop view public.${view}`);
    await client.query(`create view public.${view} as ${text}`);
  }
}

/** Every document that shows the table is read again, and missing ids are found. */
async function noteAll(client: pg.ClientBase, table: string): Promise<void> {
  const entity = entityTables.includes(table) ? table : null;
  await client.query(
    `insert into search_changes (kind, what)
     select distinct g.kind, w.what from search_generations as g, unnest(array['truncate', 'all']) as w (what)
     where case w.what when 'all' then $1::text is null or g.kind = any($1 || search_readers($1)) else g.kind = $1 end`,
    [entity],
  );
  if (entity === null) return;
  await client.query('select entity_search_fit_keys($1)', [entity]);
  await client.query('select entity_search_note($1)', [entity]);
}
