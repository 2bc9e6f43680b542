import type { KindName } from '../../../src/kinds/kind.ts';
import { kindList } from '../kinds.ts';

// The filters and sorts of the search page. A test compares the names with the API's tables, which are too large for a
// browser to load.

export type SearchType = KindName | 'all';
export const searchTypes: readonly SearchType[] = ['all', ...kindList];

export interface FilterOption {
  readonly label: string;
  readonly kinds: readonly KindName[];
  /**
   * The input of the filter. `facet`: counted values to choose from. `number` and `date`: a bound to type in. `id`: set
   * only by links.
   */
  readonly form: 'facet' | 'number' | 'date' | 'id';
}

/** Filters in the order in which the page shows them. */
export const filterOptions = {
  country: { label: 'Country', kinds: kindList, form: 'facet' },
  city: { label: 'City', kinds: kindList, form: 'facet' },
  tag: { label: 'Tag', kinds: ['companies', 'people', 'events'], form: 'facet' },
  ecosystem: { label: 'Ecosystem', kinds: ['companies', 'events'], form: 'facet' },
  company_stage: { label: 'Company stage', kinds: ['companies'], form: 'facet' },
  funding_stage: { label: 'Funding stage', kinds: ['companies'], form: 'facet' },
  focus: { label: 'Investment focus', kinds: ['investors'], form: 'facet' },
  event_type: { label: 'Event type', kinds: ['events'], form: 'facet' },
  online: { label: 'Online', kinds: ['events'], form: 'facet' },
  founded_from: { label: 'Founded from', kinds: ['companies'], form: 'number' },
  founded_to: { label: 'Founded to', kinds: ['companies'], form: 'number' },
  employees_min: { label: 'Min. employees', kinds: ['companies'], form: 'number' },
  employees_max: { label: 'Max. employees', kinds: ['companies'], form: 'number' },
  starts_from: { label: 'Starts from', kinds: ['events'], form: 'date' },
  starts_to: { label: 'Starts until', kinds: ['events'], form: 'date' },
  company: { label: 'Company', kinds: ['people', 'investors'], form: 'id' },
  investor: { label: 'Investor', kinds: ['companies'], form: 'id' },
} as const satisfies Readonly<Record<string, FilterOption>>;

export type FilterName = keyof typeof filterOptions;
export const filterNames = Object.keys(filterOptions) as readonly FilterName[];

/** Returns the filters of a type. For all kinds at once, they are those that every kind has, and tags. */
export function filtersOf(type: SearchType): readonly FilterName[] {
  return filterNames.filter((name) => {
    const { kinds, form }: FilterOption = filterOptions[name];
    if (type === 'all') return form === 'facet' && kinds.length >= 3;
    return kinds.includes(type);
  });
}

/** Returns the filters of a type whose values are counted. */
export function facetsOf(type: SearchType): readonly FilterName[] {
  return filtersOf(type).filter((name) => filterOptions[name].form === 'facet');
}

/** Returns true if a type's results may be editions of one series. */
export function hasSeries(type: SearchType): boolean {
  return type === 'all' || type === 'events';
}

/** Sort orders other than relevance, the more useful direction first. */
const sortOptions: Readonly<Record<string, { readonly label: string; readonly kinds: readonly KindName[] }>> = {
  name: { label: 'Name, A to Z', kinds: kindList },
  newest: { label: 'Last updated', kinds: kindList },
  '-founded': { label: 'Newest companies', kinds: ['companies'] },
  founded: { label: 'Oldest companies', kinds: ['companies'] },
  '-funding': { label: 'Most funding', kinds: ['companies'] },
  '-employees': { label: 'Most employees', kinds: ['companies'] },
  starts: { label: 'Earliest start', kinds: ['events'] },
  '-starts': { label: 'Latest start', kinds: ['events'] },
};

/** Returns the sort orders of a type, by the API's names. */
export function sortsOf(type: SearchType): readonly (readonly [sort: string, label: string])[] {
  const offered = Object.entries(sortOptions)
    .filter(([, { kinds }]) => (type === 'all' ? kinds.length === kindList.length : kinds.includes(type)))
    .map(([sort, { label }]) => [sort, label] as const);
  return [['relevance', 'Best match'], ...offered];
}
