import type { TextMeaning } from '../meaning/term-vectors.ts';
import { questionBeside } from './asked.ts';
import { addPopularity, anyOf, type Clause, constantScore, type NearVector, nearVector } from './clauses.ts';
import { looseClauses, preferredKind, type RankedText } from './ranked-query.ts';
import { named } from './tier-table.ts';
import { labelField } from './word-fields.ts';

/** Points of a document with the text's own vector. Every found document has between 0.75 and 0.9 of them. */
const vectorPoints = 300;
/** Points of an entity that has or mentions a concept that the text means; times the concept's weight. */
const conceptPoints = 16;
const conceptFields = [labelField, 'search.short', 'overview'];

/**
 * Finds documents that are near to a text in meaning, and those with its words, if the text names no entity and its
 * words found nothing good. Names are left out, as the tolerant pass has searched for them. A question's place, time
 * and "online" must match, unless the place is unknown. Its kind adds points.
 */
export function semanticQuery(
  text: RankedText,
  { vector, concepts, similarityMin }: TextMeaning,
  near: Pick<NearVector, 'field' | 'filter'>,
): Clause {
  const asked = questionBeside(text.question);
  const { matches, textScores } = looseClauses(text);
  // Documents have the stem of a concept's token, such as that of "soulbound tokens" without its last letter.
  const terms = concepts.map(({ term, weight }) => {
    const query = { query: term, fields: conceptFields, analyzer: 'stems' };
    return constantScore(conceptPoints * weight, { multi_match: query });
  });
  const clause = nearVector(
    { ...near, vector, filter: [...near.filter, ...asked.filter], points: vectorPoints, similarityMin },
    anyOf([...matches, ...terms]),
  );
  return addPopularity({
    bool: {
      must: [anyOf([...matches, named('nearMeaning', clause)])],
      should: [
        ...(terms.length === 0 ? [] : [named('nearTerm', { bool: { should: terms } })]),
        ...textScores,
        ...preferredKind(text),
        ...asked.should,
      ],
      filter: asked.filter,
      must_not: asked.must_not,
    },
  });
}
