import type { SearchFailure, SendSearch } from './ports.ts';
import { addPopularity, type Clause, constantScore } from './ranking/clauses.ts';
import { hitsFilterPath, hitsOf, type Item, itemOf } from './response.ts';
import { searchedText } from './vocabulary/analyze-text.ts';
import { wordsOf } from './vocabulary/vocabulary.ts';

/** Points of a suggestion's tiers. Popularity adds up to 6.5: it decides within a tier, and between some neighbours. */
const suggestPoints = {
  wholeName: 60,
  nameBeginning: 50,
  otherNameBeginning: 40,
  identifier: 35,
  wordBeginnings: 30,
  misspeltBeginning: 10,
} as const;

/** Minimum length of a beginning that may be misspelt. Shorter ones are similar to too many names. */
const misspeltLettersMin = 4;
/** Longer beginnings are compared by their first letters only, which limits the size of the pattern. */
const misspeltLettersMax = 16;
/** Elasticsearch refuses longer patterns. */
const patternMax = 1_000;

const shownFields = ['id', 'name', 'slug', 'logo'];

function points(tier: keyof typeof suggestPoints, clause: Clause): Clause {
  return constantScore(suggestPoints[tier], clause);
}

function beginningTiers(text: string): Clause[] {
  return [
    points('wholeName', { match: { 'search.names.joined': text } }),
    points('nameBeginning', { prefix: { 'name.sort': { value: text } } }),
    points('otherNameBeginning', { match_bool_prefix: { 'search.names.joined': { query: text } } }),
    points('identifier', { match: { 'search.ids': text } }),
    points('wordBeginnings', { match_bool_prefix: { 'search.names': { query: text, operator: 'and' } } }),
  ];
}

function misspeltTiers(text: string): Clause[] {
  const letters = wordsOf(text).join('');
  if (Array.from(letters).length < misspeltLettersMin) return [];
  return [points('misspeltBeginning', { regexp: { 'search.names.joined': { value: oneEditAway(letters) } } })];
}

/**
 * Returns an Elasticsearch pattern for texts that begin like the letters, with one after the first wrong, missing,
 * doubled or swapped with the next. There are only letters, digits and marks, without a meaning in the pattern.
 */
export function oneEditAway(letters: string): string {
  let all = Array.from(letters).slice(0, misspeltLettersMax);
  // Letters beyond the first Unicode plane take two units each.
  while (patternOf(all).length > patternMax) all = all.slice(0, -1);
  return patternOf(all);
}

function patternOf(all: readonly string[]): string {
  const variants = all.slice(1).flatMap((letter, at) => {
    const before = all.slice(0, at + 1).join('');
    const [next = '', ...rest] = all.slice(at + 2);
    const after = [next, ...rest].join('');
    const swapped = next === '' ? [] : [`${next}${letter}${rest.join('')}`];
    return [after, `.${after}`, `.${letter}${after}`, ...swapped].map((end) => `${before}${end}`);
  });
  return `(${[...new Set(variants)].join('|')}).*`;
}

/**
 * Suggests entities whose names begin with a text, the most prominent first, or if there are none, almost do. An empty
 * text, or one that asks for everything, has no suggestions and sends no request.
 */
export async function suggest(
  { text, limit, indices }: { readonly text: string; readonly limit: number; readonly indices: readonly string[] },
  send: SendSearch,
): Promise<{ readonly ok: true; readonly suggestions: readonly Item[] } | SearchFailure> {
  const typed = searchedText(text);
  const passes = typed === '' ? [] : [beginningTiers(typed), misspeltTiers(typed)];
  for (const tiers of passes.filter(({ length }) => length > 0)) {
    const body = {
      size: limit,
      track_total_hits: false,
      _source: { includes: shownFields },
      query: addPopularity({ dis_max: { queries: tiers } }),
      sort: [{ _score: 'desc' }, { _index: 'asc' }, { id: 'asc' }],
    };
    const found = hitsOf(await send({ indices, body, filterPath: hitsFilterPath, flatScores: true }));
    if (!found.ok) return found;
    if (found.hits.length > 0) return { ok: true, suggestions: found.hits.map((hit) => itemOf(hit, shownFields)) };
  }
  return { ok: true, suggestions: [] };
}
