import type { Pass } from './pass.ts';
import { type Clause, contentClauses, fuzzyTiers, placeBonus, popularityFunction, strictTiers } from './tiers.ts';
import { inConcepts, type Vocabulary } from './vocabulary.ts';

/**
 * How well a document answers a text: the one query clause that every search of any kind shares. It knows nothing of
 * pages, filters and sorts; a body puts it where a query goes.
 * @param text not empty, as `askedText` makes it
 */
export function rankedQuery(text: string, pass: Pass, vocabulary: Vocabulary): Clause {
  const concepts = inConcepts(text, vocabulary);
  const tiers = pass === 'strict' ? strictTiers(text, concepts) : [...strictTiers(text, concepts), ...fuzzyTiers(text)];
  return {
    function_score: {
      query: {
        bool: {
          must: [{ bool: { should: [{ dis_max: { queries: tiers } }, ...contentClauses(concepts)] } }],
          should: [placeBonus(text)],
        },
      },
      functions: [popularityFunction],
      score_mode: 'sum',
      boost_mode: 'sum',
    },
  };
}
