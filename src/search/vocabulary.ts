/**
 * The domain's words: which phrases mean one concept. A question and a document that say the same thing in other words
 * meet in the concept's token. Documents get it when they are indexed, beside their own words; a question gets it here,
 * instead of its words.
 *
 * Pure: the text of the file is an argument. Its form:
 *
 *     # a comment
 *     concept < broader : phrase, phrase | phrase of questions only
 *
 * `concept` is one or more words and counts as a phrase itself. The optional `broader` concept is given to documents,
 * too, so that a question for it finds the narrower one. Phrases after "|" are understood in questions and change
 * nothing in the index. A regular plural of a phrase's last word is understood without being written.
 */

export interface Concept {
  readonly name: string;
  /** The one word that stands for the concept in the index and in a question. */
  readonly token: string;
  readonly broader: string | null;
  /** Phrases of documents and questions: words separated by one blank, the concept's name first. */
  readonly phrases: readonly string[];
  readonly questionPhrases: readonly string[];
}

export interface Vocabulary {
  readonly concepts: readonly Concept[];
  /** Token by phrase, of all that a question may say. */
  readonly tokenOf: ReadonlyMap<string, string>;
  readonly longestPhraseWords: number;
}

/** A vocabulary that can't be used; every problem names its line. */
export class VocabularyError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The vocabulary needs a correction:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'VocabularyError';
    this.problems = problems;
  }
}

export const emptyVocabulary: Vocabulary = { concepts: [], tokenOf: new Map(), longestPhraseWords: 0 };

/** The words of a text as the analyzers of the index see them, before any of them is replaced. */
export function wordsOf(text: string): string[] {
  return text
    .normalize('NFKD')
    .replace(/['’`]|[\u0300-\u036f]/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '');
}

/** Reads the vocabulary's file. Throws `VocabularyError` with all problems at once. */
export function parseVocabulary(text: string): Vocabulary {
  const problems: string[] = [];
  const concepts: Concept[] = [];
  const lineOf = new Map<string, number>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const concept = parseLine(line, index + 1, problems);
    if (concept === null) continue;
    concepts.push(concept);
    for (const phrase of [...concept.phrases, ...concept.questionPhrases]) {
      const earlier = lineOf.get(phrase);
      if (earlier !== undefined) problems.push(`line ${index + 1}: "${phrase}" stands in line ${earlier} already`);
      else lineOf.set(phrase, index + 1);
    }
  }
  problems.push(...brokenTokens(concepts), ...brokenBroader(concepts));
  if (problems.length > 0) throw new VocabularyError(problems);
  return prepared(concepts);
}

const form = /^([^<:|,]+)(?:<([^<:|,]+))?:([^<:|]*)(?:\|([^<:|]*))?$/;

function parseLine(line: string, number: number, problems: string[]): Concept | null {
  const content = line.replace(/#.*$/, '').trim();
  if (content === '') return null;
  const match = form.exec(content);
  if (match === null) {
    problems.push(`line ${number}: write "concept < broader : phrase, phrase | phrase of questions only"`);
    return null;
  }
  const [, name = '', broader, both = '', questionOnly = ''] = match;
  const phrases = [name, ...both.split(',')].map((phrase) => phrase.trim()).filter((phrase) => phrase !== '');
  const questionPhrases = questionOnly
    .split(',')
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== '');
  for (const phrase of [...phrases, ...questionPhrases, ...(broader === undefined ? [] : [broader.trim()])]) {
    const normal = wordsOf(phrase).join(' ');
    if (normal !== phrase) problems.push(`line ${number}: write "${phrase}" as "${normal}"`);
  }
  return { name: name.trim(), token: tokenOfName(name), broader: broader?.trim() ?? null, phrases, questionPhrases };
}

function tokenOfName(name: string): string {
  return wordsOf(name).join('');
}

function brokenTokens(concepts: readonly Concept[]): string[] {
  const conceptOf = new Map<string, Concept>();
  const problems: string[] = [];
  for (const concept of concepts) {
    const other = conceptOf.get(concept.token);
    if (other !== undefined) problems.push(`"${concept.name}" and "${other.name}" would be one token`);
    conceptOf.set(concept.token, concept);
  }
  for (const concept of concepts) {
    for (const phrase of [...concept.phrases, ...concept.questionPhrases]) {
      const named = conceptOf.get(phrase);
      if (named === undefined || named === concept) continue;
      problems.push(`"${phrase}" means "${concept.name}" and is the token of "${named.name}"`);
    }
  }
  return problems;
}

function brokenBroader(concepts: readonly Concept[]): string[] {
  const byName = new Map(concepts.map((concept) => [concept.name, concept]));
  const problems: string[] = [];
  for (const concept of concepts) {
    const seen = new Set([concept.name]);
    let above = concept.broader;
    while (above !== null) {
      const next = byName.get(above);
      if (next === undefined) problems.push(`"${concept.name}" is under "${above}", which is no concept`);
      if (next === undefined || seen.has(above)) break;
      seen.add(above);
      above = next.broader;
    }
    if (above !== null && seen.has(above)) problems.push(`"${concept.name}" is under itself, by way of "${above}"`);
  }
  return problems;
}

function prepared(concepts: readonly Concept[]): Vocabulary {
  const tokenOf = new Map<string, string>();
  for (const concept of concepts) {
    for (const phrase of [...concept.phrases, ...concept.questionPhrases]) tokenOf.set(phrase, concept.token);
  }
  // What is written wins over what is derived.
  for (const [phrase, token] of [...tokenOf]) {
    const plural = pluralOf(phrase);
    if (plural !== null && !tokenOf.has(plural)) tokenOf.set(plural, token);
  }
  const longestPhraseWords = Math.max(0, ...[...tokenOf.keys()].map((phrase) => phrase.split(' ').length));
  return { concepts, tokenOf, longestPhraseWords };
}

/** The regular plural of a phrase's last word; null where it looks like one already or is no word of letters. */
export function pluralOf(phrase: string): string | null {
  if (!/[a-z]{3}$/.test(phrase) || /s$/.test(phrase)) return null;
  if (/[^aeiou]y$/.test(phrase)) return `${phrase.slice(0, -1)}ies`;
  return /(x|z|ch|sh)$/.test(phrase) ? `${phrase}es` : `${phrase}s`;
}

/**
 * A question in the vocabulary's tokens: from the left, the longest phrase that means a concept becomes its token. The
 * same words come back where none does.
 */
export function inConcepts(text: string, vocabulary: Vocabulary): string {
  const words = wordsOf(text);
  const said: string[] = [];
  let replaced = false;
  for (let at = 0; at < words.length; ) {
    const found = conceptAt(words, at, vocabulary);
    said.push(found?.token ?? words[at] ?? '');
    replaced ||= found !== null;
    at += found?.length ?? 1;
  }
  return replaced ? said.join(' ') : text;
}

function conceptAt(words: readonly string[], at: number, { tokenOf, longestPhraseWords }: Vocabulary) {
  for (let length = Math.min(longestPhraseWords, words.length - at); length > 0; length -= 1) {
    const token = tokenOf.get(words.slice(at, at + length).join(' '));
    if (token !== undefined) return { token, length };
  }
  return null;
}

/**
 * Rules of Elasticsearch's `synonym` filter for documents: every phrase keeps its own words and gets the tokens of its
 * concept and of those above it.
 */
export function indexRules(vocabulary: Vocabulary): string[] {
  const byName = new Map(vocabulary.concepts.map((concept) => [concept.name, concept]));
  const written = new Set(
    vocabulary.concepts.flatMap(({ phrases, questionPhrases }) => [...phrases, ...questionPhrases]),
  );
  return vocabulary.concepts.flatMap((concept) => {
    const tokens = [concept.token];
    for (let above = concept.broader; above !== null; above = byName.get(above)?.broader ?? null) {
      tokens.push(byName.get(above)?.token ?? above);
    }
    const plurals = concept.phrases.flatMap((phrase) => {
      const plural = pluralOf(phrase);
      return plural === null || written.has(plural) ? [] : [plural];
    });
    return [...concept.phrases, ...plurals].map((phrase) => {
      const meanings = new Set([phrase, ...tokens]);
      return `${phrase} => ${[...meanings].join(', ')}`;
    });
  });
}
