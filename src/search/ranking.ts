import { readWords } from './asked.ts';
import type { Pass } from './pass.ts';
import { bonuses, type Clause, contentClauses, fuzzyTiers, popularityFunction, strictTiers } from './tiers.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * How well a document answers a text: the one query clause that every search of any kind shares. It knows nothing of
 * pages, filters and sorts; a body puts it where a query goes.
 * @param text not empty, as `askedText` makes it
 */
export function rankedQuery(text: string, pass: Pass, vocabulary: Vocabulary): Clause {
  const asked = readWords(text, vocabulary);
  const tiers = pass === 'strict' ? strictTiers(asked) : [...strictTiers(asked), ...fuzzyTiers(asked)];
  return {
    function_score: {
      query: {
        bool: {
          must: [
            {
              bool: { should: [{ dis_max: { queries: tiers.map(({ clause }) => clause) } }, ...contentClauses(asked)] },
            },
          ],
          should: bonuses(asked),
        },
      },
      functions: [popularityFunction],
      score_mode: 'sum',
      boost_mode: 'sum',
    },
  };
}
