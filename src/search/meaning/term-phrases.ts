import type { PhraseList } from '../../embeddings/term-vectors.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';

/** Number of the vocabulary's descriptions that represent searches. */
const sampleQueriesMax = 256;

/** Sentences from other fields. A text that is no nearer to the terms than these has no meaning here. */
const offTopicTexts: readonly string[] = [
  'how to bake sourdough bread at home',
  'which vaccine does a puppy need first',
  'she plays the cello in a string quartet',
  'pruning roses in early spring',
  'my shoes got wet on the way to school',
  'a novel about two sisters on a farm',
  'how many calories are in a banana',
  'the goalkeeper saved a penalty in the last minute',
  'remove chewing gum from a jacket',
  'when do hedgehogs hibernate',
  'an umbrella was left on the tram',
  'soup with carrots and ginger',
  'why is the sky blue at noon',
  'fix a squeaky door hinge',
  'my grandmother knits socks for the whole family',
  'a cottage by the sea for two weeks in august',
  'how fast can a cheetah run',
  'headache after sleeping badly',
  'the pianist bowed and left the stage',
];

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
