import type { PhraseList } from '../../embeddings/term-vectors.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import { offTopicTexts } from './off-topic-texts.ts';

/** Number of the vocabulary's descriptions that represent searches. */
const sampleQueriesMax = 256;

/** Returns the texts that queries are compared with, and typical queries, to find their common part. */
export function phrasesOf({ concepts }: Vocabulary): PhraseList {
  const list = concepts.flatMap(({ token, phrases, queryPhrases, descriptions }) =>
    [...phrases, ...queryPhrases, ...descriptions].map((phrase) => ({ term: token, phrase })),
  );
  const all = concepts.flatMap(({ descriptions }) => descriptions);
  const every = Math.max(1, Math.floor(all.length / sampleQueriesMax));
  const queries = all.filter((_, at) => at % every === 0).slice(0, sampleQueriesMax);
  return { list, queries, offTopic: offTopicTexts };
}
