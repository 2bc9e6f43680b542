import type { KindName } from '../../kinds/kind.ts';
import { kinds } from '../../kinds/registry.ts';

/** One clause of a body in Elasticsearch's query language. */
export type Clause = Readonly<Record<string, unknown>>;

/** Gives every match the same points. */
export function constantScore(boost: number, filter: Clause): Clause {
  return { constant_score: { filter, boost } };
}

/** More than popularity can add, as far as anything is that popular. */
export const popularityMax = 7;
export const popularityWeight = 3;

/** Adds 3·log10(1 + popularity): 0 to about 6.5 points, less than the distance between tiers that differ in kind. */
export function addPopularity(query: Clause): Clause {
  const popularity = { field: 'search.popularity', modifier: 'log1p', missing: 0 };
  return {
    function_score: {
      query,
      functions: [{ field_value_factor: popularity, weight: popularityWeight }],
      score_mode: 'sum',
      boost_mode: 'sum',
    },
  };
}

/** Documents of one kind. */
export function ofKind(kind: KindName): Clause {
  return { match: { 'search.kind_words': kinds[kind].noun } };
}

export function anyOf(clauses: readonly Clause[]): Clause {
  return { bool: { should: clauses, minimum_should_match: 1 } };
}
