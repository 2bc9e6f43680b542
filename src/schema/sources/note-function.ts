import { createHash } from 'node:crypto';
import { escapeIdentifier, escapeLiteral } from 'pg';
import type { KindName } from '../../kinds/kind.ts';
import type { BaseColumn, BaseTable } from './base-table.ts';

// The function that the triggers of one table call: which entities a statement's rows are about. It compares the rows
// before and after, so that a statement that changes nothing notes nothing. Its text is written for the table, and
// names no more of it than its key, so that a column may come or go.

/** The schema of the team's views, the ids of their keys, and the triggers' functions: no other names collide there. */
export const sourceSchema = 'search_source';

/**
 * The part of a table's rows in the documents of a kind.
 * - `entity`: the entities; documents of other kinds that show them change, too
 * - `name`: the names of entities, in a table of its own: the same
 * - `child`: something that an entity's document shows
 * - `lookup`: something that any number of documents show
 */
export type SourceRole = 'entity' | 'name' | 'child' | 'lookup';

/** One table, as far as a kind reads it. */
export interface SourceTable {
  readonly base: BaseTable;
  readonly role: SourceRole;
  /** The columns that hold the entity's key; none of a lookup. */
  readonly key: readonly BaseColumn[];
  /** Columns that no document shows. */
  readonly ignored: readonly BaseColumn[];
  /** Columns that documents of other kinds show; null: any may be. */
  readonly shown: readonly BaseColumn[] | null;
}

/** A kind's key: what identifies an entity in the team's own tables. */
export interface SourceKey {
  readonly columns: readonly BaseColumn[];
  /** True if a table of ids is needed: an index of another type than bigint can't be searched for ids. */
  readonly isMapped: boolean;
  /** True if the key is a whole number and thus the id itself. */
  readonly isId: boolean;
}

/** Returns the table that gives each key an id. */
export function idTable(kind: KindName): string {
  return `${sourceSchema}.${kind}_ids`;
}

/** Returns the key's columns there. */
export function keyNames({ columns }: Pick<SourceKey, 'columns'>): readonly string[] {
  return columns.length === 1 ? ['key'] : columns.map((_, at) => `key${at + 1}`);
}

/** Equality of a type, wherever its operators are. */
export function equal({ operatorSchema }: BaseColumn, one: string, other: string): string {
  return `${one} operator(${escapeIdentifier(operatorSchema)}.=) ${other}`;
}

/** Returns the function's name: the table's letters, and a hash that distinguishes namesakes. */
export function functionName(kind: KindName, { schema, table }: BaseTable): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([schema, table]))
    .digest('hex')
    .slice(0, 8);
  const readable = table
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '_')
    .slice(0, 30);
  return `${sourceSchema}.note_${kind}_${readable}_${hash}`;
}

/** `create or replace function …`. Pure. */
export function noteFunction(kind: KindName, key: SourceKey, source: SourceTable): string {
  const name = functionName(kind, source.base);
  const [declared, body] = source.role === 'lookup' ? [[], lookupBody(kind, source)] : keyedBody(kind, key, source);
  const text = [
    ...(declared.length === 0 ? [] : ['declare', ...declared.map((line) => `  ${line}`)]),
    'begin',
    ...body.map((line) => (line === '' ? line : `  ${line}`)),
    '  return null;',
    'end',
  ].join('\n');
  // A column's name may contain the quote, which would end the function.
  const quote = `$note_${createHash('sha256').update(text).digest('hex').slice(0, 8)}$`;
  const lines = [
    `create or replace function ${name}() returns trigger`,
    `  language plpgsql security definer set search_path = pg_catalog, pg_temp as ${quote}`,
    `${text} ${quote};`,
    `revoke execute on function ${name}() from public;`,
  ];
  return lines.join('\n');
}

const note = (kind: KindName, ids: string, what: string): string =>
  `perform public.entity_search_note(${escapeLiteral(kind)}, ${ids}, ${escapeLiteral(what)});`;

/** Any change of a row has every document of the kind read again. */
function lookupBody(kind: KindName, { base, ignored }: SourceTable): readonly string[] {
  const all = note(kind, 'null', 'all');
  const { from, where } = changedRows(base, ignored) ?? allRows;
  const any = `exists (select from ${from}${where === null ? '' : ` where ${where}`})`;
  const onUpdate = [`if tg_op = 'UPDATE' and not ${any} then return null; end if;`];
  const rows = [
    "if tg_op = 'INSERT' and not exists (select from new_rows) then return null; end if;",
    "if tg_op = 'DELETE' and not exists (select from old_rows) then return null; end if;",
  ];
  // A row that a foreign key refers to is inserted before, and deleted after, its referrers, and these are noted.
  const referenced = ["if tg_op in ('INSERT', 'DELETE') then return null; end if;"];
  return [...(base.isReferenced ? referenced : rows), ...onUpdate, all];
}

function keyedBody(
  kind: KindName,
  key: SourceKey,
  source: SourceTable,
): readonly [declared: readonly string[], body: readonly string[]] {
  const { base, role, ignored, shown } = source;
  const names = keyNames(key);
  const keys = keyTypes(key).map((type, at) => `changed_${names[at]} ${type}[];`);
  const isShown = role === 'entity' || role === 'name';
  const narrowed = isShown && shown !== null;
  const named = narrowed ? keyTypes(key).map((type, at) => `named_${names[at]} ${type}[];`) : [];
  const what = isShown ? 'references' : 'row';
  // Entities are gone with their rows; with other tables' rows they are other ones, or gone.
  const emptied = [...(isShown ? ['truncate'] : []), ...(role === 'entity' ? [] : ['all'])];
  const noted = (prefix: string, as: string): readonly string[] => [
    ...(key.isMapped ? registerKeys(kind, key, prefix) : []),
    note(kind, idsOf(kind, key, prefix), as),
  ];
  return [
    [...keys, ...named],
    [
      "if tg_op = 'TRUNCATE' then",
      ...emptied.map((onTruncate) => `  ${note(kind, 'null', onTruncate)}`),
      '  return null;',
      "elsif tg_op = 'INSERT' then",
      `  ${gather(source, key, onlyRows('new_rows'))}`,
      "elsif tg_op = 'DELETE' then",
      `  ${gather(source, key, onlyRows('old_rows'))}`,
      'else',
      `  ${gather(source, key, changedRows(base, ignored) ?? allRows, narrowed ? renamed(base, [...source.key, ...shown]) : null)}`,
      'end if;',
      ...(narrowed
        ? [
            "if tg_op = 'UPDATE' then",
            ...noted('changed', 'row').map((line) => `  ${line}`),
            `  ${note(kind, idsOf(kind, key, 'named'), 'references')}`,
            'else',
            ...noted('changed', what).map((line) => `  ${line}`),
            'end if;',
          ]
        : noted('changed', what)),
    ],
  ];
}

/** Returns the element types of arrays of a key's columns. */
function keyTypes({ columns, isMapped }: SourceKey): readonly string[] {
  return isMapped ? columns.map(({ type }) => type) : ['bigint'];
}

/** Rows of a statement: where they are found, the aliases that hold a key, and which of them count. */
interface Rows {
  readonly from: string;
  readonly aliases: readonly string[];
  readonly where: string | null;
}

const onlyRows = (from: string): Rows => ({ from: `${from} as r`, aliases: ['r'], where: null });

/** Without a primary key old and new rows cannot be paired: all of them count as changed. */
const allRows = onlyRows('(table old_rows union all table new_rows)');

/**
 * Returns each key once, in arrays; rows without a key belong to no entity.
 * @param named the condition under which a key also goes to the second arrays; null: there are none
 */
function gather(
  source: SourceTable,
  key: SourceKey,
  { from, aliases, where }: Rows,
  named: string | null = null,
): string {
  const names = keyNames(key);
  const types = keyTypes(key);
  const keys = aliases.map((alias) => {
    const values = source.key.map(({ name }, at) => `${alias}.${escapeIdentifier(name)}::${types[at]}`);
    return `(${values.join(', ')})`;
  });
  const conditions = [...names.map((name) => `k.${name} is not null`), ...(where === null ? [] : [`(${where})`])];
  const listed = names.map((name) => `k.${name}`).join(', ');
  const lists = [
    ...names.map((name) => [`array_agg(c.${name})`, `changed_${name}`] as const),
    ...(named === null
      ? []
      : names.map((name) => [`array_agg(c.${name}) filter (where c.named)`, `named_${name}`] as const)),
  ];
  return `select ${lists.map(([value]) => value).join(', ')} into ${lists.map(([, variable]) => variable).join(', ')}
    from (
      select ${listed}${named === null ? '' : `, bool_or(${named}) as named`}
      from ${from}
      cross join lateral (values ${keys.join(', ')}) as k (${names.join(', ')})
      where ${conditions.join(' and ')}
      group by ${listed}
    ) as c;`;
}

/** Pairs of old and new rows that differ, by the primary key; null without one. */
function changedRows(base: BaseTable, ignored: readonly BaseColumn[]): Rows | null {
  // By their bytes: what is equal to Postgres may look different, such as 1.0 and 1.00. Types without equality have it,
  // too.
  if (ignored.length === 0) return pairs(base, 'o.* operator(pg_catalog.*<>) n.*');
  const names = `array[${ignored.map(({ name }) => escapeLiteral(name)).join(', ')}]::text[]`;
  return pairs(base, `(to_jsonb(o.*) - ${names})::text <> (to_jsonb(n.*) - ${names})::text`);
}

/**
 * Returns the condition that a pair of rows differs in some columns; without a primary key there are no pairs, and any
 * row may.
 */
function renamed(base: BaseTable, columns: readonly BaseColumn[]): string {
  const text = (alias: string): string =>
    `json_build_array(${columns.map(({ name }) => `${alias}.${escapeIdentifier(name)}`).join(', ')})::text`;
  return pairs(base, `${text('o')} <> ${text('n')}`)?.where ?? 'true';
}

function pairs(base: BaseTable, differ: string): Rows | null {
  const key = base.columns.filter(({ name }) => base.primaryKey.includes(name));
  const [first] = key;
  if (first === undefined) return null;
  const on = key.map((column) =>
    equal(column, `o.${escapeIdentifier(column.name)}`, `n.${escapeIdentifier(column.name)}`),
  );
  const name = escapeIdentifier(first.name);
  return {
    from: `old_rows as o full join new_rows as n on ${on.join(' and ')}`,
    aliases: ['o', 'n'],
    // If only one side has a row, the other side is null, and so would the comparison be.
    where: `o.${name} is null or n.${name} is null or ${differ}`,
  };
}

/** Returns the value for a key without an id: Postgres draws one, unless the key is the id. */
export function insertedColumns(key: SourceKey): readonly string[] {
  return [...keyNames(key), ...(key.isId ? ['id'] : [])];
}

export function insertedValues(key: SourceKey, alias: string): readonly string[] {
  return [...keyNames(key), ...(key.isId ? keyNames(key) : [])].map((name) => `${alias}.${name}`);
}

/**
 * Gives ids to keys that have none: in the order of the keys, so that two who do it at the same time do not deadlock.
 */
function registerKeys(kind: KindName, key: SourceKey, prefix: string): readonly string[] {
  const names = keyNames(key);
  const same = key.columns.map((column, at) => equal(column, `m.${names[at]}`, `c.${names[at]}`));
  return [
    `insert into ${idTable(kind)} (${insertedColumns(key).join(', ')})`,
    `select ${insertedValues(key, 'c').join(', ')} from ${unnested(key, prefix)}`,
    `where not exists (select from ${idTable(kind)} as m where ${same.join(' and ')})`,
    `order by ${names.map((_, at) => at + 1).join(', ')} on conflict do nothing;`,
  ];
}

function unnested(key: SourceKey, prefix: string): string {
  const names = keyNames(key);
  return `unnest(${names.map((name) => `${prefix}_${name}`).join(', ')}) as c (${names.join(', ')})`;
}

/** Returns the ids of the gathered keys, as an array. */
function idsOf(kind: KindName, key: SourceKey, prefix: string): string {
  if (!key.isMapped) return `${prefix}_key`;
  const names = keyNames(key);
  const same = key.columns.map((column, at) => equal(column, `m.${names[at]}`, `c.${names[at]}`));
  return `(select array_agg(m.id) from ${unnested(key, prefix)} join ${idTable(kind)} as m on ${same.join(' and ')})`;
}
