import { facetAggregations } from './options/facets.ts';
import { filterClauses } from './options/filters.ts';
import { highlightClause } from './options/highlight.ts';
import { sortClauses } from './options/sorts.ts';
import type { Pass } from './passes.ts';
import type { PreparedQuery } from './query.ts';
import type { Clause } from './ranking/clauses.ts';
import { rankedQuery } from './ranking/ranked-query.ts';

/** What a body says about which documents match and in which order: two bodies that share it page through one list. */
export interface Ranking {
  readonly query: Clause;
  readonly sort: readonly Clause[];
  readonly track_scores?: true;
}
export type SearchBody = Clause & Ranking;

/**
 * The body of `POST /<indices>/_search`. No user text ever reaches a query-string parser.
 * @param page which hits are wanted, in Elasticsearch's own words
 */
export function searchBody(query: PreparedQuery, pass: Pass, page: Clause): SearchBody {
  const { analyzed, isScored, kinds, facets = [], highlight = false } = query;
  const match = analyzed === null ? { match_all: {} } : rankedQuery(analyzed, pass);
  const filter = filterClauses(query.filters);
  return {
    ...page,
    track_total_hits: true,
    _source: { includes: [...new Set([...query.shownFields.values()].flat())] },
    ...(facets.length === 0 ? {} : { aggs: facetAggregations(facets) }),
    ...(highlight && analyzed !== null ? { highlight: highlightClause(analyzed, pass) } : {}),
    query: filter.length === 0 ? match : { bool: { must: [match], filter } },
    sort: sortClauses(query.sort, isScored, kinds),
    // The best score decides about the second pass.
    ...(isScored ? { track_scores: true } : {}),
  };
}
