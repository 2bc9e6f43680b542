import { z } from 'zod';
import { kindsWithField } from '../../kinds/fields.ts';
import { type KindName, kindNames } from '../../kinds/kind.ts';
import { isList, listOf, plainText, trueOrFalse, wholeNumber } from '../../lib/parameter-schemas.ts';
import type { Clause } from '../ranking/clauses.ts';

type FilterValue = string | number | boolean;

interface Filter {
  /** Elasticsearch's name of the comparison. Bounds are inclusive. */
  readonly form: 'terms' | 'gte' | 'lte';
  /** The document's field. Kinds whose records have it have the filter. */
  readonly field: string;
  /** The kinds with the filter, for fields that only documents have (`search.*`). Adds no kind condition to the query. */
  readonly kinds?: readonly KindName[];
  readonly schema: z.ZodType<FilterValue | readonly FilterValue[]>;
  /** The type of its values if they can be counted. */
  readonly facet?: 'word' | 'boolean';
  /** True if entities with one of its values are left out. */
  readonly excludes?: true;
  /** For people, in the documentation. */
  readonly text: string;
}

const wordLengthMax = 256;
const words = listOf({
  wanted: `a text of 1 to ${wordLengthMax} characters`,
  // A value must contain a character other than white space and commas.
  schema: { type: 'string', maxLength: wordLengthMax, pattern: '[^\\s,\\ufeff]' },
  read: (text) => (Array.from(text).length <= wordLengthMax ? plainText(text) : null),
});
const ids = listOf({
  wanted: `an id, a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`,
  schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  read: (text) =>
    /^0*[1-9]\d*$/.test(text) && text.length <= 16 && Number.isSafeInteger(Number(text)) ? Number(text) : null,
});
const year = wholeNumber(1, 9_999);
const count = wholeNumber(0, 2_147_483_647);
const boolean = trueOrFalse().transform((text) => text === 'true');
const dayError = 'must be a calendar date, YYYY-MM-DD';
// No entity is from before year 1.
const day = z.iso.date({ error: dayError, abort: true }).refine((text) => text >= '0001', { error: dayError });
const instant = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error:
      'must be ISO 8601, such as 2026-01-31 (midnight UTC), 2026-01-31T12:00:00Z or 2026-01-31T12:00:00%2B02:00 (a "+" in an address is written %2B)',
  })
  .transform((text) => new Date(text).toISOString())
  // A time zone's offset may lead out of the years with four digits.
  .refine((text) => /^\d{4}-/.test(text), { error: 'must be within the years 0000 to 9999' });

/**
 * Every filter by its parameter, in the order of documentation and messages. Everything except the mapping and the
 * search page follows from a row.
 */
const table = {
  country: { form: 'terms', field: 'location_json.country', schema: words, facet: 'word', text: 'Country.' },
  city: { form: 'terms', field: 'location_json.city', schema: words, facet: 'word', text: 'City.' },
  tag: { form: 'terms', field: 'tags', schema: words, facet: 'word', text: 'Tag.' },
  ecosystem: { form: 'terms', field: 'ecosystems', schema: words, facet: 'word', text: 'Blockchain ecosystem.' },
  company_stage: { form: 'terms', field: 'company_stage', schema: words, facet: 'word', text: 'Stage of the company.' },
  funding_stage: { form: 'terms', field: 'funding_stage', schema: words, facet: 'word', text: 'Funding stage.' },
  founded_from: { form: 'gte', field: 'year_founded', schema: year, text: 'Founded in this year or later.' },
  founded_to: { form: 'lte', field: 'year_founded', schema: year, text: 'Founded in this year or earlier.' },
  employees_min: { form: 'gte', field: 'total_employees', schema: count, text: 'At least this many employees.' },
  employees_max: { form: 'lte', field: 'total_employees', schema: count, text: 'At most this many employees.' },
  focus: { form: 'terms', field: 'investment_focus', schema: words, facet: 'word', text: 'Investment focus.' },
  starts_from: { form: 'gte', field: 'start_date', schema: day, text: 'Starts on this day or later.' },
  starts_to: { form: 'lte', field: 'start_date', schema: day, text: 'Starts on this day or earlier.' },
  event_type: { form: 'terms', field: 'event_types', schema: words, facet: 'word', text: 'Type of event.' },
  online: {
    form: 'terms',
    field: 'is_online',
    schema: boolean,
    facet: 'boolean',
    text: 'True for events held online.',
  },
  company: {
    form: 'terms',
    field: 'search.company_ids',
    kinds: ['people', 'investors'],
    schema: ids,
    text: 'Id of a company that the person belongs to, or that the investor has invested in.',
  },
  investor: {
    form: 'terms',
    field: 'search.investor_ids',
    kinds: ['companies'],
    schema: ids,
    text: 'Id of an investor who has invested in the company.',
  },
  updated_since: {
    form: 'gte',
    field: 'updated_at',
    schema: instant,
    text: 'Changed then or later: a time in ISO 8601 with an offset or Z (write + as %2B), or a day.',
  },
} as const satisfies Readonly<Record<string, Filter>>;

type TableName = keyof typeof table;
/** The name of an exclusion: a list filter's name with the prefix `not_`. */
type ExclusionName = {
  [Name in TableName]: (typeof table)[Name]['schema'] extends typeof words | typeof ids ? `not_${Name}` : never;
}[TableName];
export type FilterName = TableName | ExclusionName;
/** Filters whose values can be counted, and the kind of an entity. */
export type FacetName =
  | { [Name in TableName]: (typeof table)[Name] extends { facet: string } ? Name : never }[TableName]
  | 'entity_type';

const exclusions = Object.entries<Filter>(table)
  .filter(([, { schema }]) => isList(schema))
  .map(([name, { facet: _, ...row }]) => [
    `not_${name}`,
    { ...row, excludes: true, text: `Leaves out what ${name} would find.` },
  ]);
// There is one exclusion per list, as the type requires.
export const filters = { ...table, ...Object.fromEntries(exclusions) } as Readonly<Record<FilterName, Filter>>;
export const filterNames = Object.keys(filters) as readonly FilterName[];

interface Facet extends Pick<Filter, 'field'> {
  readonly type: 'word' | 'boolean' | 'kind';
  readonly kinds: readonly KindName[];
}

const facetRows = filterNames.flatMap((name): [string, Facet][] => {
  const { field, facet: type } = filters[name];
  return type === undefined ? [] : [[name, { field, type, kinds: filterKinds(name) }]];
});
// There is one for each name. Each kind has its own index.
export const facets = Object.fromEntries([
  ...facetRows,
  ['entity_type', { field: '_index', type: 'kind', kinds: kindNames }],
]) as Readonly<Record<FacetName, Facet>>;
export const facetNames = Object.keys(facets) as readonly FacetName[];

/** The lower and the upper bound of each field that has both. */
export const boundPairs: readonly (readonly [FilterName, FilterName])[] = filterNames.flatMap((from) => {
  const isEnd = (to: FilterName) => filters[to].form === 'lte' && filters[to].field === filters[from].field;
  return filters[from].form === 'gte' ? filterNames.filter(isEnd).map((to) => [from, to] as const) : [];
});

/**
 * The active filters. The values of a filter or exclusion are alternatives, and all filters must hold. Bounds have one
 * value: years and numbers of employees as numbers, dates as YYYY-MM-DD, times as ISO 8601 in UTC.
 */
export type Filters = { readonly [Name in FilterName]?: FilterValue | readonly FilterValue[] | undefined };

export function filterApplies(name: FilterName, to: readonly KindName[]): boolean {
  return filterKinds(name).some((kind) => to.includes(kind));
}

export function filterKinds(name: FilterName): readonly KindName[] {
  return filters[name].kinds ?? kindsWithField(filters[name].field);
}

/** Returns the clauses of filters, which select the hits and don't affect their ranking. */
export function filterClauses(set: Filters = {}): Clause[] {
  return filterNames.flatMap((name): Clause[] => {
    const { form, field, excludes } = filters[name];
    const value = set[name];
    if (value === undefined) return [];
    const clause =
      form === 'terms' ? { terms: { [field]: [value].flat() } } : { range: { [field]: { [form]: value } } };
    return [excludes ? { bool: { must_not: [clause] } } : clause];
  });
}

export const filterSchemas = byName((name) => filters[name].schema.optional());

/** The parameters' descriptions. */
export const filterTexts = byName((name) => {
  const { schema, excludes, text } = filters[name];
  const isChoice = isList(schema) && !excludes;
  const kinds = filterKinds(name);
  const alternatives = isChoice ? ' Several values, repeated or with commas between, are alternatives.' : '';
  const only = kinds.length === kindNames.length ? '' : ` Only of ${kinds.join(', ')}.`;
  return { text: `${text}${alternatives}${only}` };
});

function byName<Value>(derive: (name: FilterName) => Value): Readonly<Record<FilterName, Value>> {
  return Object.fromEntries(filterNames.map((name) => [name, derive(name)])) as Record<FilterName, Value>;
}
