import { z } from 'zod';
import { recordFields } from '../../kinds/fields.ts';
import { type KindName, kindNames } from '../../kinds/kind.ts';
import { listOf, memberOf, splitList } from '../../lib/parameter-schemas.ts';
import { inputJsonSchemas } from '../../lib/wire-schema.ts';
import { facetApplies, facetNames } from '../../search/options/facets.ts';
import { type FilterName, type Filters, filterApplies, filterNames } from '../../search/options/filters.ts';
import { parseSort, sortApplies, sortNames } from '../../search/options/sorts.ts';
import { cursorCharactersMax } from '../../search/pagination/cursor.ts';
import { kindsOf, type SearchQuery } from '../../search/query.ts';
import type { Problem } from '../errors/errors.ts';
import { oneOf, parseParameters, plainText, textUpTo, trueOrFalse, wholeNumber } from './parameters.ts';

export const searchTypes = [...kindNames, 'all'] as const;

const limitMax = 100;
const limitPreset = 20;
/** How far into the results pages reach, in results. */
const depthMax = 10_000;
export const queryMax = 256;
const filterValueMax = 256;

const word = {
  wanted: `a text of 1 to ${filterValueMax} characters`,
  // Something that is neither white space nor a comma must be in it.
  schema: { type: 'string', maxLength: filterValueMax, pattern: '[^\\s,\\ufeff]' },
  read: (text: string) => (Array.from(text).length <= filterValueMax ? plainText(text) : null),
};
const entityId = {
  wanted: `an id, a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`,
  schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  read: (text: string) => (/^\d{1,16}$/.test(text) && Number(text) >= 1 && isSafe(text) ? Number(text) : null),
};
const year = wholeNumber(1, 9_999);
const people = wholeNumber(0, 2_147_483_647);
const dayError = 'must be a calendar date, YYYY-MM-DD';
// Before year 1 there is none to find.
const day = z.iso.date({ error: dayError, abort: true }).refine((text) => text >= '0001', { error: dayError });
const instant = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error:
      'must be ISO 8601, such as 2026-01-31 (midnight UTC), 2026-01-31T12:00:00Z or 2026-01-31T12:00:00%2B02:00 (a "+" in an address is written %2B)',
  })
  .transform((text) => new Date(text).toISOString())
  // An offset may lead out of the years that have four digits.
  .refine((text) => /^\d{4}-/.test(text), { error: 'must be within the years 0000 to 9999' });

const filterShapes = {
  country: listOf(word).optional(),
  city: listOf(word).optional(),
  tag: listOf(word).optional(),
  ecosystem: listOf(word).optional(),
  company_stage: listOf(word).optional(),
  funding_stage: listOf(word).optional(),
  founded_from: year.optional(),
  founded_to: year.optional(),
  employees_min: people.optional(),
  employees_max: people.optional(),
  focus: listOf(word).optional(),
  starts_from: day.optional(),
  starts_to: day.optional(),
  event_type: listOf(word).optional(),
  online: trueOrFalse()
    .transform((text) => text === 'true')
    .optional(),
  company: listOf(entityId).optional(),
  investor: listOf(entityId).optional(),
  updated_since: instant.optional(),
} satisfies Record<FilterName, z.ZodType>;

const lists = [
  'country',
  'city',
  'tag',
  'ecosystem',
  'company_stage',
  'funding_stage',
  'focus',
  'event_type',
  'company',
  'investor',
  'facets',
  'fields',
] as const;

const sortWords = sortNames.flatMap((name) => [name, `-${name}`]);
const everyField = recordFields(kindNames);

export const searchParameters = z.strictObject({
  type: oneOf(searchTypes),
  query: textUpTo(queryMax).default(''),
  page: wholeNumber(1, depthMax).optional(),
  limit: wholeNumber(1, limitMax).default(limitPreset),
  cursor: z
    .string()
    .min(1, { error: 'must be what data.nextCursor held' })
    .max(cursorCharactersMax, { error: 'must be what data.nextCursor held' })
    .optional(),
  ...filterShapes,
  sort: z
    .string()
    .transform((text, context) => {
      const order = parseSort(text);
      if (order !== null) return order;
      context.addIssue(`must be one of ${sortWords.join(', ')}`);
      return z.NEVER;
    })
    .register(inputJsonSchemas, { schema: { type: 'string', enum: sortWords } })
    .optional(),
  facets: listOf(memberOf(facetNames)).optional(),
  highlight: trueOrFalse().default('false'),
  fields: listOf(memberOf(everyField)).optional(),
});

/** What `GET /api/v1/search` is asked for; a cursor takes the place of the page. */
export interface ParsedSearch {
  readonly query: SearchQuery;
  readonly cursor: string | null;
}

/** Throws `InvalidParameters` with all problems at once. */
export function parseSearch(queryString: string): ParsedSearch {
  const given = parseParameters(searchParameters, queryString, new Set(lists), misfits);
  const { type, query, page = 1, limit, cursor = null, sort, facets, highlight, fields } = given;
  const filters: Filters = Object.fromEntries(filterNames.map((name) => [name, given[name]]));
  return {
    query: { type, text: query, page, limit, filters, sort, facets, highlight: highlight === 'true', fields },
    cursor,
  };
}

/** Parameters that are right by themselves but don't fit each other. */
function misfits(given: URLSearchParams): Problem[] {
  const type = searchTypes.find((candidate) => candidate === given.get('type')) ?? 'all';
  const asked = kindsOf(type);
  return [
    ...tooDeep(given),
    ...(given.has('cursor') && given.has('page')
      ? [{ path: 'page', message: "can't be given together with cursor, which says itself where to go on" }]
      : []),
    ...filterNames
      .filter((name) => given.has(name) && !filterApplies(name, asked))
      .map((name) => ({
        path: name,
        message: `is no filter of ${type}, whose filters are ${allowed(filterNames, filterApplies, asked)}`,
      })),
    ...sortMisfit(given, type, asked),
    ...listMisfit(
      given,
      'facets',
      type,
      facetNames,
      facetNames.filter((name) => facetApplies(name, asked)),
    ),
    ...listMisfit(given, 'fields', type, everyField, recordFields(asked)),
  ];
}

function tooDeep(given: URLSearchParams): Problem[] {
  const page = Number(given.get('page') ?? 1);
  const limit = Number(given.get('limit') ?? limitPreset);
  // What is out of its own range is told by the schema.
  if (!(page <= depthMax && limit <= limitMax && page * limit > depthMax)) return [];
  return [
    {
      path: 'page',
      message: `page times limit must be at most ${depthMax}: narrow the search, or follow data.nextCursor with the parameter cursor to see the rest`,
    },
  ];
}

function sortMisfit(given: URLSearchParams, type: string, asked: readonly KindName[]): Problem[] {
  const order = parseSort(given.get('sort') ?? '');
  if (order === null || sortApplies(order, asked)) return [];
  const fitting = sortNames.filter((by) => sortApplies({ by, reversed: false }, asked));
  return [
    {
      path: 'sort',
      message: `"${order.by}" is no order of ${type}, it must be one of ${fitting.join(', ')}, each also with "-" before it`,
    },
  ];
}

function listMisfit<Name extends string>(
  given: URLSearchParams,
  path: string,
  type: string,
  known: readonly Name[],
  fitting: readonly Name[],
): Problem[] {
  const wrong = splitList(given.getAll(path)).filter(
    (name) => known.some((each) => each === name) && !fitting.some((each) => each === name),
  );
  if (wrong.length === 0) return [];
  return [
    {
      path,
      message: `${wrong.map((name) => `"${name}"`).join(', ')} can't be asked of ${type}, allowed are ${fitting.join(', ')}`,
    },
  ];
}

function allowed(names: readonly FilterName[], applies: typeof filterApplies, asked: readonly KindName[]): string {
  return names.filter((name) => applies(name, asked)).join(', ');
}

function isSafe(digits: string): boolean {
  return Number.isSafeInteger(Number(digits)) && String(Number(digits)) === digits.replace(/^0+/, '');
}
