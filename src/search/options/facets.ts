import { z } from 'zod';
import { kindOfIndex } from '../../kinds/index-names.ts';
import { fold } from '../questions/words.ts';
import type { Clause } from '../ranking/clauses.ts';
import { type FacetName, facets } from './filters.ts';

/** A value in the spelling of documents, and the number of results with it. */
export interface FacetValue {
  readonly value: string | boolean;
  readonly count: number;
}
export type Facets = { readonly [Name in FacetName]?: readonly FacetValue[] };

export const facetValuesMax = 20;
/** Maximum number of values that each index counts. No field has more distinct values, so the sums are exact. */
const countedValuesMax = 20_000;
/** Number of spellings requested over all results, which cover the frequent values of a large result. */
const spellingsMax = 200;
/** Number of first results over which all spellings are requested, which cover the rare values of a small result. */
const nearResultsMax = 2000;
const near = 'near';
const spelled = (name: FacetName) => `spelled_${name}`;

/** Counts folded values and, separately, spellings: below each value, these made six facets twelve times slower. */
export function facetAggregations(names: readonly FacetName[]): Clause {
  const words = names.filter((name) => facets[name].type === 'word');
  const spellings = (size: number, keyOf: (name: FacetName) => string) =>
    Object.fromEntries(
      words.map((name) => [keyOf(name), { terms: { field: `${facets[name].field}.shown`, size } }] as const),
    );
  const nearby = spellings(nearResultsMax, (name) => name);
  const counted = { size: facetValuesMax, shard_size: countedValuesMax, order: [{ _count: 'desc' }, { _key: 'asc' }] };
  return {
    ...Object.fromEntries(names.map((name) => [name, { terms: { field: facets[name].field, ...counted } }])),
    ...spellings(spellingsMax, spelled),
    ...(words.length === 0 ? {} : { [near]: { sampler: { shard_size: nearResultsMax }, aggs: nearby } }),
  };
}

/** The parts of the aggregations that are read. */
export const facetsFilterPath = [
  'aggregations.*.buckets.key',
  'aggregations.*.buckets.key_as_string',
  'aggregations.*.buckets.doc_count',
  `aggregations.${near}.*.buckets.key`,
].join(',');

const spellings = z.object({ buckets: z.array(z.object({ key: z.string() })).default([]) });
const bucket = z.object({
  key: z.union([z.string(), z.number()]),
  key_as_string: z.string().optional(),
  doc_count: z.int().nonnegative(),
});
const counted = z.object({ buckets: z.array(bucket).default([]) });
/** Elasticsearch leaves empty parts out of a filtered answer. */
export const rawFacets = z
  .record(z.string(), z.unknown())
  .default({})
  .transform(({ [near]: nearby = {}, ...whole }) => ({ nearby, whole }))
  .pipe(z.object({ nearby: z.record(z.string(), spellings), whole: z.record(z.string(), counted) }));

export function toFacets(names: readonly FacetName[], { whole, nearby }: z.output<typeof rawFacets>): Facets {
  return Object.fromEntries(
    names.map((name) => {
      const spellings = [...(whole[spelled(name)]?.buckets ?? []), ...(nearby[name]?.buckets ?? [])];
      // The first spelling is the most frequent one.
      const shown = new Map(spellings.reverse().map(({ key }) => [foldValue(String(key)), String(key)]));
      const readValue = {
        boolean: (folded: string) => folded === 'true',
        kind: (folded: string) => kindOfIndex(folded) ?? folded,
        word: (folded: string) => shown.get(foldValue(folded)) ?? folded,
      }[facets[name].type];
      const values = (whole[name]?.buckets ?? []).map(({ key, key_as_string, doc_count }) => {
        return { value: readValue(key_as_string ?? String(key)), count: doc_count };
      });
      return [name, values];
    }),
  );
}

/** Letters and marks that Unicode doesn't decompose, but Elasticsearch's folding does. */
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

/** Returns a value as the index compares it: spellings that differ in case and accents are one. */
export function foldValue(text: string): string {
  return fold(text)
    .replace(/[ßæœøđłþðı‘’“”–—]/g, (letter) => ligatures[letter] ?? letter)
    .trim();
}
