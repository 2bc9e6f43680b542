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
  /** The text with typos in common words corrected; null if there are none. */
  readonly corrected: string | null;
  /**
   * The unknown words, if they are most of the text, or one of two words. Then the text is a name, or can't be found.
   * '' for other texts.
   */
  readonly unknown: string;
  /** True if a word is unknown. */
  readonly isStrange: boolean;
  /** True for a short text that begins with an unknown word: "gretzhaus privacy wallet". */
  readonly mayBeName: boolean;
  /** True if at most a third of the words, apart from places and numbers, belong to the field. */
  readonly isForeign: boolean;
}

export const noWordReading: WordReading = {
  names: [],
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
  const isTelling = (word: string): boolean => !lexicon.isFunctionWord(word);
  const telling = words.filter(isTelling);
  const strange = telling.filter((word) => !lexicon.isWord(word));
  const right: string[] = [];
  for (const [at, word] of telling.entries()) {
    right.push(lexicon.nearest(word, { before: right.at(-1) ?? '', behind: telling[at + 1] ?? '' }) ?? word);
  }
  const next = right.values();
  const corrected = words.map((word) => (isTelling(word) ? (next.next().value ?? word) : word)).join(' ');
  const [isForeign, isName] = [isOfOtherField(right, lexicon), mayBeName(words, telling, strange)];
  // No word of "the dog barks all night" is a misspelt name, but the first of "unswap walet app" is.
  const isLikely = isName || !isForeign;
  return {
    names: nameCandidates(words, lexicon).map((name) => ({ ...name, isLikely: name.isLikely && isLikely })),
    corrected: corrected === words.join(' ') ? null : corrected,
    unknown: unknownWords(words, telling, strange),
    isStrange: strange.length > 0,
    mayBeName: isName,
    isForeign,
  };
}

function isOfOtherField(words: readonly string[], lexicon: Lexicon): boolean {
  const counted = [...words.entries()].filter(([, word]) => !isNumber(word) && !lexicon.isPlace(word));
  const ofField = counted.filter(([at, word]) =>
    lexicon.isOfField(word, { before: words[at - 1] ?? '', behind: words[at + 1] ?? '' }),
  );
  return counted.length > 1 && ofField.length * 3 <= counted.length;
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

/** Searches for several entities, such as "gretzhaus hardware wallets", end with a plural, and few names do. */
function mayBeName(words: readonly string[], telling: readonly string[], [strange]: readonly string[]): boolean {
  const isShort = words.length <= oneUnknownWordsMax && telling.length > 2;
  return isShort && strange === telling[0] && !/[^s]s$/.test(telling.at(-1) ?? '');
}

/** In longer texts, few words are names, and each costs time. */
const candidateTextWordsMax = 7;
/** Shorter words are similar to too many names. */
const misspeltLettersMin = 5;

interface Word {
  readonly text: string;
  /** True for a common word of texts, or a label of the data. */
  readonly isKnown: boolean;
  readonly isSlip: boolean;
}

function nameCandidates(texts: readonly string[], lexicon: Lexicon): NameCandidate[] {
  if (texts.length > candidateTextWordsMax) return [];
  const words = texts.map(
    (text): Word => ({
      text,
      isKnown: lexicon.has(text) || isNumber(text),
      isSlip: lexicon.isPlain(lexicon.nearest(text) ?? ''),
    }),
  );
  const spans = [...words.keys()].flatMap((at) => [[at], ...(words.length > 2 && at > 0 ? [[at - 1, at]] : [])]);
  return spans.flatMap((span) => candidateOf(words, span) ?? []);
}

function candidateOf(words: readonly Word[], span: readonly number[]): NameCandidate | null {
  const own = words.filter((_, at) => span.includes(at));
  // A year next to a name is handled elsewhere.
  const others = words.filter(({ text }, at) => !span.includes(at) && !isNumber(text));
  if (others.length === 0 || own.every(({ isKnown }) => isKnown)) return null;
  const text = own.map((word) => word.text).join(' ');
  const unknown = others.filter(({ isKnown, isSlip }) => !isKnown && !isSlip).length;
  // All words together are more likely one name.
  if (text.length < misspeltLettersMin || unknown > (others.length > 1 ? 1 : 0)) return null;
  // In a short text, an unknown word that isn't next to this one doesn't belong to the same name.
  const isNear = (at: number): boolean =>
    words.length > oneUnknownWordsMax || span.some((own) => Math.abs(own - at) === 1);
  const neighbours = words.filter((word, at) => isNear(at) && others.includes(word));
  return { text, isLikely: !own.every(({ isSlip }) => isSlip) && neighbours.every(({ isKnown }) => isKnown) };
}

function isNumber(word: string): boolean {
  return /^\d+$/.test(word);
}
