import { isKindNoun } from '../questions/kind-nouns.ts';
import type { Knowledge } from '../questions/knowledge.ts';
import { fillers, linkWords, unlikeNames, wordSet } from '../questions/words.ts';
import { isFiller, isLinking, isOneEditAway, stemOf, type Vocabulary, wordsOf } from './vocabulary.ts';

/**
 * The words of queries apart from names: of the vocabulary's phrases, of questions, and of the data's tags, chains and
 * places. Any other word may be a name, or a misspelling.
 */
export interface Lexicon {
  has(word: string): boolean;
  /** Returns true for a word of grammar without a meaning. */
  isFunctionWord(word: string): boolean;
  /** Returns true for a word of the lexicon or the vocabulary's descriptions, or a misspelling: probably no name. */
  isWord(word: string): boolean;
  /** Returns true for a word of the domain or of plain English, not for tags, chains and places, which may be names. */
  isPlain(word: string): boolean;
  /** Returns true for a word that people put next to a name, such as a kind outside "decentralised exchanges". */
  isBesideName(word: string, neighbours: Beside): boolean;
  /** Returns true for a phrase, label or noun for a kind, or part of one with a neighbour: "table" in "hash table". */
  isOfField(word: string, neighbours: Beside): boolean;
  isPlace(word: string): boolean;
  /**
   * Returns the word that an unknown word misspells by one letter; null if there is none.
   * @param neighbours the right form of a short word must make a phrase with one of them
   */
  nearest(word: string, neighbours?: Beside): string | null;
}

/** The words before and after a word, apart from those of grammar; '' if there is none. */
interface Beside {
  readonly before: string;
  readonly behind: string;
}

/** Words that people put next to a name. The vocabulary lacks them, because they are not topics. */
const besides = wordSet(
  'about account address alternative alternatives api apk app apps application best blockchain blog buy by chain chrome company coin coins conference contact contract crypto decentralised decentralized discord docs download event events extension fees firm founder founders free fund funds github good guy help homepage how huge info ios android is it job jobs launch layer list login logo mainnet mobile more near network new news official online open partner people person platform portal price pricing program project protocol provider review reviews rollup safe service services sign site software solution solutions startup startups support system team tech technology the token tokens tool tools top tutorial twitter use user users using via vs web web3 webpage website what which who wiki with work',
);
const grammar: ReadonlySet<string> = new Set([
  ...[...fillers, ...linkWords, ...unlikeNames],
  ...wordSet(
    'again also always because could down everyone how if may more much must never no off often out over should so still then too up us was well were when where why will would yet',
  ),
]);

/** Shorter words are similar to too many others. */
const correctedLettersMin = 5;
/** Shorter ones are not words. */
const correctedBesideLettersMin = 3;
/** In shorter words, another letter makes another word: "built" isn't "build". */
const replacedLettersMin = 7;
/** Longer ones are rarely words, and have as many deletions as letters. */
const correctedLettersMax = 32;

const lexicons = new WeakMap<Vocabulary, WeakMap<Knowledge, Lexicon>>();

/** Cached for each vocabulary and knowledge: every search needs it, and building it takes about 50 ms. */
export function lexiconOf(vocabulary: Vocabulary, knowledge: Knowledge): Lexicon {
  const known = lexicons.get(vocabulary) ?? new WeakMap<Knowledge, Lexicon>();
  lexicons.set(vocabulary, known);
  const lexicon = known.get(knowledge) ?? createLexicon(vocabulary, knowledge);
  known.set(knowledge, lexicon);
  return lexicon;
}

function createLexicon({ concepts }: Vocabulary, { labels, places, chains }: Knowledge): Lexicon {
  const phrases = concepts.flatMap(({ phrases, queryPhrases }) => [...phrases, ...queryPhrases]);
  const plain = new Set([...besides, ...fillers, ...linkWords, ...phrases].flatMap(wordsOf));
  const names = new Set(chains.flatMap(wordsOf));
  const correctable = new Set([...plain, ...labels.flatMap(wordsOf)]);
  // A word that is nearly a city is more often nearly the name of an event there, which is searched as a whole.
  const placeWords = new Set(places.flatMap(wordsOf));
  const wholePlaces = new Set(places.map((place) => wordsOf(place).join(' ')));
  const known = new Set([...correctable, ...placeWords]);
  const stems = new Set([...known].map(stemOf));
  const byDeletion = new Map<string, string[]>();
  for (const word of correctable) {
    if (word.length < correctedLettersMin - 1 || placeWords.has(word)) continue;
    for (const key of deletions(word)) byDeletion.set(key, [...(byDeletion.get(key) ?? []), word]);
  }
  const isEmpty = (word: string): boolean => isFiller(word) || isLinking(word);
  const isFunctionWord = (word: string): boolean => isEmpty(word) || grammar.has(word);
  const ofField = [...phrases, ...labels].map((text) =>
    wordsOf(text).flatMap((word) => (isFunctionWord(word) ? [] : stemOf(word))),
  );
  const single = new Set(ofField.filter(({ length }) => length === 1).flat());
  const pairs = new Set(ofField.flatMap((words) => words.slice(1).map((word, at) => `${words[at]} ${word}`)));
  const isPhrase = (word: string, { before, behind }: Beside): boolean =>
    pairs.has([before, word].map(stemOf).join(' ')) || pairs.has([word, behind].map(stemOf).join(' '));
  const has = (word: string): boolean => known.has(word) || stems.has(stemOf(word)) || isEmpty(word);
  const described = new Set(concepts.flatMap(({ descriptions }) => descriptions.flatMap(wordsOf)).map(stemOf));
  const lexicon: Lexicon = {
    has,
    isFunctionWord,
    isWord: (word) =>
      has(word) ||
      isKindNoun(word) ||
      described.has(stemOf(word)) ||
      /^\p{N}+$/u.test(word) ||
      lexicon.nearest(word) !== null,
    isOfField: (word, neighbours) =>
      isKindNoun(word) || (!placeWords.has(word) && single.has(stemOf(word))) || isPhrase(word, neighbours),
    isPlace: (word) => wholePlaces.has(word),
    isPlain: (word) => (plain.has(word) && !names.has(word)) || isEmpty(word),
    isBesideName: (word, neighbours) =>
      isFunctionWord(word) || besides.has(word) || (isKindNoun(word) && !isPhrase(word, neighbours)),
    nearest(word, neighbours) {
      if (word.length > correctedLettersMax || known.has(word) || isEmpty(word)) return null;
      const isShort = word.length < correctedLettersMin;
      if (isShort && (has(word) || word.length < correctedBesideLettersMin)) return null;
      const candidates = new Set([...deletions(word)].flatMap((key) => byDeletion.get(key) ?? []));
      const near = [...candidates].filter(
        (one) =>
          isOneEditAway(word, one) &&
          (word.length !== one.length || word.length >= replacedLettersMin || areSwapped(word, one)) &&
          // "Votting" has the stem of "vote": only the same form of that is meant.
          (!stems.has(stemOf(word)) || (stemOf(one) === stemOf(word) && one.slice(-3) === word.slice(-3))) &&
          (!isShort || (neighbours !== undefined && isPhrase(one, neighbours))),
      );
      // The first letter is rarely wrong.
      return near.sort((a, b) => Number(b[0] === word[0]) - Number(a[0] === word[0]) || (a < b ? -1 : 1))[0] ?? null;
    },
  };
  return lexicon;
}

function areSwapped(one: string, other: string): boolean {
  return [...one].sort().join('') === [...other].sort().join('');
}

/** Returns a word, and the word without each letter in turn. Words that are one edit apart have one in common. */
function deletions(word: string): Set<string> {
  return new Set([word, ...Array.from({ length: word.length }, (_, at) => word.slice(0, at) + word.slice(at + 1))]);
}
