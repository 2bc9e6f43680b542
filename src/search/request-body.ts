import { editionFields } from './options/collapse.ts';
import { facetAggregations } from './options/facets.ts';
import { filterClauses } from './options/filters.ts';
import { highlightClause } from './options/highlight.ts';
import { sortClauses } from './options/sorts.ts';
import type { Pass } from './passes.ts';
import type { PreparedQuery } from './query.ts';
import type { Clause } from './ranking/clauses.ts';
import { rankedQuery, type Show } from './ranking/ranked-query.ts';
import { semanticQuery } from './ranking/semantic-query.ts';
import { similarQuery } from './ranking/similar.ts';

/** What a body says about which documents match and in which order: two bodies that share it page through one list. */
export interface Ranking {
  readonly query: Clause;
  readonly sort: readonly Clause[];
  readonly track_scores?: true;
}
export type SearchBody = Clause & Ranking;

/** A ranking as JSON. */
export function rankingText({ query, sort, track_scores }: Ranking): string {
  return JSON.stringify({ query, sort, ...(track_scores ? { track_scores } : {}) });
}

/** A body as JSON, around its ranking, which is most of it and of which a cursor has a hash: so it is written once. */
export function bodyText({ query, sort, track_scores, ...rest }: SearchBody, ranking: string): string {
  return `${JSON.stringify(rest).slice(0, -1)},${ranking.slice(1)}`;
}

/**
 * The body of `POST /<indices>/_search`. No user text ever reaches a query-string parser.
 * @param page which hits are wanted, in Elasticsearch's own words
 */
export function searchBody(query: PreparedQuery, pass: Pass, page: Clause): SearchBody {
  const { ranked, isScored, kinds, facets = [], highlight = false } = query;
  const filter = filterClauses(query.filters);
  const match = matchClause(query, pass, filter);
  return {
    ...page,
    track_total_hits: true,
    _source: { includes: sourceFields(query) },
    ...(facets.length === 0 ? {} : { aggs: facetAggregations(facets) }),
    ...(highlight && ranked !== null ? { highlight: highlightClause(ranked.analyzed, pass) } : {}),
    query: filter.length === 0 ? match : { bool: { must: [match], filter } },
    sort: sortClauses(query.sort, isScored, kinds),
    // The best score decides about the second pass.
    ...(isScored ? { track_scores: true } : {}),
  };
}

function sourceFields({ shownFields, collapse }: PreparedQuery): string[] {
  return [...new Set([...[...shownFields.values()].flat(), ...(collapse === undefined ? [] : editionFields)])];
}

/** @param show how each clause of the ranking is written */
export function matchClause(
  { ranked, meaning }: PreparedQuery,
  pass: Pass,
  filter: readonly Clause[],
  show?: Show,
): Clause {
  const { vectorField, text, seed } = meaning;
  if (ranked === null) return { match_all: {} };
  if (pass === 'similar' && seed !== null)
    return similarQuery(seed, vectorField === null ? null : { field: vectorField, filter }, ranked, show);
  if (pass === 'semantic' && vectorField !== null && text !== null)
    return semanticQuery(ranked, text, { field: vectorField, filter }, show);
  return rankedQuery(ranked, pass, show);
}
