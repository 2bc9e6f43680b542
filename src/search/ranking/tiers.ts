import type { AnalyzedText } from '../vocabulary/analyze-text.ts';
import type { Clause } from './clauses.ts';
import { lettersOf, misspeltNameAmongWordsTiers, twoEditsFrom } from './name-among-words.ts';
import { tier } from './tier-table.ts';
import { allOccur } from './word-fields.ts';

/** Tiers that leave no doubt about the intended entity. */
export function sureTiers(analyzed: AnalyzedText): Clause[] {
  const { text, dated } = analyzed;
  return [
    tier('exactName', { term: { 'name.sort': text } }),
    tier('joinedName', { match: { 'search.names.joined': text } }),
    tier('identifier', { match: { 'search.ids': text } }),
    ...(dated === null ? [] : [nameAndYearTier(dated)]),
  ];
}

/** "ETHDenver 2023" names one event of a series, whose name may lack the year. */
function nameAndYearTier({ rest, year }: { readonly rest: string; readonly year: string }): Clause {
  const filter = [{ match: { 'search.names.joined': rest } }, { match: { 'search.year': year } }];
  return tier('nameAndYear', { bool: { filter } });
}

/**
 * Tiers of names that trust the spelling. Tiers that a text can't match are left out, because each clause costs
 * Elasticsearch about 40 µs even if it finds nothing.
 */
function spelledNameTiers({ text, dated }: AnalyzedText): Clause[] {
  return [
    tier('namePrefix', { match_bool_prefix: { 'search.names.joined': { query: text } } }),
    tier('namePhrase', { match_phrase: { 'search.names': text } }),
    tier('nameWordsPrefix', { match_bool_prefix: { 'search.names': { query: text, operator: 'and' } } }),
    ...(dated === null ? [] : [otherYearTier(dated.rest)]),
  ];
}

export function strictTiers(analyzed: AnalyzedText): Clause[] {
  const { text } = analyzed;
  return [
    ...spelledNameTiers(analyzed),
    tier('contentWords', inEitherReading(analyzed)),
    ...nameAmongWordsTier(analyzed.sureNames),
    ...(/\p{N}/u.test(text) ? [proposalTier(text)] : []),
  ];
}

function nameAmongWordsTier(names: string): Clause[] {
  const isName = { match: { 'search.names.joined': { query: names, analyzer: 'words' } } };
  return names === '' ? [] : [tier('nameAmongWords', isName)];
}

/** Proposals have numbers. */
function proposalTier(text: string): Clause {
  return tier('proposal', { match: { 'search.proposals': { query: text, analyzer: 'joined_neighbours' } } });
}

/** Other editions of a series rank after those of the year. */
function otherYearTier(name: string): Clause {
  const words = { match: { 'search.names': { query: name, operator: 'and' } } };
  return tier('nameOfAnotherYear', { dis_max: { queries: [{ match: { 'search.names.joined': name } }, words] } });
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
  const queries = [...new Set([withConcepts, text])].map(allOccur);
  return { dis_max: { queries } };
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
 * Tiers that allow for unfinished and misspelt words: one edit above two, so that popularity decides only between equals. A word that is
 * longer than any in names is not a misspelt name. Elasticsearch needs memory for each letter, so several searches for
 * one long word would make it refuse all searches.
 */
function inexactNameTiers({ text, names, withConcepts, corrected }: AnalyzedText): Clause[] {
  return [
    ...beginningsTier(text),
    ...(lettersOf(text) <= misspeltNameLettersMax
      ? [tier('fuzzyJoinedOneEdit', { match: { 'search.names.joined': oneEdit(text) } })]
      : []),
    ...(wordsMayBeMisspelt(text) ? [tier('fuzzyWordsOneEdit', inWords(oneEdit(text)))] : []),
    ...twoEditsTier(text),
    ...misspeltNameAmongWordsTiers(names, corrected?.withConcepts ?? withConcepts),
  ];
}

/**
 * Two edits have only one clause, because it is the most expensive part of a search: building the automaton takes
 * Elasticsearch 2 to 4 ms, whatever the number of names. A short text may have them anywhere, and in a longer text,
 * each long word may have two.
 */
function twoEditsTier(text: string): Clause[] {
  const letters = lettersOf(text);
  if (letters >= twoEditsFrom && letters <= joinedTwoEditsMax)
    return [tier('fuzzyJoinedTwoEdits', { match: { 'search.names.joined': twoEdits(text) } })];
  const hasLongWord = text.split(' ').some((word) => lettersOf(word) >= twoEditsFrom);
  return hasLongWord && wordsMayBeMisspelt(text) ? [tier('fuzzyWordsTwoEdits', inWords(twoEdits(text)))] : [];
}

function inWords(fuzzy: Clause): Clause {
  return { match: { 'search.names': { ...fuzzy, operator: 'and' } } };
}

const misspeltNameLettersMax = 80;
const misspeltWordLettersMax = 32;

/** Returns true if none of the words is too long for a search in other spellings. */
export function wordsMayBeMisspelt(text: string): boolean {
  return text.split(/\s+/).every((word) => Array.from(word).length <= misspeltWordLettersMax);
}

function oneEdit(text: string): Clause {
  return { query: text, fuzziness: '1', prefix_length: 0, max_expansions: expansionsMax };
}

/** Maximum length of a text that is searched as a whole with two wrong letters. */
const joinedTwoEditsMax = 16;
const expansionsMax = 50;

/** Two edits, or one in words below eight letters. Allowing a wrong first letter costs more than it finds. */
function twoEdits(text: string): Clause {
  return { query: text, fuzziness: `AUTO:3,${twoEditsFrom}`, prefix_length: 1, max_expansions: expansionsMax };
}
