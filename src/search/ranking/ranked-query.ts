import type { Pass } from '../pass.ts';
import { type AnalyzedText, analyzeText } from '../vocabulary/analyze-text.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import { popularityFunction } from './clauses.ts';
import { bonuses, contentClauses, labelClauses } from './contents.ts';
import { type Clause, strictTiers, sureTiers, type Tier, tolerantTiers } from './tiers.ts';

/** A clause and what it is called where a ranking is explained. */
export interface NamedClause {
  readonly name: string;
  readonly clause: Clause;
}

/** What makes up a document's points, apart from its popularity. */
export interface RankingParts {
  /** The best tier counts; these leave contents out of account. */
  readonly sure: readonly Tier[];
  readonly tiers: readonly Tier[];
  /** Each counts, and is a match by itself. */
  readonly content: readonly NamedClause[];
  /** Each counts, on top of a match that is not sure. */
  readonly labels: readonly NamedClause[];
  /** Each counts, on top of a match. */
  readonly bonuses: readonly NamedClause[];
}

export function rankingParts(asked: AnalyzedText, pass: Pass): RankingParts {
  return {
    sure: sureTiers(asked),
    tiers: pass === 'tolerant' ? tolerantTiers(asked) : strictTiers(asked),
    content: contentClauses(asked, pass),
    labels: labelClauses(asked),
    bonuses: bonuses(asked),
  };
}

/**
 * How well a document answers a text: the one query clause that every search of any kind shares. It knows nothing of
 * pages, filters and sorts; a body puts it where a query goes.
 * @param text not empty, as `normalizeText` makes it
 */
export function rankedQuery(text: string, pass: Pass, vocabulary: Vocabulary): Clause {
  return queryOf(rankingParts(analyzeText(text, vocabulary), pass), ({ clause }) => clause);
}

/** The parts put together; `show` gives the clause of each, as it is or with a name that the answer repeats. */
export function queryOf(parts: RankingParts, show: (part: NamedClause) => Clause): Clause {
  const found = { bool: { should: [{ dis_max: { queries: parts.tiers.map(show) } }, ...parts.content.map(show)] } };
  const likely = { bool: { must: [found], should: parts.labels.map(show) } };
  const match = { dis_max: { queries: [...parts.sure.map(show), likely] } };
  return {
    function_score: {
      query: { bool: { must: [match], should: parts.bonuses.map(show) } },
      functions: [popularityFunction],
      score_mode: 'sum',
      boost_mode: 'sum',
    },
  };
}
