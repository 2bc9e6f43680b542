import type { KindName } from '../../kinds/kind.ts';
import type { Clause } from '../ranking/clauses.ts';

/** How a filter's values are compared with a document's. */
type Form = 'is' | 'atLeast' | 'atMost';

interface Filter {
  readonly form: Form;
  /** The document's field, of the same name in every kind that has it; elsewhere no mapping knows it. */
  readonly field: string;
  readonly kinds: readonly KindName[];
}

/** Every filter by its parameter. A kind that is not named here gives no hits where the filter is set. */
const filters = {
  country: { form: 'is', field: 'location_json.country', kinds: ['companies', 'people', 'investors', 'events'] },
  city: { form: 'is', field: 'location_json.city', kinds: ['companies', 'people', 'investors', 'events'] },
  tag: { form: 'is', field: 'tags', kinds: ['companies', 'people', 'events'] },
  ecosystem: { form: 'is', field: 'ecosystems', kinds: ['companies', 'events'] },
  company_stage: { form: 'is', field: 'company_stage', kinds: ['companies'] },
  funding_stage: { form: 'is', field: 'funding_stage', kinds: ['companies'] },
  founded_from: { form: 'atLeast', field: 'year_founded', kinds: ['companies'] },
  founded_to: { form: 'atMost', field: 'year_founded', kinds: ['companies'] },
  employees_min: { form: 'atLeast', field: 'total_employees', kinds: ['companies'] },
  employees_max: { form: 'atMost', field: 'total_employees', kinds: ['companies'] },
  focus: { form: 'is', field: 'investment_focus', kinds: ['investors'] },
  starts_from: { form: 'atLeast', field: 'start_date', kinds: ['events'] },
  starts_to: { form: 'atMost', field: 'start_date', kinds: ['events'] },
  event_type: { form: 'is', field: 'event_types', kinds: ['events'] },
  online: { form: 'is', field: 'is_online', kinds: ['events'] },
  company: { form: 'is', field: 'search.company_ids', kinds: ['people', 'investors'] },
  investor: { form: 'is', field: 'search.investor_ids', kinds: ['companies'] },
  updated_since: { form: 'atLeast', field: 'updated_at', kinds: ['companies', 'people', 'investors', 'events'] },
} as const satisfies Readonly<Record<string, Filter>>;

export type FilterName = keyof typeof filters;

/** All filters, in the order in which documentation and messages list them. */
export const filterNames = Object.keys(filters) as readonly FilterName[];

type FilterValue = string | number | boolean;

/**
 * Filters that are set. Values of one are alternatives; all filters must hold. `atLeast` and `atMost` have one value:
 * years and numbers of employees as numbers, dates as YYYY-MM-DD, instants as ISO 8601 in UTC.
 */
export type Filters = { readonly [Name in FilterName]?: FilterValue | readonly FilterValue[] | undefined };

export function filterApplies(name: FilterName, to: readonly KindName[]): boolean {
  const { kinds }: Filter = filters[name];
  return kinds.some((kind) => to.includes(kind));
}

/** The document's field that a filter compares. */
export function filterField(name: FilterName): string {
  return filters[name].field;
}

/** Clauses that all must hold; they say who is a hit and nothing about how good it is. */
export function filterClauses(set: Filters = {}): Clause[] {
  return filterNames.flatMap((name) => {
    const value = set[name];
    return value === undefined ? [] : [clauseOf(filters[name], [value].flat())];
  });
}

function clauseOf({ form, field }: Filter, values: readonly FilterValue[]): Clause {
  switch (form) {
    case 'is':
      return { terms: { [field]: values } };
    case 'atLeast':
      return { range: { [field]: { gte: values[0] } } };
    case 'atMost':
      return { range: { [field]: { lte: values[0] } } };
  }
}
