import {
  type FilterName,
  facetsOf,
  filterNames,
  filtersOf,
  hasSeries,
  type SearchType,
  searchTypes,
  sortsOf,
} from './options.ts';

/** The state of a search. All of it is in the address bar, under the API's own names. */
export interface SearchState {
  readonly type: SearchType;
  readonly query: string;
  readonly page: number;
  readonly sort: string;
  /** True if the query is searched for its words only, without being interpreted. */
  readonly literal: boolean;
  readonly filters: Readonly<Partial<Record<FilterName, readonly string[]>>>;
}

export const emptySearch: SearchState = {
  type: 'all',
  query: '',
  page: 1,
  sort: 'relevance',
  literal: false,
  filters: {},
};

export const pageSize = 20;
/** The API refuses longer queries, more values and later pages. */
const queryMax = 256;
const valuesMax = 100;
const pageMax = 10_000 / pageSize;

/**
 * Reads a search from an address. Ignores parameters that are unknown or that the type does not have, because an
 * address may come from anywhere.
 * @param queryString with or without its question mark
 */
export function parseSearchState(queryString: string): SearchState {
  const given = new URLSearchParams(queryString);
  const type = searchTypes.find((name) => name === given.get('type')) ?? 'all';
  const sort = given.get('sort') ?? '';
  const page = Number(given.get('page') ?? 1);
  const filters = filtersOf(type).flatMap((name) => {
    const values = [...new Set(given.getAll(name).flatMap(splitValues))].slice(0, valuesMax);
    return values.length === 0 ? [] : [[name, values] as const];
  });
  return {
    type,
    // As in the API, both names are taken.
    query: Array.from(given.get('query') ?? given.get('q') ?? '')
      .slice(0, queryMax)
      .join(''),
    page: Number.isInteger(page) && page >= 1 ? Math.min(page, pageMax) : 1,
    sort: sortsOf(type).some(([name]) => name === sort) ? sort : 'relevance',
    literal: given.get('literal') === 'true',
    filters: Object.fromEntries(filters),
  };
}

/** Returns the shortest address of a search. */
export function searchHref(state: SearchState): string {
  const text = searchParams(state).toString();
  return text === '' ? '/search' : `/search?${text}`;
}

function searchParams({ type, query, page, sort, literal, filters }: SearchState): URLSearchParams {
  const params = new URLSearchParams();
  if (type !== 'all') params.set('type', type);
  if (query !== '') params.set('query', query);
  if (literal) params.set('literal', 'true');
  appendFilters(params, filters);
  if (sort !== 'relevance') params.set('sort', sort);
  if (page !== 1) params.set('page', String(page));
  return params;
}

/** Returns the API's parameters for the same search, without the facets and highlights that only the page needs. */
export function apiParams(state: SearchState): URLSearchParams {
  const params = new URLSearchParams({ type: state.type });
  for (const [name, value] of searchParams({ ...state, type: 'all' })) params.append(name, value);
  if (hasSeries(state.type)) params.set('collapse', 'series');
  return params;
}

/** Returns the parameters of the page's own request, with facets and highlights. */
export function pageParams(state: SearchState): URLSearchParams {
  const params = apiParams(state);
  params.set('limit', String(pageSize));
  params.set('facets', [...facetsOf(state.type), ...(state.type === 'all' ? ['entity_type'] : [])].join(','));
  if (state.query !== '') params.set('highlight', 'true');
  return params;
}

function appendFilters(params: URLSearchParams, filters: SearchState['filters']): void {
  for (const name of filterNames)
    for (const value of filters[name] ?? []) params.append(name, value.replace(/[\\,]/g, String.raw`\$&`));
}

/** Splits a list at its commas, as the API does. A backslash escapes the next character. */
function splitValues(text: string): readonly string[] {
  const values = [''];
  for (const [piece] of text.matchAll(/\\[\\,]|,|[^\\,]+|\\/g)) {
    if (piece === ',') values.push('');
    else values.push(`${values.pop() ?? ''}${piece.length === 2 && piece.startsWith('\\') ? piece.slice(1) : piece}`);
  }
  return values.map((value) => value.trim()).filter((value) => value !== '');
}

/** Returns the same search of another type, from the first page and without filters that the type does not have. */
export function withType(state: SearchState, type: SearchType): SearchState {
  return parseSearchState(searchParams({ ...state, type, page: 1 }).toString());
}

export function withValueToggled(state: SearchState, name: FilterName, value: string): SearchState {
  const before = state.filters[name] ?? [];
  const values = before.includes(value) ? before.filter((each) => each !== value) : [...before, value];
  return withValues(state, name, values);
}

/** Replaces a filter's values; an empty list removes the filter. */
export function withValues(state: SearchState, name: FilterName, values: readonly string[]): SearchState {
  const { [name]: _before, ...others } = state.filters;
  return { ...state, page: 1, filters: values.length === 0 ? others : { ...others, [name]: values } };
}

export function countFilters({ filters }: SearchState): number {
  return Object.values(filters).reduce((sum, values) => sum + values.length, 0);
}
