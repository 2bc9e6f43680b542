import { wordSet } from '../questions/words.ts';

/**
 * The vocabulary of the domain has the phrases of each concept. A query matches a document with other words for the
 * same thing by the concept's token. Documents get the token in addition to their own words when they are indexed.
 * Queries get it here, in place of their words. `vocabulary-file.ts` describes the file.
 */

export interface Concept {
  readonly name: string;
  /** The one word that represents the concept in the index and in a query. */
  readonly token: string;
  /** The name of a broader concept, whose token documents get as well: a query for it finds the narrower one. */
  readonly broader: string | null;
  /** Phrases of documents and queries: words separated by one blank, the concept's name first. */
  readonly phrases: readonly string[];
  readonly queryPhrases: readonly string[];
  /** The need for it in everyday words, compared by meaning and never matched as words. */
  readonly descriptions: readonly string[];
}

export interface Vocabulary {
  readonly concepts: readonly Concept[];
  /** Token by `phraseKey`, for all phrases of queries. */
  readonly tokenOf: ReadonlyMap<string, string>;
  /** By the first word of such a key: the number of words of the longest one. */
  readonly longestFrom: ReadonlyMap<string, number>;
  /** By token: a concept's phrases of documents and queries, each as one word. */
  readonly joinedPhrases: ReadonlyMap<string, readonly string[]>;
}

export const emptyVocabulary: Vocabulary = {
  concepts: [],
  tokenOf: new Map(),
  longestFrom: new Map(),
  joinedPhrases: new Map(),
};

/** @param concepts without shared phrases; each `broader` is one of them, without circles */
export function vocabularyOf(concepts: readonly Concept[]): Vocabulary {
  const tokenOf = new Map(
    concepts.flatMap(({ token, phrases, queryPhrases }) =>
      [...phrases, ...queryPhrases].map((phrase) => [phraseKey(phrase), token] as const),
    ),
  );
  const longestFrom = new Map<string, number>();
  for (const words of [...tokenOf.keys()].map((key) => key.split(' '))) {
    const [first = ''] = words;
    longestFrom.set(first, Math.max(words.length, longestFrom.get(first) ?? 0));
  }
  const joinedPhrases = new Map(
    concepts.map(({ token, phrases }) => [token, phrases.map((phrase) => wordsOf(phrase).join(''))]),
  );
  return { concepts, tokenOf, longestFrom, joinedPhrases };
}

/** Returns the words of a text as the analyzers of the index see them, before any of them is replaced. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .replace(/['’`]|[\u0300-\u036f]/gu, '')
      .normalize('NFC')
      .toLowerCase()
      // "Bitcoin++" and "C++" are words of their own.
      .match(/[\p{L}\p{N}\p{M}]+(\+\+)?/gu) ?? []
  );
}

/** Words that have no meaning anywhere in a phrase. */
const fillers = wordSet(
  'a an the my our your their his her its some any all every each this that these those i we you me am is are',
);

/** Words that only link the others of a phrase: "earn by playing", "earn while playing". */
const linking = wordSet('and at by for in of while with');

export function isFiller(word: string): boolean {
  return fillers.has(word);
}

export function isLinking(word: string): boolean {
  return linking.has(word);
}

/** Returns the common key of phrases that differ only in endings, fillers and linking words. */
export function phraseKey(phrase: string): string {
  return phrase
    .split(' ')
    .filter((word) => !isFiller(word) && !isLinking(word))
    .map(stemOf)
    .join(' ');
}

/** Words whose meaning changes without their ending. */
const otherWithEnding = wordSet('securities options futures goods accounting marketing');

/**
 * Returns a word without its usual ending (plural, -ing, -ed), for comparing phrases. Documents are stemmed by
 * Elasticsearch. If the two differ, only a phrase is missed.
 */
export function stemOf(word: string): string {
  if (/^[a-z]+\d+s$/.test(word)) return word.slice(0, -1);
  if (!/^[a-z]{4,}$/.test(word) || /(ss|us|is)$/.test(word) || otherWithEnding.has(word)) return word;
  const singular = word
    .replace(/ies$/, 'y')
    .replace(/(x|z|ch|sh)es$/, '$1')
    .replace(/s$/, '');
  const verb = singular.replace(/(ing|ed)$/, '');
  const isVerb = verb !== singular && verb.length >= 3 && /[aeiouy]/.test(verb);
  const bare = isVerb ? verb.replace(/([bdgmnprt])\1$/, '$1') : singular;
  return bare.length > 3 ? bare.replace(/e$/, '') : bare;
}

/** Returns rules of a `synonym` filter: phrases keep their words, and get the tokens of their concepts. */
export function indexRules(vocabulary: Vocabulary): string[] {
  return vocabulary.concepts.flatMap((concept) => {
    const tokens = tokensUpwards(concept, vocabulary.concepts);
    return concept.phrases.map((phrase) => `${phrase} => ${[...new Set([phrase, ...tokens])].join(', ')}`);
  });
}

/** Returns the tokens that documents get for single words by these rules. */
export function conceptTokensOf(words: readonly string[], vocabulary: Vocabulary): string[] {
  const keys = new Set(words.map(phraseKey));
  const isMeant = (phrase: string) => !phrase.includes(' ') && keys.has(phraseKey(phrase));
  const meant = vocabulary.concepts.filter(({ phrases }) => phrases.some(isMeant));
  return [...new Set(meant.flatMap((concept) => tokensUpwards(concept, vocabulary.concepts)))];
}

function tokensUpwards(concept: Concept, all: readonly Concept[]): string[] {
  const broader = all.find(({ name }) => name === concept.broader);
  return [concept.token, ...(broader === undefined ? [] : tokensUpwards(broader, all))];
}

/** Returns true if two words differ by at most one letter: one too many, one too few, another one, or two swapped. */
export function isOneEditAway(left: string, right: string): boolean {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  const [a, b] = [left.slice(at), right.slice(at)];
  return (
    a.slice(1) === b ||
    a === b.slice(1) ||
    a.slice(1) === b.slice(1) ||
    (a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2))
  );
}
