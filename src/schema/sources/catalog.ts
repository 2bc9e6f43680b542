import type pg from 'pg';
import { entityTables, relationTables } from '../tables.ts';

/** The schema of the team's views. */
export const sourceSchema = 'search_source';

/** A column, with its type as a statement writes it: with its schema unless that is pg_catalog, and without a length. */
export interface CatalogColumn {
  readonly name: string;
  readonly type: string;
  /** The schema of its equality operator, which an extension's type defines itself. */
  readonly operators: string;
  /** Its collation, if texts that look different may be equal under it. */
  readonly collation: string | null;
}

/** Returns the columns of a view with the key in place of an id of ours: `key` or `key1`, `key2` and so on, in order. */
export function keyColumns<Column extends { readonly name: string }>(
  columns: readonly Column[],
  id: string,
): readonly Column[] {
  const prefix = id.replace(/(^|_)id$/, '$1key');
  return columns
    .filter(({ name }) => name.startsWith(prefix) && /^[1-9]?$/.test(name.slice(prefix.length)))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** A table or view that a team's view reads, at whatever depth. */
export interface CatalogTable {
  readonly oid: string;
  readonly schema: string;
  readonly name: string;
  /** The name as Postgres quotes it. */
  readonly quoted: string;
  readonly kind: 'r' | 'p' | 'v' | 'm' | 'f';
  /** Null unless it is a view. */
  readonly definition: string | null;
  readonly columns: readonly CatalogColumn[];
  /**
   * The table itself, its parents and its partitions. A statement fires only the triggers of the table that it names.
   */
  readonly relatives: readonly Relative[];
}

/** The table itself, or one whose statements can write its rows. */
export interface Relative {
  readonly oid: string;
  readonly quoted: string;
  readonly kind: string;
  readonly columns: readonly string[];
  /** Columns of a unique key without nulls; none if there is no such key. */
  readonly uniqueKey: readonly string[];
  readonly isOwned: boolean;
  readonly maySelect: boolean;
  readonly schema: string;
  readonly mayUse: boolean;
}

// The views, followed by the relations that they read.
const catalogSql = `
  with recursive reads (oid) as (
    select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = '${sourceSchema}' and c.relname = any($1)
    union
    select d.refobjid from reads r
    join pg_rewrite w on w.ev_class = r.oid
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
      and d.refclassid = 'pg_class'::regclass and d.refobjid <> r.oid
  ), below (oid, relative) as (
    select oid, oid from reads
    union
    select b.oid, i.inhrelid from below b join pg_inherits i on i.inhparent = b.relative
  ), above (oid, relative) as (
    select oid, oid from reads
    union
    select a.oid, i.inhparent from above a join pg_inherits i on i.inhrelid = a.relative
  )
  select c.oid::text as oid, n.nspname::text as schema, c.relname::text as name, c.relkind::text as kind,
    format('%I.%I', n.nspname, c.relname) as quoted,
    case when c.relkind = 'v' then pg_get_viewdef(c.oid) end as definition,
    coalesce((select json_agg(json_build_object(
        'name', a.attname, 'type', base.type, 'operators', base.operators, 'collation',
        (select k.oid::text from pg_collation k where k.oid = a.attcollation and not k.collisdeterministic)) order by a.attnum)
      from pg_attribute a cross join lateral public.entity_search_base_type(a.atttypid) as base
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped), '[]') as columns,
    (select json_agg(json_build_object('oid', rc.oid::text, 'quoted', format('%I.%I', rn.nspname, rc.relname),
        'kind', rc.relkind, 'columns', array(
          select attname from pg_attribute where attrelid = rc.oid and attnum > 0 and not attisdropped order by attnum),
        'uniqueKey', coalesce((
          select (select json_agg(a.attname order by u.at) from unnest(x.indkey::int2[]) with ordinality as u (num, at)
                  join pg_attribute a on a.attrelid = rc.oid and a.attnum = u.num where u.at <= x.indnkeyatts)
          from pg_index x
          where x.indrelid = rc.oid and x.indisunique and x.indisvalid and x.indpred is null and x.indexprs is null
            and not exists (select from pg_attribute a
                            where a.attrelid = rc.oid and a.attnum = any(x.indkey::int2[]) and not a.attnotnull)
          order by x.indisprimary desc, x.indexrelid limit 1), '[]'),
        'isOwned', pg_has_role(rc.relowner, 'usage'), 'maySelect', has_table_privilege(rc.oid, 'select'),
        'schema', quote_ident(rn.nspname), 'mayUse', has_schema_privilege(rn.oid, 'usage'))
        order by rc.oid <> c.oid, rn.nspname, rc.relname)
      from (select * from below union select * from above) r
      join pg_class rc on rc.oid = r.relative join pg_namespace rn on rn.oid = rc.relnamespace
      where r.oid = c.oid) as relatives
  from reads r join pg_class c on c.oid = r.oid join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f')`;

/**
 * Returns the team's views, and everything that they read, by schema and name. The client's search_path must be
 * pg_catalog alone, so that all names come with their schemas.
 */
export async function readCatalog(client: pg.ClientBase): Promise<ReadonlyMap<string, CatalogTable>> {
  const { rows } = await client.query<CatalogTable>(catalogSql, [[...entityTables, ...relationTables]]);
  return new Map(rows.map((table) => [`${table.schema}.${table.name}`, table]));
}
