import { kinds } from '../kinds/registry.ts';
import { askedKinds, askedText, type Question } from './question.ts';
import { type Clause, contentClauses, fuzzyTiers, placeBonus, popularityFunction, strictTiers } from './tiers.ts';

/** The strict pass trusts the spelling; the tolerant one does not. */
export type Pass = 'strict' | 'tolerant';

/** The parts of Elasticsearch's answer that are read; the rest never crosses the wire. */
export const answerFilterPath = 'timed_out,hits.total.value,hits.max_score,hits.hits._index,hits.hits._source';

/** The body of `POST /<indices>/_search` for a question. No user text ever reaches a query-string parser. */
export function searchBody(question: Question, pass: Pass): Clause {
  const text = askedText(question.query);
  return {
    from: (question.page - 1) * question.limit,
    size: question.limit,
    track_total_hits: true,
    _source: { includes: sourceFields(question) },
    ...(text === '' ? everything : ranked(text, pass)),
  };
}

const everything = {
  query: { match_all: {} },
  sort: [{ 'search.popularity': 'desc' }, { id: 'asc' }],
};

function ranked(text: string, pass: Pass): Clause {
  const tiers = pass === 'strict' ? strictTiers(text) : [...strictTiers(text), ...fuzzyTiers(text)];
  return {
    query: {
      function_score: {
        query: {
          bool: {
            must: [{ bool: { should: [{ dis_max: { queries: tiers } }, ...contentClauses(text)] } }],
            should: [placeBonus(text)],
          },
        },
        functions: [popularityFunction],
        score_mode: 'sum',
        boost_mode: 'sum',
      },
    },
    // The id settles ties, so that pages neither repeat nor skip; the best score decides about the second pass.
    sort: [{ _score: 'desc' }, { id: 'asc' }],
    track_scores: true,
  };
}

function sourceFields(question: Question): string[] {
  return [...new Set(askedKinds(question.type).flatMap((kind) => kinds[kind].itemFields))];
}
