import type pg from 'pg';
import { quoteTable, type TableReference } from './identifiers.ts';

/** A column of a team's own table. */
export interface BaseColumn {
  readonly name: string;
  /** As a statement writes it, with its schema unless that is pg_catalog. */
  readonly type: string;
  /** True for smallint, integer or bigint. */
  readonly isInteger: boolean;
  readonly isBigint: boolean;
  readonly isArray: boolean;
  /** The schema of its operators: an extension's type brings its own. */
  readonly operatorSchema: string;
}

/** A foreign key: this table's columns and the other's, in the same order. */
export interface BaseReference {
  readonly columns: readonly string[];
  readonly target: string;
  readonly targetColumns: readonly string[];
}

/** A table that triggers can be put on, as the catalogue has it. */
export interface BaseTable {
  readonly oid: string;
  readonly schema: string;
  readonly table: string;
  readonly columns: readonly BaseColumn[];
  readonly primaryKey: readonly string[];
  /** Columns of each unique index that holds for every row. */
  readonly uniqueKeys: readonly (readonly string[])[];
  readonly references: readonly BaseReference[];
  /** True if a foreign key of some table refers to it. */
  readonly isReferenced: boolean;
  /** Its partitions or children, at every depth: a statement that names one fires only that one's triggers. */
  readonly descendants: readonly { readonly schema: string; readonly table: string }[];
  /** True if the current role may create triggers on it. */
  readonly mayTrigger: boolean;
}

/** The table can't be used; the message gives the reason and the next step. */
export class BaseTableError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BaseTableError';
  }
}

const unusable: Readonly<Record<string, string>> = {
  v: 'is a view. Name the tables that it reads: triggers are put on these',
  m: 'is a materialized view, whose refresh fires no trigger. Name the tables that it reads, and show those',
  f: 'is a foreign table: what is written at its server fires no trigger here',
};

const tableSql = `
  select c.oid::text as oid, n.nspname::text as schema, c.relname::text as "table", c.relkind::text as relkind,
    pg_has_role(c.relowner, 'usage') or has_table_privilege(c.oid, 'trigger') as "mayTrigger",
    coalesce((select json_agg(json_build_object(
        'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
        'isInteger', base.oid in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype),
        'isBigint', base.oid = 'int8'::regtype,
        'isArray', base.typcategory = 'A',
        'operatorSchema', case when base.typtype in ('e', 'c', 'r', 'm') then 'pg_catalog' else s.nspname end
      ) order by a.attnum)
      from pg_attribute a
      join pg_type t on t.oid = a.atttypid
      join pg_type base on base.oid = case when t.typtype = 'd' then t.typbasetype else t.oid end
      join pg_namespace s on s.oid = base.typnamespace
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped), '[]') as columns,
    (select k.names from keys k where k.is_primary) as "primaryKey",
    coalesce((select json_agg(k.names) from keys k), '[]') as "uniqueKeys",
    coalesce((select json_agg(json_build_object(
        'columns', (select json_agg(a.attname order by u.at) from unnest(f.conkey) with ordinality as u (num, at)
                    join pg_attribute a on a.attrelid = f.conrelid and a.attnum = u.num),
        'target', f.confrelid::text,
        'targetColumns', (select json_agg(a.attname order by u.at) from unnest(f.confkey) with ordinality as u (num, at)
                    join pg_attribute a on a.attrelid = f.confrelid and a.attnum = u.num)))
      from pg_constraint f where f.conrelid = c.oid and f.contype = 'f' and f.conparentid = 0), '[]') as "references",
    exists (select from pg_constraint f where f.confrelid = c.oid and f.contype = 'f') as "isReferenced",
    coalesce((select json_agg(json_build_object('schema', dn.nspname, 'table', d.relname, 'relkind', d.relkind)
                              order by dn.nspname, d.relname)
      from below join pg_class d on d.oid = below.oid join pg_namespace dn on dn.oid = d.relnamespace), '[]') as descendants
  from found
  join pg_class c on c.oid = found.oid
  join pg_namespace n on n.oid = c.relnamespace`;

const foundSql = `
  with recursive found as (
    select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p', 'v', 'm', 'f')
  ), below as (
    select i.inhrelid as oid from pg_inherits i join found on found.oid = i.inhparent
    union
    select i.inhrelid from pg_inherits i join below on below.oid = i.inhparent
  ), keys as (
    select x.indisprimary as is_primary,
      (select json_agg(a.attname order by u.at) from unnest(x.indkey::int2[]) with ordinality as u (num, at)
       join pg_attribute a on a.attrelid = x.indrelid and a.attnum = u.num where u.at <= x.indnkeyatts) as names
    from pg_index x join found on found.oid = x.indrelid
    where x.indisunique and x.indisvalid and x.indpred is null and x.indexprs is null
  )`;

interface FoundTable extends Omit<BaseTable, 'descendants' | 'primaryKey'> {
  readonly relkind: string;
  readonly primaryKey: readonly string[] | null;
  readonly descendants: readonly { readonly schema: string; readonly table: string; readonly relkind: string }[];
}

/**
 * Reads a table from the catalogue. The client's search_path must be pg_catalog alone, so that types come with their
 * schema. Throws `BaseTableError` if there is none, or none that fires triggers.
 */
export async function readBaseTable(client: pg.ClientBase, reference: TableReference): Promise<BaseTable> {
  const { rows } = await client.query<FoundTable>(`${foundSql}${tableSql}`, [reference.schema, reference.table]);
  const [found] = rows;
  const name = quoteTable(reference);
  if (found === undefined) {
    throw new BaseTableError(
      `There is no table ${name} in this database. Write schema.table as SQL does, with capitals and blanks in double quotes: '"Sales Dept"."Org"'.`,
    );
  }
  const { relkind, primaryKey, descendants, ...table } = found;
  const reason = unusable[relkind];
  if (reason !== undefined) throw new BaseTableError(`${name} ${reason}.`);
  const foreign = descendants.find((one) => one.relkind === 'f');
  if (foreign !== undefined) throw new BaseTableError(`${quoteTable(foreign)}, a part of ${name}, ${unusable.f}.`);
  return {
    ...table,
    primaryKey: primaryKey ?? [],
    descendants: descendants.map(({ schema, table: part }) => ({ schema, table: part })),
  };
}

/** Returns the columns of those names, in their order. Throws `BaseTableError` where one is not there. */
export function columnsNamed(table: BaseTable, names: readonly string[]): readonly BaseColumn[] {
  return names.map((name) => {
    const column = table.columns.find((one) => one.name === name);
    if (column !== undefined) return column;
    const there = table.columns.map((one) => one.name).join(', ');
    throw new BaseTableError(`${quoteTable(table)} has no column ${name}. It has: ${there}.`);
  });
}
