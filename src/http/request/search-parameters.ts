import { z } from 'zod';
import { kindsWithField, recordFields } from '../../kinds/fields.ts';
import { kindNames, mapKinds } from '../../kinds/kind.ts';
import { listOf, memberOf, oneOf, splitList, textUpTo, trueOrFalse, wholeNumber } from '../../lib/parameter-schemas.ts';
import { cursorCharactersMax } from '../../search/cursor.ts';
import {
  boundPairs,
  type FacetName,
  type Filters,
  facetNames,
  facets as facetTable,
  filterApplies,
  filterKinds,
  filterNames,
  filterSchemas,
} from '../../search/options/filters.ts';
import { collapseNames, seriesKinds } from '../../search/options/series.ts';
import { sortKinds, sortNames, sortSchema } from '../../search/options/sorts.ts';
import { kindsOf, type SearchQuery } from '../../search/query.ts';
import type { Problem } from '../errors/errors.ts';
import { parseParameters } from './parameters.ts';

export const searchTypes = [...kindNames, 'all'] as const;

export const limitMax = 100;
const limitDefault = 20;
/** Maximum number of results that pages reach. */
const depthMax = 10_000;
export const queryMax = 256;

const cursorHelp = { error: 'must be data.nextCursor of an earlier answer' };
const everyField = recordFields(kindNames);

export const searchParameters = z.strictObject({
  type: oneOf(searchTypes),
  query: textUpTo(queryMax).default(''),
  page: wholeNumber(1, depthMax).optional(),
  limit: wholeNumber(1, limitMax).default(limitDefault),
  cursor: z.string().min(1, cursorHelp).max(cursorCharactersMax, cursorHelp).optional(),
  ...filterSchemas,
  sort: sortSchema.optional(),
  facets: listOf(memberOf(facetNames, 'FacetName')).optional(),
  highlight: trueOrFalse().default('false'),
  literal: trueOrFalse().default('false'),
  collapse: oneOf(collapseNames).optional(),
  fields: listOf(memberOf(everyField, 'EntityField')).optional(),
});

/** The parameters of `GET /api/v1/search`. A cursor replaces the page. */
export interface ParsedSearch {
  readonly query: SearchQuery;
  readonly cursor: string | null;
}

/** Throws `InvalidParameters` with all problems at once. */
export function parseSearch(queryString: string): ParsedSearch {
  const given = parseParameters(searchParameters, queryString, misfits);
  const { type, query, page = 1, limit, cursor = null, sort, facets, highlight, literal, collapse, fields } = given;
  const wanted = filterNames.filter((name) => given[name] !== undefined);
  const filters: Filters = Object.fromEntries(wanted.map((name) => [name, given[name]]));
  return {
    query: {
      type,
      text: query,
      page,
      limit,
      filters,
      sort,
      facets,
      collapse,
      fields,
      highlight: highlight === 'true',
      literal: literal === 'true',
    },
    cursor,
  };
}

/** Returns the filters, facets, orders and fields of a type. They are computed once, because every search uses them. */
function offerOf(type: SearchQuery['type']) {
  const kinds = kindsOf(type);
  return {
    kinds,
    filters: filterNames.filter((name) => filterApplies(name, kinds)),
    facets: facetNames.filter((name) => facetTable[name].kinds.some((kind) => kinds.includes(kind))),
    sorts: sortNames.filter((by) => sortKinds(by).some((kind) => kinds.includes(kind))),
    fields: recordFields(kinds),
  };
}

const offers = { ...mapKinds(offerOf), all: offerOf('all') };

/** Returns a problem for each parameter that conflicts with another one. */
function misfits(given: URLSearchParams): Problem[] {
  const type = searchTypes.find((candidate) => candidate === given.get('type')) ?? 'all';
  const { kinds, filters, facets, sorts, fields } = offers[type];
  const by = given.has('sort') ? sortSchema.safeParse(given.get('sort')).data?.by : undefined;
  return [
    ...tooDeep(given),
    ...(given.has('cursor') && given.has('page')
      ? [{ path: 'page', message: "can't be given together with cursor, which replaces it" }]
      : []),
    ...filterNames
      .filter((name) => given.has(name) && !filters.includes(name))
      .map((path) => ({ path, message: `isn't a filter for ${type}, only for ${filterKinds(path).join(', ')}` })),
    ...crossedBounds(given),
    ...(by === undefined || sorts.includes(by)
      ? []
      : [
          {
            path: 'sort',
            message: `"${by}" isn't a sort for ${type}; use one of ${sorts.join(', ')}, each also with "-" before it`,
          },
        ]),
    ...(given.has('collapse') && !kinds.some((kind) => seriesKinds.includes(kind))
      ? [{ path: 'collapse', message: `isn't available for ${type}: only ${seriesKinds.join(', ')} have series` }]
      : []),
    ...listMisfit(given, 'facets', type, facets, (name) => (isFacet(name) ? facetTable[name].kinds : [])),
    ...listMisfit(given, 'fields', type, fields, kindsWithField),
  ];
}

function tooDeep(given: URLSearchParams): Problem[] {
  const page = Number(given.get('page') ?? 1);
  const limit = Number(given.get('limit') ?? limitDefault);
  // The schema reports values out of range.
  if (!(page <= depthMax && limit <= limitMax && page * limit > depthMax)) return [];
  return [
    {
      path: 'page',
      message: `page times limit must be at most ${depthMax}: narrow the search, or follow data.nextCursor with the parameter cursor to see the rest`,
    },
  ];
}

/** Returns a problem for each range whose lower bound is above its upper bound. */
function crossedBounds(given: URLSearchParams): Problem[] {
  return boundPairs.flatMap(([from, to]) => {
    const [lower, upper] = [from, to].map((name) => filterSchemas[name].safeParse(given.get(name) ?? undefined).data);
    // The schema reports invalid values. Days are in the order of their texts.
    if (lower === undefined || upper === undefined || lower <= upper) return [];
    return [{ path: from, message: `${lower} is beyond "${to}", which is ${upper}: nothing can be between them` }];
  });
}

function isFacet(name: string): name is FacetName {
  return facetNames.some((facet) => facet === name);
}

/** Returns a problem for a name in a list that only other types have. */
function listMisfit(
  given: URLSearchParams,
  path: string,
  type: string,
  fitting: readonly string[],
  kindsOfName: (name: string) => readonly string[],
): Problem[] {
  if (!given.has(path)) return [];
  const wrong = splitList(given.getAll(path)).find((name) => !fitting.includes(name) && kindsOfName(name).length > 0);
  if (wrong === undefined) return [];
  return [{ path, message: `"${wrong}" isn't available for ${type}, only for ${kindsOfName(wrong).join(', ')}` }];
}
