import type { AnalyzedText } from '../vocabulary/analyze-text.ts';
import { wordsOf } from '../vocabulary/vocabulary.ts';
import { type Clause, constantScore } from './clauses.ts';

/**
 * How a text matches an entity, as tiers. A tier gives a flat number of points, so that the table's order is the
 * ranking's order; the best tier counts (dis_max). Contents (BM25, some 0 to 25) are added, but not to a sure tier: what
 * is named is not named more by being talked about. Whole labels, a place and popularity are added to all. The distance
 * between the sure tiers and the rest is larger than all that can be added: an exact name can't be overtaken by talk
 * about it.
 */

interface TierRow {
  readonly points: number;
  /** What it means that the tier matched, for people. */
  readonly meaning: string;
  /** Leaves no doubt about what is meant. */
  readonly isSure?: true;
}

/** Every tier, the best first. */
const table = {
  exactName: { points: 200, meaning: 'its name is exactly this text', isSure: true },
  exactOtherName: { points: 196, meaning: 'an alias or former name is exactly this text', isSure: true },
  joinedName: { points: 190, meaning: 'a name is this text when blanks and signs are left out', isSure: true },
  identifier: { points: 150, meaning: 'a ticker, handle, host or proposal number is this text', isSure: true },
  nameAndYear: { points: 145, meaning: 'a name is this text without its year, and the year is right', isSure: true },
  namePrefix: { points: 72, meaning: 'a name begins with this text, blanks left out' },
  namePhrase: { points: 66, meaning: 'a name contains these words side by side, in this order' },
  fuzzyNameAndYear: {
    points: 66,
    meaning: 'a name differs by one or two letters from this text without its year, and the year is right',
  },
  nameWordsAndYear: { points: 64, meaning: 'one name contains all the words, and the year is right' },
  fuzzyJoinedOneEdit: { points: 64, meaning: 'a name differs from this text by one letter, blanks left out' },
  beginningOrSlip: { points: 64, meaning: 'a name begins with this text, where the text may also be a misspelt name' },
  nameWords: { points: 60, meaning: 'a name contains all the words' },
  labels: { points: 54, meaning: 'all the words are tags, place, year or words for the kind' },
  contentWords: { points: 48, meaning: 'all the words occur somewhere in what is known about it' },
  proposal: { points: 46, meaning: 'one of its proposals is named among the words' },
  nameWordsPrefix: { points: 44, meaning: 'a name contains all the words, the last one perhaps unfinished' },
  fuzzyJoinedTwoEdits: { points: 43, meaning: 'a name differs from this text by two letters, blanks left out' },
  nameOfAnotherYear: { points: 42, meaning: 'a name is this text without its year, and the year is another' },
  joinedPart: { points: 40, meaning: 'neighbouring words, written together, are one of its names' },
  fuzzyWordsOneEdit: { points: 30, meaning: 'a name contains all the words, each with one wrong letter at most' },
  fuzzyWordsTwoEdits: { points: 27, meaning: 'a name contains all the words, each with two wrong letters at most' },
  grams: { points: 10, meaning: 'a name shares at least 65 % of its three-letter groups with this text' },
} as const satisfies Readonly<Record<string, TierRow>>;
export type TierName = keyof typeof table;
export const tierTable: Readonly<Record<TierName, TierRow>> = table;

/** A tier's clause gives the tier's points, and at most a few more to break ties within it. */
export interface Tier {
  readonly name: TierName;
  readonly clause: Clause;
}

/** Tiers that leave no doubt about what is meant. */
export function sureTiers({ text, dated }: AnalyzedText): Tier[] {
  return [
    tier('exactName', { term: { 'name.sort': text } }),
    tier('exactOtherName', { term: { 'search.names.exact': text } }),
    tier('joinedName', { match: { 'search.names.joined': text } }),
    tier('identifier', { match: { 'search.ids': text } }),
    ...(dated === null ? [] : [nameAndYearTier(dated)]),
  ];
}

/** "ETHDenver 2023" names one event of a series. Names need not hold the year. */
function nameAndYearTier({ rest, year }: { readonly rest: string; readonly year: string }): Tier {
  const filter = [{ match: { 'search.names.joined': rest } }, { match: { 'search.year': year } }];
  return tier('nameAndYear', { bool: { filter } });
}

/**
 * Tiers that trust the spelling. Those that a text can't match are left out: each clause costs Elasticsearch some 40 µs,
 * also where it finds nothing.
 */
export function strictTiers({ text, withConcepts, dated }: AnalyzedText): Tier[] {
  return [
    prefixTier('namePrefix', text),
    tier('namePhrase', { match_phrase: { 'search.names': text } }),
    // One word is a phrase.
    ...(wordsOf(text).length === 1 ? [] : severalWordsTiers(text)),
    tier('labels', allWords('search.filed', withConcepts)),
    tier('contentWords', inEitherReading(text, withConcepts)),
    ...(/\p{N}/u.test(text) ? [proposalTier(text)] : []),
    tier('nameWordsPrefix', { match_bool_prefix: { 'search.names': { query: text, operator: 'and' } } }),
    ...(dated === null ? [] : datedTiers(dated)),
  ];
}

function severalWordsTiers(text: string): Tier[] {
  return [
    tieBroken(tier('nameWords', { match: { 'search.names': { query: text, operator: 'and' } } }), {
      match: { name: { query: text, boost: 0.3 } },
    }),
    tier('joinedPart', { match: { 'search.names.joined': { query: text, analyzer: 'joined_neighbours_only' } } }),
  ];
}

/** Proposals have numbers. */
function proposalTier(text: string): Tier {
  return tier('proposal', { match: { 'search.proposals': { query: text, analyzer: 'joined_neighbours' } } });
}

/** A year that the name need not hold, and the others of a series behind the one of that year. */
function datedTiers({ rest, year }: { readonly rest: string; readonly year: string }): Tier[] {
  const words = { match: { 'search.names': { query: rest, operator: 'and' } } };
  return [
    tier('nameWordsAndYear', { bool: { filter: [words, { match: { 'search.year': year } }] } }),
    tier('nameOfAnotherYear', { dis_max: { queries: [{ match: { 'search.names.joined': rest } }, words] } }),
  ];
}

/**
 * All tiers but the sure ones, of a text that may be misspelt. To begin a name is worth no more here than to miss it by
 * one letter: which of the two was meant, prominence decides.
 */
export function tolerantTiers(analyzed: AnalyzedText): Tier[] {
  const strict = strictTiers(analyzed).filter(({ name }) => name !== 'namePrefix');
  return [...strict, prefixTier('beginningOrSlip', analyzed.text), ...fuzzyTiers(analyzed)];
}

/** All words, in the vocabulary's tokens or as typed: a word may be part of another phrase where it stands. */
function inEitherReading(text: string, withConcepts: string): Clause {
  const queries = [...new Set([withConcepts, text])].map((query) => allWords('search.words', query));
  return { dis_max: { queries } };
}

function allWords(field: string, text: string): Clause {
  return { match: { [field]: { query: text, operator: 'and' } } };
}

function prefixTier(name: 'namePrefix' | 'beginningOrSlip', text: string): Tier {
  return tier(name, { match_bool_prefix: { 'search.names.joined': { query: text } } });
}

/**
 * Tiers that allow for misspellings: one edit above two, so that popularity decides only between equals. What is longer
 * than names and their words are is no misspelt one, and Elasticsearch needs memory for each letter of it: some texts of
 * one long word at the same time would have it refuse everybody's searches.
 */
function fuzzyTiers({ text, dated }: AnalyzedText): Tier[] {
  return [
    ...(nameMayBeMisspelt(text)
      ? [tier('fuzzyJoinedOneEdit', { match: { 'search.names.joined': oneEdit(text) } })]
      : []),
    ...(wordsMayBeMisspelt(text) ? [tier('fuzzyWordsOneEdit', inWords(oneEdit(text)))] : []),
    ...twoEditTiers(text),
    tieBroken(tier('grams', { match: { 'search.names.grams': { query: text, minimum_should_match: '65%' } } }), {
      match: { 'search.names.grams': { query: text, boost: 0.3 } },
    }),
    ...(dated === null || !nameMayBeMisspelt(dated.rest) ? [] : [fuzzyDatedTier(dated)]),
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

function nameMayBeMisspelt(text: string): boolean {
  return lettersOf(text) <= misspeltNameLettersMax;
}

/** Whether none of the words is too long to be looked for in other spellings. */
export function wordsMayBeMisspelt(text: string): boolean {
  return text.split(/\s+/).every((word) => Array.from(word).length <= misspeltWordLettersMax);
}

function fuzzyDatedTier({ rest, year }: { readonly rest: string; readonly year: string }): Tier {
  const almost = { match: { 'search.names.joined': twoEdits(rest) } };
  return tier('fuzzyNameAndYear', { bool: { filter: [almost, { match: { 'search.year': year } }] } });
}

function tier(name: TierName, filter: Clause): Tier {
  return { name, clause: constantScore(tierTable[name].points, filter) };
}

function tieBroken({ name, clause }: Tier, tieBreak: Clause): Tier {
  return { name, clause: { bool: { must: [clause], should: [tieBreak] } } };
}

function oneEdit(text: string): Clause {
  return { query: text, fuzziness: '1', prefix_length: 0, max_expansions: expansionsMax };
}

/** From so many letters on, two of them may be wrong. */
const twoEditsFrom = 8;
/** Up to so many letters, a whole text is looked for with two wrong ones. */
const joinedTwoEditsMax = 16;
const expansionsMax = 50;

/** Two edits, one in words below eight letters; to look for them among all first letters costs more than it finds. */
function twoEdits(text: string): Clause {
  return { query: text, fuzziness: `AUTO:3,${twoEditsFrom}`, prefix_length: 1, max_expansions: expansionsMax };
}
