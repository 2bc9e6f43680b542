import { shownFields } from '../kinds/fields.ts';
import { facetAggregations, facetsFilterPath } from './options/facets.ts';
import { filterClauses } from './options/filters.ts';
import { highlightClause } from './options/highlight.ts';
import { type SortOrder, sortClauses } from './options/sorts.ts';
import type { Pass } from './pass.ts';
import { kindsOf, normalizeText, type SearchQuery } from './query.ts';
import { rankedQuery } from './ranking/ranked-query.ts';
import type { Clause } from './ranking/tiers.ts';
import type { Vocabulary } from './vocabulary/vocabulary.ts';

const byRelevance: SortOrder = { by: 'relevance', reversed: false };

/** The body of `POST /<indices>/_search` for a query's page. No user text ever reaches a query-string parser. */
export function searchBody(query: SearchQuery, pass: Pass, vocabulary: Vocabulary): Clause {
  return {
    from: (query.page - 1) * query.limit,
    size: query.limit,
    ...shownPart(query, pass, vocabulary),
    ...orderedPart(query, pass, vocabulary),
  };
}

/** Which documents answer a query, and in which order: what two bodies must share to be about the same results. */
export function orderedPart(query: SearchQuery, pass: Pass, vocabulary: Vocabulary): Clause {
  const text = normalizeText(query.text);
  const order = query.sort ?? byRelevance;
  const scored = text !== '' && order.by === 'relevance';
  return {
    query: filtered(text === '' ? { match_all: {} } : rankedQuery(text, pass, vocabulary), query),
    sort: sortClauses(order, scored, kindsOf(query.type)),
    // The best score decides about the second pass.
    ...(scored ? { track_scores: true } : {}),
  };
}

/** What is wanted of them. */
export function shownPart(query: SearchQuery, pass: Pass, vocabulary: Vocabulary): Clause {
  const { facets = [], highlight = false } = query;
  const text = normalizeText(query.text);
  return {
    track_total_hits: true,
    _source: { includes: sourceFields(query) },
    ...(facets.length === 0 ? {} : { aggs: facetAggregations(facets) }),
    ...(highlight && text !== '' ? { highlight: highlightClause(text, pass, vocabulary) } : {}),
  };
}

function filtered(query: Clause, { filters = {} }: SearchQuery): Clause {
  const clauses = filterClauses(filters);
  return clauses.length === 0 ? query : { bool: { must: [query], filter: clauses } };
}

function sourceFields({ type, fields }: SearchQuery): string[] {
  return [...new Set(kindsOf(type).flatMap((kind) => shownFields(kind, fields)))];
}

/**
 * The parts of Elasticsearch's answer that are read; the rest never crosses the wire.
 * @param more parts that only some requests need
 */
export function responseFilterPath(
  { facets = [], highlight = false }: SearchQuery,
  ...more: readonly string[]
): string {
  return [
    'timed_out',
    'hits.total.value',
    'hits.max_score',
    'hits.hits._index',
    'hits.hits._source',
    ...(highlight ? ['hits.hits.highlight'] : []),
    ...(facets.length === 0 ? [] : [facetsFilterPath]),
    ...more,
  ].join(',');
}
