import type { Pass } from '../pass.ts';
import type { AnalyzedText } from '../vocabulary/analyze-text.ts';
import { wordsOf } from '../vocabulary/vocabulary.ts';
import { type Clause, flat } from './tiers.ts';

/** Parts of a ranking that are no tier. */
export type PartName = keyof typeof bonusPoints | 'words' | 'content' | 'concept' | 'filedUnder';
export interface Part {
  readonly name: PartName;
  readonly clause: Clause;
}

// Words for the kind stay, though each entity has them: without, "company" would count as a rare word of names.
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

/** Factors on BM25's points. */
const contentBoosts = { content: 0.7, filedUnder: 0.5 } as const;

/** Points of what is no tier. */
export const bonusPoints = { city: 14, relation: 4, typedLabel: 4, conceptLabel: 4 } as const;

/** Two words must match, from three words on one may be missing, from five on half. */
const enoughWords = '2<-1 4<50%';

/** What is a match without being a tier: a place or a relation that the query names, and part of its words. */
export function contentClauses(asked: AnalyzedText, pass: Pass): Part[] {
  return [
    ...(pass === 'strict' ? [] : partOfWords(asked)),
    { name: 'city', clause: flat(bonusPoints.city, named('search.city', asked.text)) },
    { name: 'relation', clause: flat(bonusPoints.relation, named('search.relations.whole', asked.text)) },
  ];
}

/**
 * Enough of the words, not counting those that say only the kind, of which every entity has two. One word alone is
 * enough where it is a concept of the vocabulary: a name that does not exist must not be found by a half that many
 * entities have ("protocol", "finance").
 */
function partOfWords({ concepts, conceptTokens }: AnalyzedText): Part[] {
  const telling = { match: { 'search.telling': { query: concepts, minimum_should_match: enoughWords } } };
  return [
    { name: 'words', clause: flat(0, telling) },
    ...(conceptTokens === ''
      ? []
      : [{ name: 'concept', clause: flat(0, match(conceptTokens, ['search.tags', 'search.place'])) } as const]),
  ];
}

/** Whether less than every word of a query can be a match: of two words one only where it is a concept. */
export function hasParts({ concepts, conceptTokens }: AnalyzedText): boolean {
  return wordsOf(concepts).length >= (conceptTokens === '' ? 3 : 2);
}

/** What an entity says about itself: added to what matches otherwise, but to nothing that is named for sure. */
export function labelClauses({ concepts }: AnalyzedText): Part[] {
  const content = {
    ...acrossFields(concepts, contentFields),
    minimum_should_match: enoughWords,
    tie_breaker: 0.2,
    boost: contentBoosts.content,
  };
  const filedUnder = {
    ...acrossFields(concepts, ['search.tags^2', 'search.place^2', 'search.relations']),
    boost: contentBoosts.filedUnder,
  };
  return [
    { name: 'content', clause: { multi_match: content } },
    { name: 'filedUnder', clause: { multi_match: filedUnder } },
  ];
}

/** What adds points to any match without being one. */
export function bonuses({ typed, labels }: AnalyzedText): Part[] {
  return [
    ...(labels === ''
      ? []
      : [
          {
            name: 'conceptLabel',
            clause: flat(bonusPoints.conceptLabel, {
              match: { 'search.tags.whole': { query: labels, analyzer: 'stems' } },
            }),
          } as const,
        ]),
    // A whole tag: what is filed under "staking" before what is filed under "staking as a service".
    { name: 'typedLabel', clause: flat(bonusPoints.typedLabel, { match: { 'search.tags.whole': typed } }) },
  ];
}

function acrossFields(text: string, fields: readonly string[]) {
  return { query: text, type: 'cross_fields', fields, operator: 'or' } as const;
}

function match(text: string, fields: readonly string[]): Clause {
  return { multi_match: { query: text, fields } };
}

/** A whole value that stands in the query among other words. */
function named(field: string, text: string): Clause {
  return { match: { [field]: { query: text, analyzer: 'joined_neighbours' } } };
}
