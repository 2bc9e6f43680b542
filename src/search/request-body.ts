import { facetAggregations, facetsFilterPath } from './options/facets.ts';
import { shownFields } from './options/fields.ts';
import { filterClauses } from './options/filters.ts';
import { highlightClause } from './options/highlight.ts';
import { type SortOrder, sortClauses } from './options/sorts.ts';
import type { Pass } from './pass.ts';
import { askedKinds, askedText, type Question } from './query.ts';
import { rankedQuery } from './ranking/ranked-query.ts';
import type { Clause } from './ranking/tiers.ts';
import type { Vocabulary } from './vocabulary/vocabulary.ts';

const byRelevance: SortOrder = { by: 'relevance', reversed: false };

/** The body of `POST /<indices>/_search` for a question's page. No user text ever reaches a query-string parser. */
export function searchBody(question: Question, pass: Pass, vocabulary: Vocabulary): Clause {
  return {
    from: (question.page - 1) * question.limit,
    size: question.limit,
    ...shownPart(question, pass, vocabulary),
    ...orderedPart(question, pass, vocabulary),
  };
}

/** Which documents answer a question, and in which order: what two bodies must share to be about the same results. */
export function orderedPart(question: Question, pass: Pass, vocabulary: Vocabulary): Clause {
  const text = askedText(question.query);
  const order = question.sort ?? byRelevance;
  const scored = text !== '' && order.by === 'relevance';
  return {
    query: filtered(text === '' ? { match_all: {} } : rankedQuery(text, pass, vocabulary), question),
    sort: sortClauses(order, scored, askedKinds(question.type)),
    // The best score decides about the second pass.
    ...(scored ? { track_scores: true } : {}),
  };
}

/** What is wanted of them. */
export function shownPart(question: Question, pass: Pass, vocabulary: Vocabulary): Clause {
  const { facets = [], highlight = false } = question;
  const text = askedText(question.query);
  return {
    track_total_hits: true,
    _source: { includes: sourceFields(question) },
    ...(facets.length === 0 ? {} : { aggs: facetAggregations(facets) }),
    ...(highlight && text !== '' ? { highlight: highlightClause(text, pass, vocabulary) } : {}),
  };
}

function filtered(query: Clause, { filters = {} }: Question): Clause {
  const clauses = filterClauses(filters);
  return clauses.length === 0 ? query : { bool: { must: [query], filter: clauses } };
}

function sourceFields({ type, fields }: Question): string[] {
  return [...new Set(askedKinds(type).flatMap((kind) => shownFields(kind, fields)))];
}

/**
 * The parts of Elasticsearch's answer that are read; the rest never crosses the wire.
 * @param more parts that only some requests need
 */
export function answerFilterPath({ facets = [], highlight = false }: Question, ...more: readonly string[]): string {
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
