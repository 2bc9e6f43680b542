import { LRUCache } from 'lru-cache';
import { readConcepts } from './concepts.ts';
import { type Vocabulary, wordsOf } from './vocabulary.ts';

/** A query's text, read in all the ways in which tiers ask for it. */
export interface AnalyzedText {
  /** As typed. */
  readonly text: string;
  /** In the vocabulary's tokens, for the fields that hold them. */
  readonly concepts: string;
  /** As typed, but a phrase that means a concept as one word. */
  readonly typed: string;
  /** Only those tokens, separated by blanks; '' for none. */
  readonly conceptTokens: string;
  /** Every phrase that means a concept of the query, each as one word, separated by blanks; '' for none. */
  readonly labels: string;
  /** The text without its year, where it has exactly one and words beside it. */
  readonly dated: { readonly rest: string; readonly year: string } | null;
}

/**
 * A search reads its text for each body, for the choice of the pass and for its cursor, and popular texts come again:
 * a fifth of a search's work in this process was reading (measured). In texts, which have an upper length.
 */
const readTextsKept = 500;
const readBefore = new WeakMap<Vocabulary, LRUCache<string, AnalyzedText>>();

/** @param text not empty, as `normalizeText` makes it */
export function analyzeText(text: string, vocabulary: Vocabulary): AnalyzedText {
  let texts = readBefore.get(vocabulary);
  if (texts === undefined) {
    texts = new LRUCache({ max: readTextsKept, memoMethod: (unread: string) => analyzeAnew(unread, vocabulary) });
    readBefore.set(vocabulary, texts);
  }
  return texts.memo(text);
}

function analyzeAnew(text: string, vocabulary: Vocabulary): AnalyzedText {
  const { concepts, named, typed } = readConcepts(text, vocabulary);
  const labels = named.flatMap(({ phrases }) => phrases.map((phrase) => wordsOf(phrase).join('')));
  return {
    text,
    concepts,
    typed,
    conceptTokens: named.map(({ token }) => token).join(' '),
    labels: [...new Set(labels)].join(' '),
    dated: readYear(text),
  };
}

function readYear(text: string): AnalyzedText['dated'] {
  const words = text.split(' ');
  const years = words.filter((word) => /^(19|20)\d\d$/.test(word));
  const rest = words.filter((word) => !years.includes(word)).join(' ');
  const [year] = years;
  return year === undefined || years.length > 1 || rest === '' ? null : { rest, year };
}
