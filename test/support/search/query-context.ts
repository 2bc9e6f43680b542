import { type PreparedQuery, prepareQuery, type QueryContext } from '../../../src/search/query.ts';
import { emptyKnowledge } from '../../../src/search/questions/knowledge.ts';
import type { RankedText } from '../../../src/search/ranking/ranked-query.ts';
import { emptyVocabulary, type Vocabulary } from '../../../src/search/vocabulary/vocabulary.ts';

/** A context without knowledge of the data, on a day in 2026. */
export function queryContext(vocabulary: Vocabulary = emptyVocabulary): QueryContext {
  return { vocabulary, indexPrefix: '', knowledge: emptyKnowledge, now: new Date('2026-03-10T12:00:00Z') };
}

/** Returns a search for companies. */
export function preparedQuery(text: string, vocabulary: Vocabulary = emptyVocabulary): PreparedQuery {
  return prepareQuery({ type: 'companies', text, page: 1, limit: 20 }, queryContext(vocabulary));
}

/** Returns a text for companies as a search reads it. Throws if it is empty. */
export function rankedText(text: string, vocabulary: Vocabulary = emptyVocabulary): RankedText {
  const { ranked } = preparedQuery(text, vocabulary);
  if (ranked === null) throw new Error('there is no text');
  return ranked;
}
