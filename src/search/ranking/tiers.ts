import type { AnalyzedText } from '../vocabulary/analyze-text.ts';
import type { Clause } from './clauses.ts';
import { misspeltNameAmongWordsTiers } from './name-among-words.ts';
import { type Tier, type TierName, tier } from './tier-table.ts';
import { allOccur } from './word-fields.ts';

/** Tiers that leave no doubt about what is meant. */
export function sureTiers(analyzed: AnalyzedText): Tier[] {
  const { text, dated } = analyzed;
  return [
    tier('exactName', { term: { 'name.sort': text } }),
    tier('exactOtherName', otherName(text)),
    tier('joinedName', { match: { 'search.names.joined': text } }),
    tier('identifier', { match: { 'search.ids': text } }),
    ...(dated === null ? [] : [nameAndYearTier(dated)]),
  ];
}

/** Matches if one of the names is the text, and has the same words. */
function otherName(text: string): Clause {
  return { bool: { filter: [{ match: { 'search.names.joined': text } }, { match_phrase: { 'search.names': text } }] } };
}

/** "ETHDenver 2023" names one event of a series. Names need not hold the year. */
function nameAndYearTier({ rest, year }: { readonly rest: string; readonly year: string }): Tier {
  const filter = [{ match: { 'search.names.joined': rest } }, { match: { 'search.year': year } }];
  return tier('nameAndYear', { bool: { filter } });
}

/**
 * Tiers that trust the spelling. Those that a text can't match are left out: each clause costs Elasticsearch some 40
 * µs, also where it finds nothing.
 */
export function strictTiers(analyzed: AnalyzedText): Tier[] {
  const { text, dated } = analyzed;
  return [
    prefixTier('namePrefix', text),
    tier('namePhrase', { match_phrase: { 'search.names': text } }),
    // A one-word text already matches as a phrase.
    ...(text.includes(' ') ? [tier('nameWords', { match: { 'search.names': { query: text, operator: 'and' } } })] : []),
    tier('contentWords', inEitherReading(analyzed)),
    ...(/\p{N}/u.test(text) ? [proposalTier(text)] : []),
    tier('nameWordsPrefix', { match_bool_prefix: { 'search.names': { query: text, operator: 'and' } } }),
    ...(dated === null ? [] : [otherYearTier(dated.rest)]),
  ];
}

/** Proposals have numbers. */
function proposalTier(text: string): Tier {
  return tier('proposal', { match: { 'search.proposals': { query: text, analyzer: 'joined_neighbours' } } });
}

/** Other editions of a series rank after those of the year. */
function otherYearTier(name: string): Tier {
  const words = { match: { 'search.names': { query: name, operator: 'and' } } };
  return tier('nameOfAnotherYear', { dis_max: { queries: [{ match: { 'search.names.joined': name } }, words] } });
}

/**
 * Returns all tiers but the sure ones, of a text that may be misspelt. To begin a name is worth no more here than to
 * miss it by one letter: which of the two was meant, prominence decides.
 */
export function tolerantTiers(analyzed: AnalyzedText): Tier[] {
  const strict = strictTiers(analyzed).filter(({ name }) => name !== 'namePrefix');
  return [
    ...strict,
    prefixTier('beginningOrSlip', analyzed.text),
    ...beginningsTier(analyzed.text),
    ...fuzzyTiers(analyzed),
    ...(analyzed.corrected === null ? [] : [tier('correctedWords', inEitherReading(analyzed.corrected))]),
    ...misspeltNameAmongWordsTiers(analyzed.names),
  ];
}

/** Limits of texts that may be the beginnings of two or more words of a name: "vita buter". */
const begunWordsMax = 4;
const begunLettersMin = 3;

function beginningsTier(text: string): Tier[] {
  const words = text.split(' ');
  if (words.length < 2 || words.length > begunWordsMax) return [];
  if (words.some((word) => lettersOf(word) < begunLettersMin)) return [];
  const filter = words.map((query) => ({ match_bool_prefix: { 'search.names': { query } } }));
  return [tier('wordBeginnings', { bool: { filter } })];
}

/** Returns all tiers of names alone. */
export function nameTiers(analyzed: AnalyzedText): Tier[] {
  const ofContents: readonly TierName[] = ['contentWords', 'proposal', 'correctedWords'];
  return [...sureTiers(analyzed), ...tolerantTiers(analyzed)].filter(({ name }) => !ofContents.includes(name));
}

/** All words, in the vocabulary's tokens or as typed: a word may be part of another phrase there. */
export function inEitherReading({ text, withConcepts }: Pick<AnalyzedText, 'text' | 'withConcepts'>): Clause {
  const queries = [...new Set([withConcepts, text])].map(allOccur);
  return { dis_max: { queries } };
}

function prefixTier(name: 'namePrefix' | 'beginningOrSlip', text: string): Tier {
  return tier(name, { match_bool_prefix: { 'search.names.joined': { query: text } } });
}

/**
 * Tiers that allow for misspellings: one edit above two, so that popularity decides only between equals. A word longer
 * than any in names is no misspelt one, and Elasticsearch needs memory for each letter of it: several texts of
 * one long word at the same time would make it refuse all searches.
 */
function fuzzyTiers({ text }: AnalyzedText): Tier[] {
  return [
    ...(lettersOf(text) <= misspeltNameLettersMax
      ? [tier('fuzzyJoinedOneEdit', { match: { 'search.names.joined': oneEdit(text) } })]
      : []),
    ...(wordsMayBeMisspelt(text) ? [tier('fuzzyWordsOneEdit', inWords(oneEdit(text)))] : []),
    ...twoEditTiers(text),
  ];
}

/**
 * Two edits are looked for in one way, as that is the dearest part of a search: to build what recognizes them takes
 * Elasticsearch 2 to 4 ms, however few names there are. In a short text they may be anywhere, in a longer one its long
 * words may each have two.
 */
function twoEditTiers(text: string): Tier[] {
  const letters = lettersOf(text);
  if (letters >= twoEditsFrom && letters <= joinedTwoEditsMax)
    return [tier('fuzzyJoinedTwoEdits', { match: { 'search.names.joined': twoEdits(text) } })];
  const hasLongWord = text.split(' ').some((word) => lettersOf(word) >= twoEditsFrom);
  return hasLongWord && wordsMayBeMisspelt(text) ? [tier('fuzzyWordsTwoEdits', inWords(twoEdits(text)))] : [];
}

function inWords(fuzzy: Clause): Clause {
  return { match: { 'search.names': { ...fuzzy, operator: 'and' } } };
}

function lettersOf(text: string): number {
  return Array.from(text.replace(/\s/g, '')).length;
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

/** From this many letters on, two of them may be wrong. */
const twoEditsFrom = 8;
/** Up to this many letters, a whole text is searched for with two wrong ones. */
const joinedTwoEditsMax = 16;
const expansionsMax = 50;

/** Two edits, one in words below eight letters; to look for them among all first letters costs more than it finds. */
function twoEdits(text: string): Clause {
  return { query: text, fuzziness: `AUTO:3,${twoEditsFrom}`, prefix_length: 1, max_expansions: expansionsMax };
}
