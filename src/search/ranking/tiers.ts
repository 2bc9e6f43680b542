import type { AnalyzedText } from '../vocabulary/analyze-text.ts';
import { wordsOf } from '../vocabulary/vocabulary.ts';
import type { Clause } from './clauses.ts';
import { misspeltNameAmongWordsTiers, nameAmongWordsTiers } from './name-among-words.ts';
import { type Tier, type TierName, tier } from './tier-table.ts';
import { allFiled, allOccur } from './word-fields.ts';

/** Tiers that leave no doubt about what is meant. */
export function sureTiers(analyzed: AnalyzedText): Tier[] {
  const { text, withConcepts, dated } = analyzed;
  return [
    tier('exactName', { term: { 'name.sort': text } }),
    tier('exactOtherName', { term: { 'search.names.exact': text } }),
    tier('joinedName', { match: { 'search.names.joined': text } }),
    ...(isShortened(analyzed) ? [tier('shortenedName', { match: { 'search.names.joined': withConcepts } })] : []),
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
 * Tiers that trust the spelling. Those that a text can't match are left out: each clause costs Elasticsearch some 40
 * µs, also where it finds nothing.
 */
export function strictTiers(analyzed: AnalyzedText): Tier[] {
  const { text, withConcepts, dated, names } = analyzed;
  return [
    ...(isTopic(analyzed)
      ? [tier('topicInName', { match_phrase: { 'search.names': text } })]
      : [prefixTier('namePrefix', text), tier('namePhrase', { match_phrase: { 'search.names': text } })]),
    // One word is a phrase.
    ...(wordsOf(text).length === 1 ? [] : severalWordsTiers(text)),
    tier('labels', allFiled(withConcepts)),
    tier('contentWords', inEitherReading(analyzed)),
    ...(/\p{N}/u.test(text) ? [proposalTier(text)] : []),
    tier('nameWordsPrefix', { match_bool_prefix: { 'search.names': { query: text, operator: 'and' } } }),
    ...(dated === null ? [] : datedTiers(dated)),
    ...nameAmongWordsTiers(names, ['common']),
  ];
}

/** Returns true if some words of a text have a shorter form: "andreessen horowitz crypto" is "a16z crypto". */
function isShortened({ text, withConcepts }: AnalyzedText): boolean {
  return withConcepts.includes(' ') && wordsOf(withConcepts).length < wordsOf(text).length;
}

/**
 * Returns true if a text is only a topic, so that entities about it come before those with it in the name: "bitcoin".
 */
function isTopic({ withConcepts, conceptTokens }: AnalyzedText): boolean {
  return conceptTokens !== '' && withConcepts === conceptTokens && !conceptTokens.includes(' ');
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

/** Matches a name with a year. Other editions of the series match, too, and rank after that year's. */
function datedTiers({ rest, year }: { readonly rest: string; readonly year: string }): Tier[] {
  const words = { match: { 'search.names': { query: rest, operator: 'and' } } };
  return [
    tier('nameWordsAndYear', { bool: { filter: [words, { match: { 'search.year': year } }] } }),
    tier('nameOfAnotherYear', { dis_max: { queries: [{ match: { 'search.names.joined': rest } }, words] } }),
  ];
}

/**
 * Returns all tiers but the sure ones, of a text that may be misspelt. To begin a name is worth no more here than to
 * miss it by one letter: which of the two was meant, prominence decides.
 */
export function tolerantTiers(analyzed: AnalyzedText): Tier[] {
  const strict = strictTiers(analyzed).filter(({ name }) => name !== 'namePrefix' && name !== 'nameAmongWords');
  return [
    ...strict,
    prefixTier('beginningOrSlip', analyzed.text),
    ...fuzzyTiers(analyzed),
    ...(analyzed.corrected === null ? [] : correctedTiers(analyzed.corrected)),
    ...nameAmongWordsTiers(analyzed.names, ['common', 'unclear']),
    ...misspeltNameAmongWordsTiers(analyzed.names),
  ];
}

/** Returns all tiers of names alone. */
export function nameTiers(analyzed: AnalyzedText): Tier[] {
  const ofContents: readonly TierName[] = [
    'labels',
    'contentWords',
    'proposal',
    'correctedLabels',
    'correctedWords',
    'grams',
  ];
  return [...sureTiers(analyzed), ...tolerantTiers(analyzed)].filter(({ name }) => !ofContents.includes(name));
}

/** Slips in common words are undone where all of them then fit. */
function correctedTiers(corrected: AnalyzedText): Tier[] {
  return [
    tier('correctedLabels', allFiled(corrected.withConcepts)),
    tier('correctedWords', inEitherReading(corrected)),
  ];
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
function fuzzyTiers({ text, dated }: AnalyzedText): Tier[] {
  return [
    ...(nameMayBeMisspelt(text)
      ? [tier('fuzzyJoinedOneEdit', { match: { 'search.names.joined': oneEdit(text) } })]
      : []),
    ...(wordsMayBeMisspelt(text) ? [tier('fuzzyWordsOneEdit', inWords(oneEdit(text)))] : []),
    ...twoEditTiers(text),
    ...(isRepetition(text) ? [] : [gramsTier(text)]),
    ...(dated === null || !nameMayBeMisspelt(dated.rest) ? [] : [fuzzyDatedTier(dated)]),
  ];
}

function gramsTier(text: string): Tier {
  return tieBroken(tier('grams', { match: { 'search.names.grams': { query: text, minimum_should_match: '65%' } } }), {
    match: { 'search.names.grams': { query: text, boost: 0.3 } },
  });
}

/** Returns true for letters that repeat, such as "aaaa": they have so few groups that many names share them. */
function isRepetition(text: string): boolean {
  return lettersOf(text) > 3 && new Set(text.replace(/\s/g, '').toLowerCase()).size < 3;
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

/** Returns true if none of the words is too long for a search in other spellings. */
export function wordsMayBeMisspelt(text: string): boolean {
  return text.split(/\s+/).every((word) => Array.from(word).length <= misspeltWordLettersMax);
}

function fuzzyDatedTier({ rest, year }: { readonly rest: string; readonly year: string }): Tier {
  const almost = { match: { 'search.names.joined': twoEdits(rest) } };
  return tier('fuzzyNameAndYear', { bool: { filter: [almost, { match: { 'search.year': year } }] } });
}

function tieBroken({ name, clause }: Tier, tieBreak: Clause): Tier {
  return { name, clause: { bool: { must: [clause], should: [tieBreak] } } };
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
