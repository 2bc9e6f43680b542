import { z } from 'zod';
import { type EmbeddingModel, vectorField } from '../embeddings/model.ts';
import { isoTimestamp } from '../lib/iso-timestamp.ts';
import { calendarDate, type KindName, type KindSql, searchFields } from './kind.ts';

/** SQL expressions by JSON key. */
export type SqlFields = Readonly<Record<string, string>>;

/** Returns `json_build_object(…)` of the fields in their order. Values must be SQL expressions. */
export function jsonObject(fields: SqlFields): string {
  const pairs = Object.entries(fields).map(([key, expression]) => `'${key}', ${expression}`);
  return `json_build_object(${pairs.join(', ')})`;
}

/**
 * Returns JSON of an object, with the fields in their order. Takes a third less time than `jsonObject`, but grouped
 * queries can't use it. Keys must be words.
 */
function rowObject(fields: SqlFields): string {
  const columns = Object.entries(fields).map(([key, expression]) => `${expression} as ${key}`);
  return `(select row_to_json(o) from (select ${columns.join(', ')}) as o)`;
}

/** Returns a hash of 64 bits of values other than JSON. It is the same in all versions of Postgres. */
export function hashOfValues(values: readonly string[]): string {
  return `hash_record_extended(row(${values.join(', ')}), 0)`;
}

/** Returns the JSON of a location, null if neither part is known. */
function locationJson(alias: string): string {
  return `case when ${alias}.city is null and ${alias}.country is null then null else ${jsonObject({
    city: `${alias}.city`,
    country: `${alias}.country`,
  })} end`;
}

// These functions accept every value. Constraints refuse the values that documents can't show, but rows from before a
// constraint may have them. Such a row must not make a statement fail, or become a document that Elasticsearch refuses.

/**
 * Returns ISO 8601 in UTC with milliseconds, independent of the session's time zone. Infinity becomes the last time of
 * the year 9999.
 */
function utcTimestamp(expression: string): string {
  return isoTimestamp(`least(greatest(${expression}, '0001-01-01T00:00:00Z'), '9999-12-31T23:59:59.999Z')`);
}

/** Returns a date that YYYY-MM-DD can write; null for infinity, and before the year 1 or after 9999. */
export function writableDate(expression: string): string {
  return `case when ${expression} between '0001-01-01' and '9999-12-31' then ${expression} end`;
}

/** Returns a text array as one list without nulls, whatever its dimensions. */
export function texts(expression: string): string {
  return `case when array_ndims(${expression}) > 1
    then array(select held from unnest(${expression}) as held where held is not null)
    else array_remove(${expression}, null) end`;
}

function textLinks(alias: string): string {
  return `case when jsonb_path_exists(${alias}.links, 'strict $.* ? (@.type() != "string")')
    then (select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(${alias}.links) where jsonb_typeof(value) = 'string')
    else ${alias}.links end`;
}

// The functions below run for every document, several times for links. String functions cost a third of regular
// expressions.

/**
 * Returns the last path segment of every link, without "@": the handle under which people know the entity. The name of
 * a repository, as in github.com/owner/chain, isn't a handle.
 */
export function handles(alias: string): string {
  return `array_remove(
    array(select ltrim(split_part(rtrim(coalesce(value, ''), '/?#'), '/', -1), '@') from jsonb_each_text(${alias}.links)
          where key <> 'github' or split_part(value, '/', 5) = ''), '')`;
}

/** Returns a text array of an entity, or a part of it; null if it is empty. */
export function listed(array: string): string {
  return `nullif(left(array_to_string(${array}, ', '), 300), '')`;
}

/** The part of a long text that a model reads. */
export function beginning(expression: string, characters: number): string {
  return `left(${expression}, ${characters})`;
}

/** Returns the host of a URL without "www.", as an array of none or one. */
export function hosts(expression: string): string {
  const host = `lower(split_part(translate(split_part(${expression}, '://', 2), ':?#', '///'), '/', 1))`;
  return `array_remove(array[nullif(regexp_replace(${host}, '^www[.]', ''), '')], null)`;
}

/** Returns an array of the expressions (text) that are not null. */
export function present(...expressions: readonly string[]): string {
  return `array_remove(array[${expressions.join(', ')}]::text[], null)`;
}

function cityWords(alias: string): string {
  return present(`nullif(btrim(split_part(${alias}.city, ',', 1)), '')`, `${alias}.country`);
}

/**
 * Returns an entity's own prominence: a source, which is another's statement, counts three times its own statements.
 */
export function ownProminence(alias: string, website: boolean): string {
  const site = website ? ` + (${alias}.website is not null)::int` : '';
  return `3 * jsonb_array_length(${alias}.sources) + (select count(*)::int from jsonb_object_keys(${alias}.links))${site}`;
}

interface KindSqlParts {
  readonly kind: KindName;
  /** The alias of the kind's own table in `from`. */
  readonly alias: string;
  /**
   * The kind's table and lateral parts, each named by `) as name`. The JSON list of a part is `body`, and the hashes of
   * its items' sources are `body_hashes`, in the same order.
   */
  readonly from: string;
  readonly schema: z.ZodObject;
  /** Fields of the record other than those of `ownColumn`. */
  readonly record: SqlFields;
  /** Fields of the search part. Fields that are left out are the same for every kind, or empty lists. */
  readonly search: SqlFields;
  /**
   * SQL of texts, which use only the alias and may be null, with the most important first, because models read the
   * beginning.
   */
  readonly texts: readonly string[];
}

export function kindSql(own: KindSqlParts): KindSql {
  const { kind, alias, from, schema, texts: parts } = own;
  const record = expressions(schema, (field, type) => own.record[field] ?? ownColumn(alias, field, type));
  const usual: SqlFields = {
    names: `array[${alias}.name]`,
    city: cityWords(alias),
    place: present(`${alias}.city`, `${alias}.country`),
  };
  const search = expressions(searchFields, (field) => own.search[field] ?? usual[field] ?? emptyList(field));
  const laterals = [...from.matchAll(/\) as (\w+)$/gm), ...from.matchAll(/\) as (\w+)\s+cross join/g)].map(
    ([, name = '']) => name,
  );
  const documentWith = (searched: SqlFields, aliases: readonly string[]) => {
    const fields = { ...record, search: rowObject(searched) };
    const hash = hashOf(Object.values(fields), aliases);
    return { document: rowObject({ hash, ...fields }), hash };
  };
  return {
    table: `${kind} ${alias}`,
    from,
    id: `${alias}.id`,
    slug: `${alias}.slug`,
    record: rowObject(record),
    text: `concat_ws(e'\\n', ${parts.join(', ')})`,
    ...documentWith(search, [alias, ...laterals]),
    withVectors: (model) => ({
      // "offset 0" forces an index lookup per document. A join with the whole table would be slow for a few documents.
      from: `${from}
  left join lateral (
    select v.vector from entity_vectors v where v.kind = '${kind}' and v.model = '${model.key}' and v.id = ${alias}.id offset 0
  ) as embedded on true`,
      ...documentWith({ ...search, [vectorField(model)]: `encode(embedded.vector, 'hex')` }, [
        alias,
        ...laterals,
        'embedded',
      ]),
    }),
  };
}

function expressions(schema: z.ZodObject, expressionOf: (field: string, type: unknown) => string): SqlFields {
  return Object.fromEntries(Object.entries(schema.shape).map(([field, type]) => [field, expressionOf(field, type)]));
}

/** Returns the SQL of a field from the kind's own table, without values that a record can't show. */
function ownColumn(alias: string, field: string, type: unknown): string {
  const column = `${alias}.${field}`;
  if (field === 'location_json') return locationJson(alias);
  if (field === 'links') return textLinks(alias);
  if (field === 'updated_at') return utcTimestamp(column);
  if (type instanceof z.ZodArray) return texts(column);
  return type instanceof z.ZodNullable && type.unwrap() === calendarDate ? writableDate(column) : column;
}

function emptyList(field: string): string {
  return field.endsWith('_ids') ? "'{}'::bigint[]" : "'{}'::text[]";
}

/**
 * Returns the SQL of a hash of all columns in an expression, as 16 hexadecimal digits. Two documents of a generation
 * with the same hash are equal. Hashing the columns costs a third of building the text. The hash functions are those of
 * hash partitions, so they don't depend on the session's settings or the version of Postgres.
 */
function hashOf(expressions: readonly string[], aliases: readonly string[]): string {
  // Built from the kinds' own aliases.
  // nosemgrep: no-expressions-from-values
  const found = expressions.join().matchAll(new RegExp(`\\b(?:${aliases.join('|')})\\.\\w+`, 'g'));
  const columns = [...new Set([...found].map(([column]) => column))].sort();
  // Postgres can't hash JSON, and building JSON takes longer than hashing its source.
  const values = columns.map((column) => column.replace(/\.body$/, '.body_hashes'));
  return `lpad(to_hex(${hashOfValues(values)}), 16, '0')`;
}

/**
 * Returns a `select id, body` of records or documents; `rest` has all conditions. Documents also have a column `hash`,
 * and begin with it. So comparing an index with the tables needs only id and hash, and Postgres doesn't build documents
 * for a query without the body.
 * @param embeddings the model whose vectors are part of the documents; by default none
 */
export function selectBodies(
  sql: KindSql,
  body: 'record' | 'document',
  rest: string,
  embeddings: EmbeddingModel | null = null,
): string {
  if (body === 'record') return `select ${sql.id} as id, ${sql.record}::text as body from ${sql.from} ${rest}`;
  const { from, document, hash } = embeddings === null ? sql : sql.withVectors(embeddings);
  return `select ${sql.id} as id, ${hash} as hash, ${document}::text as body
    from ${from} ${rest}`;
}
