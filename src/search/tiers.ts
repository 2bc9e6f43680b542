/**
 * How a text matches an entity, as tiers. A name tier gives a flat number of points, so that its order says what it
 * says; the best tier counts (dis_max). Content points (BM25, some 0 to 35), a place and popularity are added on top.
 * The distance between the first three tiers and the rest is larger than all that can be added: an exact name can't
 * be overtaken by talk about it.
 */

/** One clause of a body in Elasticsearch's query language. */
export type Clause = Readonly<Record<string, unknown>>;

/** Points of each tier. */
export const points = {
  exactName: 200,
  joinedName: 190,
  identifier: 150,
  namePrefix: 72,
  namePhrase: 66,
  nameWords: 60,
  fuzzyJoinedOneEdit: 50,
  contentWords: 48,
  fuzzyJoinedTwoEdits: 47,
  proposal: 46,
  nameWordsPrefix: 44,
  joinedPart: 40,
  fuzzyWordsOneEdit: 30,
  fuzzyWordsTwoEdits: 27,
  grams: 10,
} as const;

/**
 * A strict answer whose best hit has fewer points than this matched no name and not all words: the tolerant pass may
 * know better. Every constant tier that is sure of itself lies at or above it.
 */
export const strictIsWeakBelow = points.contentWords;

const contentFields = [
  'search.names.english^2',
  'search.tags^2',
  'search.place^2',
  'search.year',
  'search.kind_words',
  'search.relations^1.5',
  'search.short',
  'overview^0.5',
];

/**
 * Tiers that trust the spelling.
 * @param concepts the text in the vocabulary's tokens, for the fields that hold them
 */
export function strictTiers(text: string, concepts: string): Clause[] {
  return [
    flat(points.exactName, { term: { 'search.names.exact': text } }),
    flat(points.joinedName, { match: { 'search.names.joined': text } }),
    flat(points.identifier, { match: { 'search.ids': text } }),
    flat(points.namePrefix, { match_bool_prefix: { 'search.names.joined': { query: text } } }),
    flat(points.namePhrase, { match_phrase: { 'search.names': text } }),
    tieBroken(flat(points.nameWords, { match: { 'search.names': { query: text, operator: 'and' } } }), {
      match: { name: { query: text, boost: 0.3 } },
    }),
    flat(points.contentWords, { multi_match: { ...acrossFields(concepts, contentFields), operator: 'and' } }),
    flat(points.proposal, { match: { 'search.proposals': { query: text, analyzer: 'joined_neighbours' } } }),
    flat(points.nameWordsPrefix, { match_bool_prefix: { 'search.names': { query: text, operator: 'and' } } }),
    flat(points.joinedPart, { match: { 'search.names.joined': { query: text, analyzer: 'joined_neighbours_only' } } }),
  ];
}

/** Tiers that allow for misspellings: one edit above two, so that popularity decides only between equals. */
export function fuzzyTiers(text: string): Clause[] {
  return [
    flat(points.fuzzyJoinedOneEdit, { match: { 'search.names.joined': { ...fuzzy(text, '1') } } }),
    flat(points.fuzzyJoinedTwoEdits, { match: { 'search.names.joined': { ...fuzzy(text, 'AUTO:3,6') } } }),
    flat(points.fuzzyWordsOneEdit, { match: { 'search.names': { ...fuzzy(text, '1'), operator: 'and' } } }),
    flat(points.fuzzyWordsTwoEdits, { match: { 'search.names': { ...fuzzy(text, 'AUTO:3,6'), operator: 'and' } } }),
    tieBroken(flat(points.grams, { match: { 'search.names.grams': { query: text, minimum_should_match: '65%' } } }), {
      match: { 'search.names.grams': { query: text, boost: 0.3 } },
    }),
  ];
}

/**
 * What an entity says about itself, for questions that describe it. Two words must match, from three words on one may
 * be missing, from five on half: fewer would let every long question match everything.
 */
export function contentClauses(concepts: string): Clause[] {
  return [
    {
      multi_match: {
        ...acrossFields(concepts, contentFields),
        operator: 'or',
        minimum_should_match: '2<-1 4<50%',
        tie_breaker: 0.2,
      },
    },
    {
      multi_match: {
        ...acrossFields(concepts, ['search.tags^2', 'search.place^2', 'search.relations']),
        operator: 'or',
        boost: 0.5,
      },
    },
  ];
}

/** A city named among other words. */
export function placeBonus(text: string): Clause {
  return flat(4, { match: { 'search.city': { query: text, analyzer: 'joined_neighbours' } } });
}

/** 2·log10(1 + popularity): 0 to about 3.5 points, less than the distance between any two tiers that differ in kind. */
export const popularityFunction = {
  field_value_factor: { field: 'search.popularity', modifier: 'log1p', missing: 0 },
  weight: 2,
} as const;

function flat(boost: number, filter: Clause): Clause {
  return { constant_score: { filter, boost } };
}

function tieBroken(tier: Clause, tieBreak: Clause): Clause {
  return { bool: { must: [tier], should: [tieBreak] } };
}

function acrossFields(text: string, fields: readonly string[]): Clause {
  return { query: text, type: 'cross_fields', fields };
}

function fuzzy(text: string, fuzziness: string): Clause {
  return { query: text, fuzziness, prefix_length: 0, max_expansions: 50 };
}
