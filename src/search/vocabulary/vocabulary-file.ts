import { type Concept, phraseKey, type Vocabulary, vocabularyOf, wordsOf } from './vocabulary.ts';

/**
 * Reads and checks the file in which people write a vocabulary, one line per concept:
 *
 * # a comment
 * concept < broader : phrase, phrase | phrase of queries only ~ description, description
 *
 * `concept` is one or more words, and is a phrase itself. `< broader`, the phrases, the queries' phrases and the
 * descriptions may be left out. Text after "|" or "~" changes nothing in the index. Usual endings (plural, -ing,
 * -ed), fillers (my, the) and linking words (for, with, while) of queries are understood without being written.
 *
 * Descriptions state in everyday words the need behind a search for the concept. They are compared by meaning and never
 * matched as words, so they need no normal form: they may contain apostrophes, hyphens and digits.
 */

/** An invalid vocabulary. Every problem names its line or concept. */
export class VocabularyError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The vocabulary needs a correction:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'VocabularyError';
    this.problems = problems;
  }
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
    for (const phrase of phrasesOf(concept)) {
      const earlier = lineOf.get(phraseKey(phrase)) ?? index + 1;
      // A line may contain other endings of a phrase, for documents, because Elasticsearch's stemmer doesn't merge all
      // of them.
      const written = phrasesOf(concept).filter((other) => other === phrase).length;
      if (earlier !== index + 1) problems.push(`line ${index + 1}: "${phrase}" is already in line ${earlier}`);
      else if (written > 1) problems.push(`line ${index + 1}: "${phrase}" occurs ${written} times`);
      lineOf.set(phraseKey(phrase), earlier);
    }
  }
  problems.push(...sharedTokens(concepts), ...brokenBroader(concepts));
  if (problems.length > 0) throw new VocabularyError(problems);
  return vocabularyOf(concepts);
}

function phrasesOf({ phrases, queryPhrases }: Concept): string[] {
  return [...phrases, ...queryPhrases];
}

const form = /^([^<:|~,]+)(?:<([^<:|~,]+))?:([^<:|~]*)(?:\|([^<:|~]*))?(?:~([^<:|~]*))?$/;

function parseLine(line: string, number: number, problems: string[]): Concept | null {
  const content = line.replace(/#.*$/, '').trim();
  if (content === '') return null;
  const match = form.exec(content);
  if (match === null) {
    problems.push(`line ${number}: write "concept < broader : phrase, phrase | phrase of queries only ~ description"`);
    return null;
  }
  const [, name = '', broader, both = '', queriesOnly = '', described = ''] = match;
  const concept = {
    name: name.trim(),
    token: wordsOf(name).join(''),
    broader: broader?.trim() ?? null,
    phrases: [name.trim(), ...listed(both)],
    queryPhrases: listed(queriesOnly),
    descriptions: listed(described, /[,;]/),
  };
  for (const phrase of [...phrasesOf(concept), ...(concept.broader === null ? [] : [concept.broader])]) {
    const normal = wordsOf(phrase).join(' ');
    if (normal !== phrase) problems.push(`line ${number}: write "${phrase}" as "${normal}"`);
    if (phraseKey(phrase) === '') problems.push(`line ${number}: "${phrase}" has no meaning`);
  }
  return concept;
}

function listed(phrases: string, separator: string | RegExp = ','): string[] {
  return phrases
    .split(separator)
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== '');
}

/** A token must belong to one concept: it can't be another concept's token or phrase. */
function sharedTokens(concepts: readonly Concept[]): string[] {
  const conceptOf = new Map(concepts.map((concept) => [concept.token, concept]));
  return concepts.flatMap((concept) => {
    const last = conceptOf.get(concept.token) ?? concept;
    const same = last === concept ? [] : [`"${last.name}" and "${concept.name}" would be one token`];
    const named = phrasesOf(concept).flatMap((phrase) => {
      const other = conceptOf.get(phrase) ?? concept;
      return other === concept ? [] : [`"${phrase}" means "${concept.name}" and is the token of "${other.name}"`];
    });
    return [...same, ...named];
  });
}

function brokenBroader(concepts: readonly Concept[]): string[] {
  const byName = new Map(concepts.map((concept) => [concept.name, concept]));
  return concepts.flatMap((concept) => {
    const seen = new Set<string>();
    for (let at: Concept | undefined = concept; at.broader !== null; ) {
      seen.add(at.name);
      const above = byName.get(at.broader);
      if (above === undefined) return [`"${at.name}" is under "${at.broader}", which is not a concept`];
      if (seen.has(above.name)) return [`"${concept.name}" is under itself, by way of "${at.name}"`];
      at = above;
    }
    return [];
  });
}
