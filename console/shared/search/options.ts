import type { KindName } from '../../../src/kinds/kind.ts';
import { kindList } from '../kinds.ts';

// What the search page offers of the API's filters and sorts. A test holds the names against the API's own tables, which
// need more than a browser should load.

export type SearchType = KindName | 'all';
export const searchTypes: readonly SearchType[] = ['all', ...kindList];

export interface FilterOption {
  readonly label: string;
  readonly kinds: readonly KindName[];
  /** `facet`: values are counted and offered. `number` and `date`: a bound to type in. `id`: comes with a link alone. */
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
  event_type: { label: 'Type of event', kinds: ['events'], form: 'facet' },
  online: { label: 'Online', kinds: ['events'], form: 'facet' },
  founded_from: { label: 'Founded from', kinds: ['companies'], form: 'number' },
  founded_to: { label: 'Founded to', kinds: ['companies'], form: 'number' },
  employees_min: { label: 'Employees from', kinds: ['companies'], form: 'number' },
  employees_max: { label: 'Employees to', kinds: ['companies'], form: 'number' },
  starts_from: { label: 'Starts from', kinds: ['events'], form: 'date' },
  starts_to: { label: 'Starts by', kinds: ['events'], form: 'date' },
  company: { label: 'With company', kinds: ['people', 'investors'], form: 'id' },
  investor: { label: 'With investor', kinds: ['companies'], form: 'id' },
} as const satisfies Readonly<Record<string, FilterOption>>;

export type FilterName = keyof typeof filterOptions;
export const filterNames = Object.keys(filterOptions) as readonly FilterName[];

/** Filters that a type has on the page: for all kinds at once, those that all of them have, and tags. */
export function filtersOf(type: SearchType): readonly FilterName[] {
  return filterNames.filter((name) => {
    const { kinds, form }: FilterOption = filterOptions[name];
    if (type === 'all') return form === 'facet' && kinds.length >= 3;
    return kinds.includes(type);
  });
}

/** What of a type's values is counted. */
export function facetsOf(type: SearchType): readonly FilterName[] {
  return filtersOf(type).filter((name) => filterOptions[name].form === 'facet');
}

/** Whether a type's results may be editions of one series. */
export function hasSeries(type: SearchType): boolean {
  return type === 'all' || type === 'events';
}

interface SortOption {
  readonly label: string;
  readonly kinds: readonly KindName[];
}

/** Orders other than by relevance, with the direction that people expect of them first. */
const sortOptions: Readonly<Record<string, SortOption>> = {
  name: { label: 'Name, A to Z', kinds: kindList },
  newest: { label: 'Last updated', kinds: kindList },
  '-founded': { label: 'Youngest', kinds: ['companies'] },
  founded: { label: 'Oldest', kinds: ['companies'] },
  '-funding': { label: 'Most funding', kinds: ['companies'] },
  '-employees': { label: 'Most employees', kinds: ['companies'] },
  starts: { label: 'Starts first', kinds: ['events'] },
  '-starts': { label: 'Starts last', kinds: ['events'] },
};

/** The orders that a type has on the page, by the API's word for them. */
export function sortsOf(type: SearchType): readonly (readonly [sort: string, label: string])[] {
  const offered = Object.entries(sortOptions)
    .filter(([, { kinds }]) => (type === 'all' ? kinds.length === kindList.length : kinds.includes(type)))
    .map(([sort, { label }]) => [sort, label] as const);
  return [['relevance', 'Best match'], ...offered];
}
