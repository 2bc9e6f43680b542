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

/**
 * Aggregations that count the folded values, as filters compare them, and separately the spellings of documents:
 * below each folded value, spellings made six facets over 200,000 documents twelve times slower.
 */
export function facetAggregations(names: readonly FacetName[]): Clause {
  const words = names.filter((name) => facets[name].type === 'word');
  const spellings = (size: number) => (name: FacetName) => ({ terms: { field: `${facets[name].field}.shown`, size } });
  const nearby = Object.fromEntries(words.map((name) => [name, spellings(nearResultsMax)(name)]));
  return {
    ...Object.fromEntries(names.map((name) => [name, { terms: countedTerms(name) }])),
    ...Object.fromEntries(words.map((name) => [spelled(name), spellings(spellingsMax)(name)])),
    ...(words.length === 0 ? {} : { [near]: { sampler: { shard_size: nearResultsMax }, aggs: nearby } }),
  };
}

function countedTerms(name: FacetName): Clause {
  return {
    field: facets[name].field,
    size: facetValuesMax,
    shard_size: countedValuesMax,
    order: [{ _count: 'desc' }, { _key: 'asc' }],
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
const counted = z.object({
  buckets: z
    .array(
      z.object({
        key: z.union([z.string(), z.number()]),
        key_as_string: z.string().optional(),
        doc_count: z.int().nonnegative(),
      }),
    )
    .default([]),
});
/** Elasticsearch leaves empty parts out of a filtered answer. */
export const rawFacets = z
  .record(z.string(), z.unknown())
  .default({})
  .transform(({ [near]: nearby = {}, ...whole }) => ({ nearby, whole }))
  .pipe(z.object({ nearby: z.record(z.string(), spellings), whole: z.record(z.string(), counted) }));

export function toFacets(names: readonly FacetName[], raw: z.output<typeof rawFacets>): Facets {
  return Object.fromEntries(
    names.map((name) => {
      const shown = spellingsOf([
        ...keysOf(raw.whole[spelled(name)]),
        ...(raw.nearby[name]?.buckets ?? []).map(({ key }) => key),
      ]);
      const readValue = {
        boolean: (folded: string) => folded === 'true',
        kind: (folded: string) => kindOfIndex(folded) ?? folded,
        word: (folded: string) => shown.get(foldValue(folded)) ?? folded,
      }[facets[name].type];
      const values = (raw.whole[name]?.buckets ?? []).map(({ key, key_as_string, doc_count }) => {
        return { value: readValue(key_as_string ?? String(key)), count: doc_count };
      });
      return [name, values];
    }),
  );
}

function keysOf(aggregation: z.output<typeof counted> | undefined): string[] {
  return (aggregation?.buckets ?? []).map(({ key }) => String(key));
}

/** Returns the first spelling of each value, which is the most frequent one. */
function spellingsOf(spellings: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const spelling of spellings) {
    const folded = foldValue(spelling);
    if (!found.has(folded)) found.set(folded, spelling);
  }
  return found;
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
