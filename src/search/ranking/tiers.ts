import type { AnalyzedText } from '../vocabulary/analyze-text.ts';
import type { Clause } from './clauses.ts';
import { lettersOf, misspeltNameAmongWordsTiers, twoEditsFrom } from './name-among-words.ts';
import { tier } from './tier-table.ts';
import { allOccur } from './word-fields.ts';

/** Matches a whole name, apart from blanks and signs. */
function joinedName(query: string | Clause): Clause {
  return { match: { 'search.names.joined': query } };
}

/** Tiers that leave no doubt about the intended entity. */
export function sureTiers({ text, dated }: AnalyzedText): Clause[] {
  const sure = [
    tier('exactName', { term: { 'name.sort': text } }),
    tier('joinedName', joinedName(text)),
    tier('identifier', { match: { 'search.ids': text } }),
  ];
  if (dated === null) return sure;
  // "ETHDenver 2023" names one event of a series, whose name may lack the year.
  const filter = [joinedName(dated.rest), { match: { 'search.year': dated.year } }];
  return [...sure, tier('nameAndYear', { bool: { filter } })];
}

/**
 * Tiers of names that trust the spelling. Tiers that a text can't match are left out, because each clause costs
 * Elasticsearch about 40 µs even if it finds nothing.
 */
function spelledNameTiers({ text, dated }: AnalyzedText): Clause[] {
  const spelled = [
    tier('namePrefix', { match_bool_prefix: { 'search.names.joined': { query: text } } }),
    tier('namePhrase', { match_phrase: { 'search.names': text } }),
    tier('nameWordsPrefix', { match_bool_prefix: { 'search.names': { query: text, operator: 'and' } } }),
  ];
  if (dated === null) return spelled;
  // Other editions of a series rank after those of the year.
  const queries = [joinedName(dated.rest), inWords({ query: dated.rest })];
  return [...spelled, tier('nameOfAnotherYear', { dis_max: { queries } })];
}

export function contentTier(analyzed: AnalyzedText): Clause {
  return tier('contentWords', inEitherReading(analyzed));
}

export function strictTiers(analyzed: AnalyzedText): Clause[] {
  const { text } = analyzed;
  const proposal = { 'search.proposals': { query: text, analyzer: 'joined_neighbours' } };
  return [
    ...spelledNameTiers(analyzed),
    contentTier(analyzed),
    ...nameAmongWordsTier(analyzed.sureNames),
    // Proposals have numbers.
    ...(/\p{N}/u.test(text) ? [tier('proposal', { match: proposal })] : []),
  ];
}

/** Matches entities with one of these names, which are joined and separated by blanks. */
export function hasName(names: string): Clause {
  return joinedName({ query: names, analyzer: 'words' });
}

function nameAmongWordsTier(names: string): Clause[] {
  return names === '' ? [] : [tier('nameAmongWords', hasName(names))];
}

/** Returns all tiers except the sure ones, for a text that may be misspelt. */
export function tolerantTiers(analyzed: AnalyzedText): Clause[] {
  return [
    ...strictTiers(analyzed),
    ...inexactNameTiers(analyzed),
    ...nameAmongWordsTier(analyzed.spelledNames),
    ...(analyzed.corrected === null ? [] : [tier('correctedWords', inEitherReading(analyzed.corrected))]),
  ];
}

/** Matches all words, as tokens or as typed, because a word may be part of another phrase in a document. */
function inEitherReading({ text, withConcepts }: AnalyzedText): Clause {
  return { dis_max: { queries: [...new Set([withConcepts, text].flatMap(alternatives))].map(allOccur) } };
}

/** Returns "dex on eos" and "dex on tron" for "dex on eos or tron": one word of the first list is enough. */
export function alternatives(text: string): readonly string[] {
  const words = text.split(' ');
  const or = words.indexOf('or');
  if (or <= 0 || or === words.length - 1) return [text];
  let end = or;
  while (words[end] === 'or' && end + 1 < words.length) end += 2;
  const listed = words.slice(or - 1, end).filter((_, at) => at % 2 === 0);
  return listed.map((one) => words.toSpliced(or - 1, end - or + 1, one).join(' '));
}

export function nameTiers(analyzed: AnalyzedText): Clause[] {
  return [...sureTiers(analyzed), ...spelledNameTiers(analyzed), ...inexactNameTiers(analyzed)];
}

/** Limits of texts that may be the beginnings of two or more words of a name: "vita buter". */
const begunWordsMax = 4;
const begunLettersMin = 3;

function beginningsTier(text: string): Clause[] {
  const words = text.split(' ');
  if (words.length < 2 || words.length > begunWordsMax) return [];
  if (words.some((word) => lettersOf(word) < begunLettersMin)) return [];
  const filter = words.map((query) => ({ match_bool_prefix: { 'search.names': { query } } }));
  return [tier('wordBeginnings', { bool: { filter } })];
}

/**
 * Tiers that allow for unfinished and misspelt words: one edit above two, so that popularity decides only between
 * equals. Elasticsearch needs memory for each letter: several searches for one long word would make it refuse all
 * searches.
 */
function inexactNameTiers({ text, names, withConcepts, corrected }: AnalyzedText): Clause[] {
  const oneEdit = { query: text, fuzziness: '1', prefix_length: 0, max_expansions: expansionsMax };
  return [
    ...beginningsTier(text),
    ...(lettersOf(text) <= misspeltNameLettersMax ? [tier('fuzzyJoinedOneEdit', joinedName(oneEdit))] : []),
    ...(wordsMayBeMisspelt(text) ? [tier('fuzzyWordsOneEdit', inWords(oneEdit))] : []),
    ...twoEditsTier(text),
    ...misspeltNameAmongWordsTiers(names, corrected?.withConcepts ?? withConcepts),
  ];
}

/**
 * Two edits have only one clause, the most expensive part of a search: its automaton takes Elasticsearch 2 to 4 ms. A
 * short text may have them anywhere, and in a longer text, each long word may have two.
 */
function twoEditsTier(text: string): Clause[] {
  // In words below eight letters, it is one edit. Allowing a wrong first letter costs more than it finds.
  const fuzziness = `AUTO:3,${twoEditsFrom}`;
  const twoEdits = { query: text, fuzziness, prefix_length: 1, max_expansions: expansionsMax };
  const letters = lettersOf(text);
  if (letters >= twoEditsFrom && letters <= joinedTwoEditsMax)
    return [tier('fuzzyJoinedTwoEdits', joinedName(twoEdits))];
  const hasLongWord = text.split(' ').some((word) => lettersOf(word) >= twoEditsFrom);
  return hasLongWord && wordsMayBeMisspelt(text) ? [tier('fuzzyWordsTwoEdits', inWords(twoEdits))] : [];
}

function inWords(query: Clause): Clause {
  return { match: { 'search.names': { ...query, operator: 'and' } } };
}

/** Maximum length of a text that is searched as a whole with two wrong letters. */
const joinedTwoEditsMax = 16;
const expansionsMax = 50;
const misspeltNameLettersMax = 80;
const misspeltWordLettersMax = 32;

/** Returns true if none of the words is too long for a search in other spellings. */
export function wordsMayBeMisspelt(text: string): boolean {
  return text.split(/\s+/).every((word) => Array.from(word).length <= misspeltWordLettersMax);
}
