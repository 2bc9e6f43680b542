import { readConcepts } from './concepts.ts';
import { noWordReading, type WordReading } from './name-candidates.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * Limits of the searched part of a text. A question of one sentence fits inside. More is mostly a pasted text, and takes
 * longer.
 */
export const textWordsMax = 24;
export const textCharactersMax = 160;

/**
 * Returns the text that is searched for: in Unicode's compatible composed form (NFKC), with one blank for white space
 * and control characters, cut to the first 24 words and 160 code points. A word that the cut would split is left out
 * unless it is the only one.
 */
export function normalizeText(text: string): string {
  const words = withBlanks(text).split(' ').slice(0, textWordsMax);
  const [first = '', ...rest] = words;
  let normal = isTooLong(first) ? Array.from(first).slice(0, textCharactersMax).join('') : first;
  for (const word of rest) {
    const longer = `${normal} ${word}`;
    if (isTooLong(longer)) break;
    normal = longer;
  }
  return normal;
}

/** Returns the end of a text that is too long, which is not searched for; '' if there is none. */
export function unreadEnd(text: string): string {
  return withBlanks(text).slice(normalizeText(text).length).trim();
}

const withBlanks = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();

/** Most texts are short in any unit. */
function isTooLong(text: string): boolean {
  return text.length > textCharactersMax && Array.from(text).length > textCharactersMax;
}

/** Only asterisks ask for everything, as in most search engines. */
const everything = /^[* ]*$/;

/** Returns the text that a query searches for, as `normalizeText` makes it; '' if it asks for everything. */
export function searchedText(text: string): string {
  const normal = normalizeText(text);
  return everything.test(normal) ? '' : normal;
}

/** A query's text in all forms that clauses use, with "zk rollup in Berlin" as the example. */
export interface AnalyzedText extends Omit<WordReading, 'corrected'> {
  /** As typed. */
  readonly text: string;
  /** In the vocabulary's tokens, for the fields that contain them: "layer2 in berlin". */
  readonly withConcepts: string;
  /** As typed, but a phrase that means a concept as one word: "zkrollup in berlin rollup". */
  readonly withJoinedPhrases: string;
  /** Only the tokens of its concepts, separated by blanks: "layer2"; '' if there are none. */
  readonly conceptTokens: string;
  /** Every phrase for its concepts, each as one word: "layer2 l2 zkrollup sidechain ..."; '' if there are none. */
  readonly joinedConceptPhrases: string;
  /** The text without its year, if it has exactly one and other words. */
  readonly dated: { readonly rest: string; readonly year: string } | null;
  /** The text with typos in common words corrected; null if there are none. */
  readonly corrected: AnalyzedText | null;
}

/** @param text not empty, from `normalizeText` */
export function analyzeText(text: string, vocabulary: Vocabulary, words: WordReading = noWordReading): AnalyzedText {
  const { withConcepts, named, withJoinedPhrases } = readConcepts(text, vocabulary);
  const phrases = named.flatMap(({ token }) => vocabulary.joinedPhrases.get(token) ?? []);
  return {
    ...words,
    text,
    withConcepts,
    withJoinedPhrases,
    conceptTokens: named.map(({ token }) => token).join(' '),
    joinedConceptPhrases: [...new Set(phrases)].join(' '),
    dated: readYear(text),
    corrected:
      words.corrected === null
        ? null
        : analyzeText(words.corrected, vocabulary, { ...words, names: [], corrected: null }),
  };
}

function readYear(text: string): AnalyzedText['dated'] {
  const words = text.split(' ');
  const years = words.filter((word) => /^(19|20)\d\d$/.test(word));
  const rest = words.filter((word) => !years.includes(word)).join(' ');
  const [year] = years;
  return year === undefined || years.length > 1 || rest === '' ? null : { rest, year };
}
