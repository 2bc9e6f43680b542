import { createHash } from 'node:crypto';
import type pg from 'pg';
import { escapeIdentifier } from 'pg';
import { relations } from '../../kinds/relations.ts';
import { entityTables } from '../tables.ts';
import { keyColumns, sourceSchema } from './catalog.ts';

// The SQL of the view with which `migrate` replaces one of our tables, built from the columns of both sides.

/** A team's view can't be used. The message has the reason and the next step. */
export class SourceViewError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SourceViewError';
  }
}

/** The name of our own table while a view replaces it. */
export const asideName = (table: string): string => `entity_search_own_${table}`;

/** Types whose equal values have equal texts, apart from collations. */
const exactTypes = [
  ...['uuid', 'text', 'character varying', 'smallint', 'integer', 'bigint', 'boolean', 'date'],
  ...['timestamp without time zone', 'timestamp with time zone'],
];

interface OwnColumn {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly default: string | null;
  /**
   * Conditions that hold for every row. "not valid" constraints are not listed, because documents show null in place of
   * such values.
   */
  readonly checks: readonly string[];
}

const columnsSql = `
  select a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
    pg_get_expr(d.adbin, d.adrelid) as "default",
    array(select pg_get_expr(k.conbin, k.conrelid) from pg_constraint k
          where k.conrelid = a.attrelid and k.contype = 'c' and k.convalidated and k.conkey = array[a.attnum] order by 1) as checks
  from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = coalesce(to_regclass($1), to_regclass($2)) and a.attnum > 0 and not a.attisdropped
  order by a.attnum`;

/** A column of the team's view. */
interface GivenColumn {
  readonly name: string;
  /** The base type of a domain, without a length. */
  readonly type: string;
  /** The schema of its equality operator. */
  readonly operators: string;
  /** True if equal values have equal texts under the same session settings. */
  readonly isExact: boolean;
  /** True if every value can be cast to the type of our column; null without one. */
  readonly fits: boolean | null;
}

/** Returns the SQL of the view that replaces one of our tables, and a hash of it and of the team's view. */
export async function describe(
  client: pg.ClientBase | pg.Pool,
  table: string,
): Promise<{ readonly text: string; readonly hash: string }> {
  const { rows: columns } = await client.query<OwnColumn>(columnsSql, [
    `public.${asideName(table)}`,
    `public.${table}`,
  ]);
  const { rows: given } = await client.query<GivenColumn & { definition: string | null }>(
    `select a.attname::text as name, base.type, base.operators,
       base.type = any($3) and not exists (
         select from pg_collation k where k.oid = a.attcollation and not k.collisdeterministic) as "isExact",
       (select entity_search_fits(base.type::regtype, o.atttypid) from pg_attribute as o
        where o.attrelid = coalesce(to_regclass($4), to_regclass($5)) and o.attname = a.attname) as fits,
       case when c.relkind = 'v' then pg_get_viewdef(c.oid) end as definition
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
     cross join lateral entity_search_base_type(a.atttypid) as base
     where n.nspname = $1 and c.relname = $2 and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    [sourceSchema, table, exactTypes, `public.${asideName(table)}`, `public.${table}`],
  );
  const keys = keysOf(table, given);
  requireColumns(table, columns, given, keys);
  await refuseUnfitKeys(client, table, keys);
  refuseUnfitColumns(`${sourceSchema}.${table}`, columns, given);
  const text = shownText(table, columns, given, keys);
  const of = JSON.stringify([text, given[0]?.definition ?? null]);
  return { text, hash: createHash('sha256').update(of).digest('hex').slice(0, 32) };
}

/** A key in the team's view, in place of an id of ours. */
interface KeyColumns {
  /** The column of our table: `id`, `person_id`. */
  readonly id: string;
  readonly kind: string;
  /** True for the referenced side of a relation, which may be unknown. */
  readonly isOptional: boolean;
  readonly columns: readonly GivenColumn[];
}

/** Returns the keys that a view has. */
function keysOf(table: string, given: readonly GivenColumn[]): readonly KeyColumns[] {
  const ids = entityTables.includes(table)
    ? [{ id: 'id', kind: table, isOptional: false }]
    : relations
        .filter((one) => one.table === table)
        .flatMap(({ id, owner, otherId, other }) => [
          { id, kind: owner, isOptional: false },
          { id: otherId, kind: other, isOptional: true },
        ]);
  return ids.map((key) => ({ ...key, columns: keyColumns(given, key.id) })).filter(({ columns }) => columns.length > 0);
}

function requireColumns(
  table: string,
  columns: readonly OwnColumn[],
  given: readonly GivenColumn[],
  keys: readonly KeyColumns[],
): void {
  const source = `${sourceSchema}.${table}`;
  const names = given.map(({ name }) => name);
  const keyNames = keys.flatMap((key) => key.columns.map(({ name }) => name));
  const unknown = names.filter((name) => !columns.some((column) => column.name === name) && !keyNames.includes(name));
  if (unknown.length > 0) {
    const known = columns.map(({ name }) => name).join(', ');
    throw new SourceViewError(
      `${source} has columns that ${table} do not have: ${unknown.join(', ')}. Known: ${known}.`,
    );
  }
  const twice = keys.find(({ id }) => names.includes(id));
  if (twice !== undefined) {
    throw new SourceViewError(`${source} has both ${twice.id} and ${twice.columns[0]?.name}: keep one of them.`);
  }
  const isGiven = ({ name }: OwnColumn): boolean => names.includes(name) || keys.some(({ id }) => id === name);
  const missing = columns.filter((column) => isNeeded(column) && !isGiven(column)).map(({ name }) => keyOrId(name));
  if (missing.length === 0) return;
  throw new SourceViewError(`${source} lacks ${missing.join(', ')}, without which nothing can be shown.`);
}

/** Throws `SourceViewError` if a column's values can't all be cast: a single row would make every query fail that reads it. */
function refuseUnfitColumns(source: string, columns: readonly OwnColumn[], given: readonly GivenColumn[]): void {
  const problems = given.flatMap(({ name, type: found, fits }) => {
    const wanted = columns.find((column) => column.name === name)?.type;
    if (fits !== false || wanted === undefined) return [];
    const cast = `case when pg_input_is_valid(VALUE::text, '${wanted}') then VALUE::text::${wanted} end`;
    return [
      `Column ${source}.${name} is ${found}, but must be ${wanted}. Write in the view, with null for other values: ${cast} (from Postgres 16).`,
    ];
  });
  if (problems.length > 0) throw new SourceViewError(problems.join('\n'));
}

/**
 * Throws `SourceViewError` if a relation's key has another type than the entity's: comparing them would fail for some
 * values. Texts can hold any key.
 */
async function refuseUnfitKeys(
  client: pg.ClientBase | pg.Pool,
  table: string,
  keys: readonly KeyColumns[],
): Promise<void> {
  for (const { kind, columns } of keys.filter((key) => key.kind !== table)) {
    const { rows } = await client.query<{ type: string }>('select type from entity_search_key_columns($1)', [kind]);
    const wanted = rows.map(({ type }) => type);
    const isFit = columns.length === wanted.length && columns.every(({ type }, at) => fitsKey(type, wanted[at] ?? ''));
    if (isFit) continue;
    const [found, key] = [columns.map(({ type }) => type).join(', '), wanted.join(', ')];
    throw new SourceViewError(
      `${sourceSchema}.${table}: ${columns.map(({ name }) => name).join(', ')} is ${found}, and the key of ${sourceSchema}.${kind} is ${key === '' ? 'not there' : key}. Cast it in the view, or to text.`,
    );
  }
}

const wholeNumbers = ['smallint', 'integer', 'bigint'];
const fitsKey = (found: string, wanted: string): boolean =>
  found === wanted ||
  ['text', 'character varying'].includes(found) ||
  [found, wanted].every((type) => wholeNumbers.includes(type));

const keyOrId = (name: string): string => (/(^|_)id$/.test(name) ? `${name.replace(/id$/, 'key')} or ${name}` : name);

const isNeeded = (column: OwnColumn): boolean => column.required && column.default === null;

/**
 * The conditions are wrapped into one expression, which the planner expects half of the rows to meet. As separate
 * conditions, it would expect a single row of a million, and read the whole table for each page. Pure.
 */
function shownText(
  table: string,
  columns: readonly OwnColumn[],
  given: readonly GivenColumn[],
  keys: readonly KeyColumns[],
): string {
  const shown = columns.map((column) => `${shownValue(column)} as ${column.name}`);
  const taken = columns.map(({ name, type }) => {
    if (keys.some(({ id }) => id === name)) return `${name}_of.id as ${name}`;
    return given.some((column) => column.name === name) ? `s.${name}::${type} as ${name}` : `null::${type} as ${name}`;
  });
  const needed = columns.filter(isNeeded);
  const conditions = needed.flatMap(({ name, checks }) => [`c.${name} is not null`, ...checks]);
  return `select ${shown.join(',\n  ')}
from (
  select ${taken.join(',\n  ')}
  from ${sourceSchema}.${table} as s${keys.map(joinedIds).join('')}
) as c
where case when ${conditions.join('\n  and ')} then true else false end`;
}

/**
 * Joins the ids of a key by the key's own type, so that the team's index is used. In some types, equal values may have
 * different texts, such as 1.0 and 1.00; each text has its own id.
 */
function joinedIds({ id, kind, isOptional, columns }: KeyColumns): string {
  const alias = `${id}_of`;
  const equal = columns.map(
    ({ name, type, operators }, at) =>
      `s.${name} operator(${escapeIdentifier(operators)}.=) ${alias}.key[${at + 1}]::${type}`,
  );
  const texts = columns.map(({ name }) => `s.${name}::text collate pg_catalog."default"`).join(', ');
  const same = columns.every(({ isExact }) => isExact)
    ? ''
    : `\n    and case when ${alias}.key = array[${texts}] then true else false end`;
  return `
  ${isOptional ? 'left join' : 'join'} public.source_entities as ${alias} on ${alias}.kind = '${kind}' and ${equal.join(' and ')}${same}`;
}

/**
 * Returns the value for a document: null in place of a value that our table would refuse, and the default if null isn't
 * allowed.
 */
function shownValue(column: OwnColumn): string {
  if (isNeeded(column)) return `c.${column.name}`;
  const { name, checks, required } = column;
  const value = checks.length === 0 ? `c.${name}` : `case when ${checks.join(' and ')} then c.${name} end`;
  // A missing time is a constant. With `now()`, a document would differ each time it is read.
  const otherwise = column.default === 'now()' ? `'1970-01-01 00:00:00+00'::timestamptz` : column.default;
  return required ? `coalesce(${value}, ${otherwise})` : value;
}
