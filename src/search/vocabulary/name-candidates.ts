import type { Lexicon } from './lexicon.ts';
import { wordsOf } from './vocabulary.ts';

/** A word of a text, or two neighbouring ones, that may be a misspelt name among other words. */
export interface NameCandidate {
  /** The text, with a blank between two words. */
  readonly text: string;
  /** True if it is not one letter away from a common word, and no other word may belong to a longer name. */
  readonly isLikely: boolean;
}

/** The possible meanings of the words of a text, one by one. */
export interface WordReading {
  /** The parts that may be a name among other words. */
  readonly names: readonly NameCandidate[];
  /** The parts that may be names in their right spelling, each as one word; '' if there are none. */
  readonly spelledNames: string;
  /** Those of them that surely name the intended entity, because the other words name no topic. */
  readonly sureNames: string;
  /** The text with typos in common words corrected; null if there are none. */
  readonly corrected: string | null;
  /** The unknown words, if they are most of the text or one of two: it is a name, or can't be found. '' otherwise. */
  readonly unknown: string;
  readonly isStrange: boolean;
  /** True for a short text that begins with an unknown word: "gretzhaus privacy wallet". */
  readonly mayBeName: boolean;
  /** True if few of the words, apart from places and numbers, belong to the field. */
  readonly isForeign: boolean;
}

export const noWordReading: WordReading = {
  names: [],
  spelledNames: '',
  sureNames: '',
  corrected: null,
  unknown: '',
  isStrange: false,
  mayBeName: false,
  isForeign: false,
};

/** A text of one word is searched as a whole name, misspelt or not. */
export function readWords(text: string, lexicon: Lexicon): WordReading {
  const words = wordsOf(text);
  if (words.length < 2) return noWordReading;
  const telling = words.filter((word) => !lexicon.isFunctionWord(word));
  const strange = telling.filter((word) => !lexicon.isWord(word));
  const right: string[] = [];
  for (const [at, word] of telling.entries()) {
    right.push(lexicon.nearest(word, { before: right.at(-1) ?? '', behind: telling[at + 1] ?? '' }) ?? word);
  }
  const next = right.values();
  const corrected = words.map((word) => (lexicon.isFunctionWord(word) ? word : (next.next().value ?? word))).join(' ');
  const isCorrected = corrected !== words.join(' ');
  const isSentence = telling.length < words.length;
  // A word of another field that is similar to one of this field isn't a typo.
  const counted = isSentence ? right.map((word, at) => (word === telling[at] ? word : '')) : right;
  const share = shareOfField(counted, lexicon);
  const isEveryday = isSentence && strange.length > (words.length > shortSentenceWordsMax ? 0 : 1);
  const isName = mayBeName(words, telling, strange);
  // No word of "the dog barks all night" is a misspelt name, but the first of "unswap walet app" is.
  const [isShort, mayHaveName] = [words.length <= candidateTextWordsMax, isName || share > 1 / 3];
  const spelled = (some: readonly string[]) => (isShort && mayHaveName ? spelledNames(some, lexicon) : []);
  const typed = spelled(words);
  return {
    names: isShort ? misspeltNames(words, lexicon, mayHaveName) : [],
    spelledNames: inFull([...typed, ...(isCorrected ? spelled(corrected.split(' ')) : [])]),
    sureNames: inFull(typed.filter(({ isSure }) => isSure)),
    corrected: isCorrected ? corrected : null,
    unknown: unknownWords(words, telling, strange),
    isStrange: strange.length > 0,
    mayBeName: isName,
    isForeign: share <= (isEveryday ? 1 / 2 : 1 / 3),
  };
}

/** In shorter sentences, a single unknown word is more likely a name. */
const shortSentenceWordsMax = 6;

function neighboursAt(words: readonly string[], at: number) {
  return { before: words[at - 1] ?? '', behind: words[at + 1] ?? '' };
}

/** Returns the share of words of the field, without places and numbers; 1 if fewer than two are left. */
function shareOfField(words: readonly string[], lexicon: Lexicon): number {
  const counted = [...words.entries()].filter(([, word]) => word !== '' && !isNumber(word) && !lexicon.isPlace(word));
  const ofField = counted.filter(([at, word]) => lexicon.isOfField(word, neighboursAt(words, at)));
  return counted.length > 1 ? ofField.length / counted.length : 1;
}

/** In longer texts, a single unknown word is not a name. */
const oneUnknownWordsMax = 4;

function unknownWords(words: readonly string[], telling: readonly string[], strange: readonly string[]): string {
  // Numbers alone may be a name.
  const unknown = telling.every(isNumber) ? telling : strange;
  if (unknown.length === 1 && words.length > oneUnknownWordsMax) return '';
  const isName = telling.length > 2 ? unknown.length * 2 > telling.length : unknown.length > 0;
  return isName ? unknown.join(' ') : '';
}

function mayBeName(words: readonly string[], telling: readonly string[], [strange]: readonly string[]): boolean {
  const isShort = words.length <= oneUnknownWordsMax && telling.length > 2;
  return isShort && strange === telling[0] && !adjective.test(strange ?? '');
}

/** Endings that names rarely have: "affordable nft marketplace". */
const adjective = /([ai]ble|ful|less|ive|ous|ical|[ao]ry|ed)$/;

/** In longer texts, few words are names, and each costs time. */
const candidateTextWordsMax = 7;
/** Shorter words are similar to too many names. */
const misspeltLettersMin = 4;
const misspeltWordsMax = 2;
/** Shorter names are abbreviations of many things. */
const spelledLettersMin = 3;
const spelledWordsMax = 3;

/** Returns the parts of a text of up to a number of words, each with the words around it. */
function spansOf<Word>(words: readonly Word[], wordsMax: number) {
  return words.flatMap((_, from) =>
    words.slice(from, from + wordsMax).map((_, more) => {
      const until = from + more + 1;
      return { own: words.slice(from, until), before: words.slice(0, from), behind: words.slice(until) };
    }),
  );
}

function misspeltNames(texts: readonly string[], lexicon: Lexicon, mayBeLikely: boolean): NameCandidate[] {
  const words = texts.map((text) => ({
    text,
    // A common word of texts, or a label of the data.
    isKnown: lexicon.has(text) || isNumber(text),
    isSlip: lexicon.isPlain(lexicon.nearest(text) ?? ''),
  }));
  return spansOf(words, misspeltWordsMax).flatMap(({ own, before, behind }) => {
    // A year next to a name is handled elsewhere.
    const others = [...before, ...behind].filter(({ text }) => !isNumber(text));
    if (others.length === 0 || own.every(({ isKnown }) => isKnown)) return [];
    const text = own.map((word) => word.text).join(' ');
    const unknown = others.filter(({ isKnown, isSlip }) => !isKnown && !isSlip).length;
    // All words together are more likely one name.
    if (text.length < misspeltLettersMin || unknown > (others.length > 1 ? 1 : 0)) return [];
    // In a short text, an unknown word that isn't next to this one doesn't belong to the same name.
    const near = words.length > oneUnknownWordsMax ? others : [...before.slice(-1), ...behind.slice(0, 1)];
    const isUsual = own.every(({ isSlip }) => isSlip) || !near.every(({ isKnown }) => isKnown);
    return [{ text, isLikely: mayBeLikely && !isUsual }];
  });
}

interface SpelledName {
  readonly name: string;
  /** True if no topic is next to it, or one of its two words is unknown. */
  readonly isSure: boolean;
}

function spelledNames(words: readonly string[], lexicon: Lexicon): SpelledName[] {
  return spansOf(words, spelledWordsMax).flatMap(({ own, before, behind }) => {
    const name = own.join('');
    const others = [...before, ...behind].filter((word) => !isNumber(word));
    const isUsual = own.every((word) => isNumber(word) || lexicon.isPlain(word));
    if (name.length < spelledLettersMin || isUsual || others.length === 0 || !others.every(lexicon.isWord)) return [];
    // "Thor" in "thor chain swap" can only be part of a name.
    const isSplit = own.length === 2 && own.some((word) => !lexicon.isWord(word));
    // "Decentralised exchanges polygon".
    const isBeside = (some: readonly string[]) =>
      some.every((word, at) => isNumber(word) || lexicon.isBesideName(word, neighboursAt(some, at)));
    const isSure = isSplit || (isBeside(before) && isBeside(behind));
    // Next to a topic, a chain or place is a condition.
    return isSure || own.length > 1 || !lexicon.has(name) ? [{ name, isSure }] : [];
  });
}

/** Ends of names that people leave out. */
export const nameEnds = ['', 'foundation', 'network', 'protocol', 'labs', 'finance', 'capital', 'partners', 'ventures'];

function inFull(names: readonly SpelledName[]): string {
  return names.flatMap(({ name }) => nameEnds.map((end) => `${name}${end}`)).join(' ');
}

function isNumber(word: string): boolean {
  return /^\d+$/.test(word);
}
