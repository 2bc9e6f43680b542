import { kinds } from '../kinds/registry.ts';
import type { Pass } from './pass.ts';
import { askedKinds, askedText, type Question } from './question.ts';
import { rankedQuery } from './ranking.ts';
import type { Clause } from './tiers.ts';
import { emptyVocabulary, type Vocabulary } from './vocabulary.ts';

/** The parts of Elasticsearch's answer that are read; the rest never crosses the wire. */
export const answerFilterPath = 'timed_out,hits.total.value,hits.max_score,hits.hits._index,hits.hits._source';

/** The body of `POST /<indices>/_search` for a question. No user text ever reaches a query-string parser. */
export function searchBody(question: Question, pass: Pass, vocabulary: Vocabulary = emptyVocabulary): Clause {
  const text = askedText(question.query);
  return {
    from: (question.page - 1) * question.limit,
    size: question.limit,
    track_total_hits: true,
    _source: { includes: sourceFields(question) },
    ...(text === '' ? everything : ranked(text, pass, vocabulary)),
  };
}

const everything = {
  query: { match_all: {} },
  sort: [{ 'search.popularity': 'desc' }, { id: 'asc' }],
};

function ranked(text: string, pass: Pass, vocabulary: Vocabulary): Clause {
  return {
    query: rankedQuery(text, pass, vocabulary),
    // The id settles ties, so that pages neither repeat nor skip; the best score decides about the second pass.
    sort: [{ _score: 'desc' }, { id: 'asc' }],
    track_scores: true,
  };
}

function sourceFields(question: Question): string[] {
  if (question.fields !== undefined) return [...question.fields];
  return [...new Set(askedKinds(question.type).flatMap((kind) => kinds[kind].itemFields))];
}
