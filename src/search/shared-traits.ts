import { z } from 'zod';
import type { KindName } from '../kinds/kind.ts';
import { foldValue } from './options/facets.ts';
import { valuesAt } from './ranking/similar.ts';

/** What two entities may have in common, as answers call it: mostly by the record's field that has it. */
export const sharedNames = [
  'tags',
  'ecosystems',
  'investors',
  'companies',
  'events',
  'investment_focus',
  'investment_stages',
  'investor_type',
  'event_types',
  'country',
] as const;
export type SharedName = (typeof sharedNames)[number];

/** What two entities have in common; what they do not share is left out. */
export type Shared = Readonly<Partial<Record<SharedName, readonly string[]>>>;

type Source = Readonly<Record<string, unknown>>;

interface Trait {
  readonly as: SharedName;
  /** The document's field by which similar entities are found. */
  readonly field: string;
  /** The field that is compared and shown instead, where the other one says nothing to people. */
  readonly names?: string;
}

/** A trait for each that `similarQuery` finds by. */
export const traits: Readonly<Record<KindName, readonly Trait[]>> = {
  companies: [
    { as: 'tags', field: 'tags' },
    { as: 'ecosystems', field: 'ecosystems' },
    // In another order than the ids, and more of them: not all are in the database.
    { as: 'investors', field: 'search.investor_ids', names: 'investors' },
  ],
  people: [
    { as: 'tags', field: 'tags' },
    { as: 'companies', field: 'companies' },
    { as: 'events', field: 'events' },
  ],
  investors: [
    { as: 'investment_focus', field: 'investment_focus' },
    { as: 'companies', field: 'search.company_ids' },
    { as: 'investment_stages', field: 'investment_stages' },
    { as: 'investor_type', field: 'investor_type' },
  ],
  events: [
    { as: 'tags', field: 'tags' },
    { as: 'event_types', field: 'event_types' },
    { as: 'ecosystems', field: 'ecosystems' },
    { as: 'country', field: 'location_json.country' },
  ],
};

/** How many values of each trait are listed. */
export const sharedMax = 20;

const portfolio = z.array(z.object({ id: z.int().nullable(), name: z.string() })).catch([]);

/** The fields of a document that others are compared with. */
export function comparedFields(kind: KindName): readonly string[] {
  return kind === 'investors' ? [...sharedFields(kind), 'portfolio_companies'] : sharedFields(kind);
}

/** The fields of another entity's document in which the same values are looked for. */
export function sharedFields(kind: KindName): readonly string[] {
  return traits[kind].map(({ field, names }) => names ?? field);
}

/**
 * What others of the kind have in common with an entity, spelt as it has it.
 * @param source of its document, with `comparedFields`
 * @returns for the document of another one, with `sharedFields`
 */
export function sharedWith(kind: KindName, source: Source): (other: Source) => Shared {
  const own = traits[kind].map(({ as, field, names = field }) => ({ as, names, labels: labelsOf(source, names) }));
  return (other) => {
    const found = own.map(({ as, names, labels }) => {
      const values = new Set(valuesAt(other, names).map(keyOf));
      return [as, [...labels].flatMap(([key, label]) => (values.has(key) ? [label] : [])).slice(0, sharedMax)] as const;
    });
    return Object.fromEntries(found.filter(([, labels]) => labels.length > 0));
  };
}

/** An entity's values in a field, as they are shown, by the key that they are compared by. */
function labelsOf(source: Source, field: string): ReadonlyMap<string, string> {
  if (field !== 'search.company_ids')
    return new Map(valuesAt(source, field).map((value) => [keyOf(value), String(value)]));
  const known = portfolio.parse(source.portfolio_companies);
  return new Map(known.flatMap(({ id, name }) => (id === null ? [] : [[keyOf(id), name] as const])));
}

function keyOf(value: string | number): string {
  return foldValue(String(value));
}
