import type pg from 'pg';
import { type KindName, kindNames } from '../../kinds/kind.ts';
import { kinds } from '../../kinds/registry.ts';
import { entityTables, relationTables } from '../tables.ts';
import { listShownTables } from './shown-tables.ts';

// Checks that every change of the views' tables is noted: the catalogue has the tables that they read, and the
// triggers.

/** A table that documents are made from, and a reason why a change of it may stay unnoted. */
export interface UnnotedTable {
  /** As a statement writes it. */
  readonly table: string;
  readonly kind: KindName;
  readonly why: 'no-triggers' | 'replica' | 'ignored' | 'subscribed' | 'materialized' | 'foreign';
  /** The events or columns concerned. */
  readonly what: readonly string[];
}

const shownNames = [...entityTables, ...relationTables, 'investments'];

/**
 * Returns the tables and views of a kind's documents, except for those of other entities: their triggers also note the
 * kinds that show them.
 */
function tablesOf(kind: KindName): readonly string[] {
  const read = new Set([...kinds[kind].sql.from.matchAll(/(?:^|\b(?:from|join)\s+)(\w+)/g)].map(([, name]) => name));
  return shownNames.filter((name) => read.has(name) && (name === kind || !entityTables.includes(name)));
}

// From our names down through views to what they read. A trigger counts that calls a function which notes for the kind,
// or for another one whose changes have the kind's documents read again.
const unnotedSql = `
  with recursive wanted (kind, name) as (
    select * from unnest($1::text[], $2::text[])
  ), reads (kind, oid, columns) as (
    select kind, to_regclass('public.' || name)::oid, '{}'::int2[] from wanted
    union
    select r.kind, d.refobjid, array_agg(d.refobjsubid::int2) over (partition by r.kind, w.oid, d.refobjid)
    from reads r
    join pg_rewrite w on w.ev_class = r.oid
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
      and d.refclassid = 'pg_class'::regclass and d.refobjid <> r.oid
  ), bases as (
    select r.kind, c.oid, c.oid as named, r.columns
    from reads r join pg_class c on c.oid = r.oid
    where c.relkind in ('r', 'p', 'm', 'f')
      and coalesce(obj_description(c.oid, 'pg_class'), '') not like 'entity-search: the ids of %'
      and not (c.relnamespace = 'public'::regnamespace
               and (c.relname = any($3::text[]) or c.relname like 'entity\\_search\\_own\\_%'))
  ), parts as (
    select kind, oid, named, columns from bases
    union
    select p.kind, i.inhrelid, p.named, p.columns from parts p join pg_inherits i on i.inhparent = p.oid
  ), tables as (
    select p.kind, p.oid, n.nspname, c.relname, c.relkind, array_agg(distinct num) as columns
    from parts p
    join pg_class c on c.oid = p.oid join pg_namespace n on n.oid = c.relnamespace
    left join lateral unnest(p.columns) as num on true
    group by 1, 2, 3, 4, 5
  ), noting as (
    select t.kind, t.oid, g.tgtype, g.tgenabled,
      string_to_array(encode(g.tgargs, 'escape'), '\\000') as ignored
    from tables t
    join pg_trigger g on g.tgrelid = t.oid and not g.tgisinternal
    join pg_proc p on p.oid = g.tgfoid
    where p.prosrc like '%entity_search_note%' and g.tgqual is null and cardinality(g.tgattr::int2[]) = 0
      and exists (select from unnest($4::text[]) as noted
                  where p.prosrc like '%' || quote_literal(noted) || '%'
                    and (noted = t.kind or t.kind = any(search_readers(noted))))
  ), found as (
    select t.*, why, what
    from tables t cross join lateral (
      select 'materialized' as why, '{}'::text[] as what where t.relkind = 'm'
      union all
      select 'foreign', '{}' where t.relkind = 'f'
      union all
      select 'no-triggers', array_agg(event) from (values ('insert', 4), ('update', 16), ('delete', 8), ('truncate', 32)) as e (event, bit)
      where t.relkind in ('r', 'p')
        and not exists (select from noting n where n.kind = t.kind and n.oid = t.oid and n.tgtype & e.bit > 0 and n.tgenabled <> 'D')
      having count(*) > 0
      union all
      select 'replica', '{}' where exists (
        select from noting n where n.kind = t.kind and n.oid = t.oid and n.tgenabled in ('O', 'R'))
      union all
      select 'ignored', array_agg(distinct a.attname::text)
      from noting n join pg_attribute a on a.attrelid = t.oid and a.attnum = any(t.columns) and a.attnum > 0
      where n.kind = t.kind and n.oid = t.oid
        and encode(convert_to(a.attname::text, getdatabaseencoding()), 'escape') = any(n.ignored)
      having count(*) > 0
      union all
      select 'subscribed', '{}' where exists (select from pg_subscription_rel s where s.srrelid = t.oid)
    ) as reasons
  )
  select format('%I.%I', nspname, relname) as "table", kind, why, what from found order by kind, 1, why`;

/** Returns the tables that views read without triggers, or with partial ones. None if no view replaces a table. */
export async function listUnnoted(client: pg.ClientBase | pg.Pool): Promise<readonly UnnotedTable[]> {
  const shown = await listShownTables(client);
  if (shown.length === 0) return [];
  const pairs = kindNames.flatMap((kind) => tablesOf(kind).map((name) => [kind, name] as const));
  const { rows } = await client.query<UnnotedTable>(unnotedSql, [
    pairs.map(([kind]) => kind),
    pairs.map(([, name]) => name),
    shownNames,
    kindNames,
  ]);
  return rows;
}
