import type { AskedWords } from './asked.ts';
import { acrossFields, type Clause, contentFields, flat } from './tiers.ts';

/** Parts of a ranking that are no tier. */
export type PartName = keyof typeof bonusPoints | 'content' | 'concept' | 'filedUnder';
export interface Part {
  readonly name: PartName;
  readonly clause: Clause;
}

/** Factors on BM25's points. */
const contentBoosts = { content: 0.7, filedUnder: 0.5 } as const;

/** Points of what is no tier. */
export const bonusPoints = { city: 14, relation: 4, typedLabel: 4, conceptLabel: 4 } as const;

/**
 * What an entity says about itself, for questions that describe it. Two words must match, from three words on one may
 * be missing, from five on half: fewer would let every long question match everything. One word alone is enough where
 * it is a concept of the vocabulary or names a place or a relation: a name that does not exist must not be found by a
 * half that many entities have ("protocol", "finance").
 */
export function contentClauses({ concepts, conceptTokens, text }: AskedWords): Part[] {
  const words = {
    multi_match: {
      ...acrossFields(concepts, contentFields),
      operator: 'or',
      minimum_should_match: '2<-1 4<50%',
      tie_breaker: 0.2,
      boost: contentBoosts.content,
    },
  };
  return [
    { name: 'content', clause: words },
    ...(conceptTokens === ''
      ? []
      : [
          {
            name: 'concept',
            clause: flat(0, { multi_match: { query: conceptTokens, fields: ['search.tags', 'search.place'] } }),
          } as const,
        ]),
    { name: 'city', clause: flat(bonusPoints.city, named('search.city', text)) },
    { name: 'relation', clause: flat(bonusPoints.relation, named('search.relations.whole', text)) },
  ];
}

/** Added to what matches otherwise, but to nothing that is named for sure. */
export function labelClauses({ concepts }: AskedWords): Part[] {
  const filedUnder = {
    multi_match: {
      ...acrossFields(concepts, ['search.tags^2', 'search.place^2', 'search.relations']),
      operator: 'or',
      boost: contentBoosts.filedUnder,
    },
  };
  return [{ name: 'filedUnder', clause: filedUnder }];
}

/** What adds points to any match without being one. */
export function bonuses({ typed, labels }: AskedWords): Part[] {
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

/** A whole value that stands in the question among other words. */
function named(field: string, text: string): Clause {
  return { match: { [field]: { query: text, analyzer: 'joined_neighbours' } } };
}
