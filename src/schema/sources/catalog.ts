import type pg from 'pg';
import { entityTables, relationTables } from '../tables.ts';

/** The schema of the team's views. */
export const sourceSchema = 'search_source';

/** A column, with its type as a statement writes it: with its schema unless that is pg_catalog, and without a length. */
export interface CatalogColumn {
  readonly name: string;
  readonly type: string;
  /** The schema of its equality: an extension's type brings its own. */
  readonly operators: string;
}

/** A table or view that a team's view reads, at whatever depth. */
export interface CatalogTable {
  readonly oid: string;
  readonly schema: string;
  readonly name: string;
  /** As Postgres quotes it in statements. */
  readonly quoted: string;
  readonly kind: 'r' | 'p' | 'v' | 'm' | 'f';
  /** Null unless it is a view. */
  readonly definition: string | null;
  readonly columns: readonly CatalogColumn[];
  /** Columns of a unique key without nulls; none if there is no such key. */
  readonly uniqueKey: readonly string[];
  /** It and its partitions or children: a statement that names one fires only that one's triggers. */
  readonly parts: readonly CatalogPart[];
}

export interface CatalogPart {
  readonly oid: string;
  readonly quoted: string;
  readonly kind: string;
  readonly isOwned: boolean;
  readonly mayTrigger: boolean;
  readonly maySelect: boolean;
  readonly schema: string;
  readonly mayUse: boolean;
}

// From the views down to what they read.
const catalogSql = `
  with recursive reads (oid) as (
    select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = '${sourceSchema}' and c.relname = any($1) or c.oid = any($2::regclass[])
    union
    select d.refobjid from reads r
    join pg_rewrite w on w.ev_class = r.oid
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
      and d.refclassid = 'pg_class'::regclass and d.refobjid <> r.oid
  ), parts (oid, part) as (
    select oid, oid from reads
    union
    select p.oid, i.inhrelid from parts p join pg_inherits i on i.inhparent = p.part
  )
  select c.oid::text as oid, n.nspname::text as schema, c.relname::text as name, c.relkind::text as kind,
    format('%I.%I', n.nspname, c.relname) as quoted,
    case when c.relkind = 'v' then pg_get_viewdef(c.oid) end as definition,
    coalesce((select json_agg(json_build_object(
        'name', a.attname, 'type', base.type, 'operators', base.operators) order by a.attnum)
      from pg_attribute a cross join lateral public.entity_search_base_type(a.atttypid) as base
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped), '[]') as columns,
    coalesce((select (
        select json_agg(a.attname order by u.at) from unnest(x.indkey::int2[]) with ordinality as u (num, at)
        join pg_attribute a on a.attrelid = x.indrelid and a.attnum = u.num where u.at <= x.indnkeyatts)
      from pg_index x
      where x.indrelid = c.oid and x.indisunique and x.indisvalid and x.indpred is null and x.indexprs is null
        and not exists (select from pg_attribute a
                        where a.attrelid = c.oid and a.attnum = any(x.indkey::int2[]) and not a.attnotnull)
      order by x.indisprimary desc, x.indexrelid limit 1), '[]') as "uniqueKey",
    (select json_agg(json_build_object('oid', p.part::text, 'quoted', format('%I.%I', pn.nspname, pc.relname),
        'kind', pc.relkind, 'isOwned', pg_has_role(pc.relowner, 'usage'),
        'mayTrigger', pg_has_role(pc.relowner, 'usage') or has_table_privilege(pc.oid, 'trigger'),
        'maySelect', has_table_privilege(pc.oid, 'select'),
        'schema', quote_ident(pn.nspname), 'mayUse', has_schema_privilege(pn.oid, 'usage'))
        order by p.part <> c.oid, pn.nspname, pc.relname)
      from parts p join pg_class pc on pc.oid = p.part join pg_namespace pn on pn.oid = pc.relnamespace
      where p.oid = c.oid) as parts
  from reads r join pg_class c on c.oid = r.oid join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f')`;

/**
 * Returns the team's views, more tables, and everything that they read, by schema and name. The client's search_path must be
 * pg_catalog alone, so that all names come with their schemas.
 */
export async function readCatalog(
  client: pg.ClientBase,
  more: readonly string[],
): Promise<ReadonlyMap<string, CatalogTable>> {
  const { rows } = await client.query<CatalogTable>(catalogSql, [[...entityTables, ...relationTables], more]);
  return new Map(rows.map((table) => [`${table.schema}.${table.name}`, table]));
}
