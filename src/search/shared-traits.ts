import { z } from 'zod';
import type { KindName } from '../kinds/kind.ts';
import { isObject } from '../lib/is-object.ts';
import { foldValue } from './options/facets.ts';

/** The values that two entities share, by trait. Traits without a shared value are left out. */
export type Shared = Readonly<Record<string, readonly string[]>>;

type Source = Readonly<Record<string, unknown>>;

interface Trait {
  /** The name in answers: mostly the record's field. */
  readonly as: string;
  /** The document's field by which similar entities are found. */
  readonly field: string;
  /** The field that is compared and shown instead if people can't read `field`. */
  readonly names?: string;
  readonly weight: number;
}

/** The traits by which entities are similar. A value counts by its rarity (BM25's IDF) times the trait's weight. */
export const traits: Readonly<Record<KindName, readonly Trait[]>> = {
  companies: [
    { as: 'tags', field: 'tags', weight: 1 },
    { as: 'ecosystems', field: 'ecosystems', weight: 0.2 },
    // In another order than the ids, and more of them, because not all are in the database.
    { as: 'investors', field: 'search.investor_ids', names: 'investors', weight: 0.3 },
  ],
  people: [
    { as: 'tags', field: 'tags', weight: 1 },
    { as: 'companies', field: 'companies', weight: 1 },
    { as: 'events', field: 'events', weight: 0.2 },
  ],
  investors: [
    { as: 'investment_focus', field: 'investment_focus', weight: 1 },
    { as: 'companies', field: 'search.company_ids', weight: 1 },
    { as: 'investment_stages', field: 'investment_stages', weight: 0.3 },
    { as: 'investor_type', field: 'investor_type', weight: 0.3 },
  ],
  events: [
    { as: 'tags', field: 'tags', weight: 1 },
    { as: 'event_types', field: 'event_types', weight: 0.7 },
    { as: 'ecosystems', field: 'ecosystems', weight: 0.5 },
    { as: 'country', field: 'location_json.country', weight: 0.3 },
  ],
};

/** Maximum number of listed values per trait. */
export const sharedMax = 20;

const portfolio = z.array(z.object({ id: z.int().nullable(), name: z.string() })).catch([]);

export function comparedFields(kind: KindName): readonly string[] {
  return kind === 'investors' ? [...sharedFields(kind), 'portfolio_companies'] : sharedFields(kind);
}

/** Returns the fields of another entity's document in which the same values are searched. */
export function sharedFields(kind: KindName): readonly string[] {
  return traits[kind].map(({ field, names }) => names ?? field);
}

/**
 * Compares others of the kind, with `sharedFields`, with an entity, with `comparedFields`. Returns the shared values in
 * the entity's spelling.
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

/** Returns an entity's values in a field, by the key for comparisons. */
function labelsOf(source: Source, field: string): ReadonlyMap<string, string> {
  if (field !== 'search.company_ids')
    return new Map(valuesAt(source, field).map((value) => [keyOf(value), String(value)]));
  const known = portfolio.parse(source.portfolio_companies);
  return new Map(known.flatMap(({ id, name }) => (id === null ? [] : [[keyOf(id), name] as const])));
}

const keyOf = (value: string | number): string => foldValue(String(value));

const one = z.union([z.string(), z.number()]);
const held = z.union([z.array(one), one.transform((single) => [single]), z.null().transform(() => [])]).catch([]);

export function valuesAt(source: Source, field: string): readonly (string | number)[] {
  return held.parse(valueAt(source, field) ?? null);
}

export function valueAt(source: Source, field: string): unknown {
  return field.split('.').reduce<unknown>((inside, key) => (isObject(inside) ? inside[key] : undefined), source);
}
