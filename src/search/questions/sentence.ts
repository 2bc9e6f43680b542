import { isOneEditAway } from '../vocabulary/vocabulary.ts';
import type { ReadPart } from './question.ts';

export interface Word {
  /** As written. */
  readonly text: string;
  /**
   * The form for comparisons: folded, without surrounding punctuation, hyphens and possessive. Misspelt cues are
   * corrected.
   */
  readonly key: string;
  /** True if the written word was a misspelling of the key. */
  readonly isCorrected: boolean;
  /** The form for names: as written, without surrounding punctuation and possessive. */
  readonly name: string;
  readonly isPossessive: boolean;
  readonly endsPhrase: boolean;
}

/** Returns lower case without accents, so that "Zürich" and "zurich" are equal. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}

const around = /^[\p{Pi}\p{Pf}\p{Ps}"'`¿¡]+|[\p{Pi}\p{Pf}\p{Pe}"'`?!,;:.]+$/gu;

const shortForms: ReadonlyMap<string, string> = new Map([
  ['+', 'and'],
  ['w/', 'with'],
]);

function toWord(text: string, correct: (key: string) => string): Word {
  const bare = text.replace(around, '');
  const isPossessive = /['’]s$/iu.test(bare);
  const name = isPossessive ? bare.slice(0, -2) : bare;
  const written = shortForms.get(text) ?? fold(name).replace(/[-‐-―]/g, '');
  const key = correct(written);
  return { text, name, isPossessive, key, isCorrected: key !== written, endsPhrase: /[,;:]$/u.test(text) };
}

/** The words of a text. Readers take words, so that no word is read twice. */
export interface Sentence {
  readonly words: readonly Word[];
  /** Returns the word's key; '' if there is no such word, or it is taken. */
  key(at: number): string;
  isFree(at: number): boolean;
  /** Takes the words from one up to, but not including, another. Words that were taken earlier are unchanged. */
  take(from: number, until: number, as: ReadPart['as'] | 'filler'): void;
  /** Marks words as read that are still searched for. */
  note(from: number, until: number, as: ReadPart['as']): void;
  /** True if anything other than filler was read. */
  isRead(): boolean;
  rest(): readonly Word[];
  parts(): readonly ReadPart[];
}

export function createSentence(text: string, correct: (key: string) => string = (key) => key): Sentence {
  // "Ex-coinbase" and "berlin-based" have two words.
  const parts = text.replace(/(?<=\bex-)(?=\p{L})|(?<=\p{L})-(?=based\b)/giu, ' ').split(' ');
  const words = text === '' ? [] : parts.map((word) => toWord(word, correct));
  const taken = new Map<number, Reading>();
  const noted = new Map<number, Reading>();
  const isFree = (at: number): boolean => at >= 0 && at < words.length && !taken.has(at);
  return {
    words,
    isFree,
    key: (at) => (isFree(at) ? (words[at]?.key ?? '') : ''),
    take(from, until, as) {
      const reading = { as };
      for (let at = from; at < until; at += 1) if (isFree(at)) taken.set(at, reading);
    },
    note(from, until, as) {
      const reading = { as };
      for (let at = from; at < until; at += 1) noted.set(at, reading);
    },
    isRead: () => [...taken.values(), ...noted.values()].some(({ as }) => as !== 'filler'),
    rest: () => words.filter((_, at) => isFree(at)),
    parts() {
      const parts = new Map<Reading, string[]>();
      for (const [at, word] of words.entries()) {
        const reading = noted.get(at) ?? taken.get(at);
        if (reading !== undefined) parts.set(reading, [...(parts.get(reading) ?? []), word.text]);
      }
      return [...parts].flatMap(([{ as }, texts]) => (as === 'filler' ? [] : [{ as, text: texts.join(' ') }]));
    },
  };
}

/** The meaning of words. Words that were taken together share one object. */
interface Reading {
  readonly as: ReadPart['as'] | 'filler';
}

/** Returns the position of a word, or the next one if it is "the": "in the summer", "from the nordics". */
export function afterThe(sentence: Sentence, at: number): number {
  return sentence.key(at) === 'the' ? at + 1 : at;
}

/** A pattern of consecutive words: their keys, separated by blanks. */
export function phrase(pattern: string): RegExp {
  // Built from tables of words, which are constants.
  // nosemgrep: no-expressions-from-values
  return new RegExp(`^(?:${pattern})(?= |$)`);
}

/** Returns the free words from a position on, in the form for comparisons with phrases. */
export function keysFrom(sentence: Sentence, at: number, until = at + phraseWordsMax, keyOf = keyOfWord): string {
  let end = at;
  while (end < until && sentence.isFree(end)) end += 1;
  return sentence.words.slice(Math.max(at, 0), Math.max(end, 0)).map(keyOf).join(' ');
}

const keyOfWord = ({ key }: Word): string => key;

/**
 * Returns the position after a phrase that begins at a word; null if there is none.
 * @param keys the result of `keysFrom` for the position, once for all phrases that it is compared with
 */
export function phraseEnd(keys: string, at: number, wanted: RegExp): number | null {
  const found = wanted.exec(keys)?.[0];
  return found === undefined || found === '' ? null : at + found.split(' ').length;
}

const phraseWordsMax = 10;

const join = phrase('and|or|nor|plus|as well as');

/** Returns the position after a word that joins the values of a list; null if there is none. */
export function joinEnd(sentence: Sentence, at: number): number | null {
  return phraseEnd(keysFrom(sentence, at), at, join);
}

/**
 * Returns a name in the words from one up to before another, as written. The article stays in names like "The Graph".
 */
export function nameOf({ words }: Sentence, from: number, until: number): string {
  const names = words.slice(from, until).map((word) => word.name);
  if (names.length > 2 && /^the$/iu.test(names[0] ?? '')) names.shift();
  return names.join(' ').trim();
}

/** Returns true if a word is in a list. A long one may have one letter wrong, missing, added or swapped. */
export function matchesWord(key: string, wanted: string): boolean {
  if (key === wanted) return true;
  if (wanted.length < misspeltLettersMin || key[0] !== wanted[0] || !/^[a-z]+$/.test(key)) return false;
  return isOneEditAway(key, wanted);
}

/** Shorter words are similar to words with other meanings. */
const misspeltLettersMin = 7;
