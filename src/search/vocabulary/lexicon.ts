import type { Knowledge } from '../questions/knowledge.ts';
import { fillers, linkWords } from '../questions/words.ts';
import { isFiller, isLinking, stemOf, type Vocabulary, wordsOf } from './vocabulary.ts';

/**
 * The words that queries are made of beside names: those of the vocabulary's phrases and of the data's labels. A word
 * that is none of them may be a name, or a slip of one of them.
 */
export interface Lexicon {
  has(word: string): boolean;
  /** Whether it is one of the trade's or of plain English, and not only a label of the data, which may be a name. */
  isPlain(word: string): boolean;
  /** The word of the lexicon that is one slip away: a letter too many, too few, another one, or two that changed places. */
  nearest(word: string): string | null;
}

/** Words that people put beside a name, and that name nothing. */
const noise =
  'about account address alternative alternatives api apk app apps application best blog buy by chrome company coin coins conference contact contract crypto decentralised decentralized discord docs download event events extension fees firm founder founders free fund funds github good guy help homepage how huge info ios android is it job jobs launch list login logo mainnet mobile more near network new news official online open partner people person platform portal price pricing program project protocol provider review reviews safe service services sign site software solution solutions startup startups support system team tech technology the token tokens tool tools top tutorial twitter use user users using via vs web web3 webpage website what which who wiki with work';

/** Shorter words are near too many others. */
const correctedFrom = 5;
/** Longer ones are hardly words, and have as many deletions as letters. */
const correctedUntil = 32;

const made = new WeakMap<Vocabulary, WeakMap<Knowledge, Lexicon>>();

/** Made once for each vocabulary and state of knowledge. */
export function lexiconOf(vocabulary: Vocabulary, knowledge: Knowledge): Lexicon {
  const known = made.get(vocabulary) ?? new WeakMap<Knowledge, Lexicon>();
  made.set(vocabulary, known);
  const lexicon = known.get(knowledge) ?? createLexicon(vocabulary, knowledge);
  known.set(knowledge, lexicon);
  return lexicon;
}

function createLexicon({ concepts }: Vocabulary, { labels, places, chains }: Knowledge): Lexicon {
  const phrases = concepts.flatMap(({ phrases, queryPhrases }) => [...phrases, ...queryPhrases]);
  const plain = new Set([noise, ...fillers, ...linkWords, ...phrases].flatMap(wordsOf));
  const names = new Set(chains.flatMap(wordsOf));
  const correctable = new Set([...plain, ...labels.flatMap(wordsOf)]);
  // A word that is nearly a city is more often nearly the name of an event there, which is looked for as a whole.
  const placeWords = new Set(places.flatMap(wordsOf));
  const known = new Set([...correctable, ...placeWords]);
  const stems = new Set([...known].map(stemOf));
  const byDeletion = new Map<string, string[]>();
  for (const word of correctable) {
    if (word.length < correctedFrom - 1 || placeWords.has(word)) continue;
    for (const key of deletions(word)) byDeletion.set(key, [...(byDeletion.get(key) ?? []), word]);
  }
  const has = (word: string): boolean =>
    known.has(word) || stems.has(stemOf(word)) || isFiller(word) || isLinking(word);
  return {
    has,
    isPlain: (word) => (plain.has(word) && !names.has(word)) || isFiller(word) || isLinking(word),
    nearest(word) {
      if (word.length < correctedFrom || word.length > correctedUntil || has(word)) return null;
      const candidates = new Set([...deletions(word)].flatMap((key) => byDeletion.get(key) ?? []));
      const near = [...candidates].filter((one) => isOneSlip(word, one));
      // The first letter is rarely the wrong one.
      return near.sort((a, b) => Number(b[0] === word[0]) - Number(a[0] === word[0]) || (a < b ? -1 : 1))[0] ?? null;
    },
  };
}

/** The word, and all that it is without one of its letters: two words that are one slip apart share one of them. */
function deletions(word: string): Set<string> {
  const keys = new Set([word]);
  for (let at = 0; at < word.length; at += 1) keys.add(word.slice(0, at) + word.slice(at + 1));
  return keys;
}

function isOneSlip(a: string, b: string): boolean {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const [restA, restB] = [a.slice(at), b.slice(at)];
  return (
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB.slice(1) ||
    (restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2))
  );
}
