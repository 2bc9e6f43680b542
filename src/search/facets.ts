import { z } from 'zod';
import type { KindName } from '../kinds/kind.ts';
import { type FilterName, filterApplies, filterField } from './filters.ts';
import type { Clause } from './tiers.ts';

/** What can be counted: filters whose values are words, so that every counted value can be filtered by. */
export const facetNames = [
  'country',
  'city',
  'tag',
  'ecosystem',
  'company_stage',
  'funding_stage',
  'focus',
  'event_type',
  'online',
] as const satisfies readonly FilterName[];
export type FacetName = (typeof facetNames)[number];

/** A value as documents spell it, and how many results have it. */
export interface FacetValue {
  readonly value: string;
  readonly count: number;
}
export type Facets = { readonly [Name in FacetName]?: readonly FacetValue[] };

export const facetValuesMax = 20;
/**
 * Values that each index counts before the counts are added up: more than any field of ours has distinct ones, so that
 * the sums are exact.
 */
const countedValuesMax = 20_000;
/** Of a folded value, its own spellings are among the words that most often stand in the same documents. */
const spellingsMax = 12;

export function facetApplies(name: FacetName, to: readonly KindName[]): boolean {
  return filterApplies(name, to);
}

/**
 * Aggregations that count the folded values, as filters compare them, and bring the spellings along.
 */
export function facetAggregations(names: readonly FacetName[]): Clause {
  return Object.fromEntries(
    names.map((name) => {
      const field = filterField(name);
      const terms = {
        field,
        size: facetValuesMax,
        shard_size: countedValuesMax,
        order: [{ _count: 'desc' }, { _key: 'asc' }],
      };
      if (name === 'online') return [name, { terms }];
      const shown = { terms: { field: `${field}.shown`, size: spellingsMax, shard_size: spellingsMax } };
      return [name, { terms, aggs: { shown } }];
    }),
  );
}

/** The parts of the aggregations that are read. */
export const facetsFilterPath = [
  'aggregations.*.buckets.key',
  'aggregations.*.buckets.key_as_string',
  'aggregations.*.buckets.doc_count',
  'aggregations.*.buckets.shown.buckets.key',
].join(',');

const spellings = z.object({ buckets: z.array(z.object({ key: z.string() })).default([]) });
const counted = z.object({
  buckets: z
    .array(
      z.object({
        key: z.union([z.string(), z.number()]),
        key_as_string: z.string().optional(),
        doc_count: z.int().nonnegative(),
        shown: spellings.optional(),
      }),
    )
    .default([]),
});
/** Elasticsearch leaves out of a filtered answer what is empty. */
export const rawFacets = z.record(z.string(), counted).default({});

export function toFacets(names: readonly FacetName[], raw: z.infer<typeof rawFacets>): Facets {
  return Object.fromEntries(
    names.map((name) => [
      name,
      (raw[name]?.buckets ?? []).map(({ key, key_as_string, doc_count, shown }) => ({
        value: spellingOf(
          key_as_string ?? String(key),
          (shown?.buckets ?? []).map((bucket) => bucket.key),
        ),
        count: doc_count,
      })),
    ]),
  );
}

/** The most frequent of the spellings that fold to the value; the folded value itself where none does. */
function spellingOf(folded: string, candidates: readonly string[]): string {
  return candidates.find((candidate) => fold(candidate) === fold(folded)) ?? folded;
}

/** Letters and marks that Unicode does not take apart, but Elasticsearch's folding does. */
const ligatures: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  þ: 'th',
  ð: 'd',
  ı: 'i',
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '–': '-',
  '—': '-',
};

function fold(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[ßæœøđłþðı‘’“”–—]/g, (letter) => ligatures[letter] ?? letter)
    .trim();
}
