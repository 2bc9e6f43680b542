import type { NearTerm } from '../meaning/term-vectors.ts';
import type { TextMeaning } from '../ports.ts';
import { questionBeside } from './asked.ts';
import { addPopularity, anyOf, type Clause, constantScore } from './clauses.ts';
import { type NearVector, nearVector } from './near-vector.ts';
import { plainly, type RankedText, type Show, wordsQuery } from './ranked-query.ts';

/** Of a document with the text's own vector. What is found at all has between 0.75 and 0.9 of these points. */
const vectorPoints = 250;
/** Of an entity that is filed under a concept that the text means, or mentions it; times the concept's weight. */
const conceptPoints = 16;
const conceptFields = ['search.tags', 'search.short', 'overview'];
/** The part of their points that words keep: what a text shares by chance must not outweigh what it means. */
const wordsShare = 0.3;
/** Of an entity with a tag that the text means; times the tag's weight, and BM25's for its rarity. */
const tagPoints = 1.2;

/**
 * What is near to a text in meaning, together with what has its words: for a text that neither names anything nor is
 * found word by word. A question's place, time and "online" must fit, unless the place is unknown; its kind adds points.
 */
export function semanticQuery(
  text: RankedText,
  { vector, concepts, tags }: TextMeaning,
  near: Pick<NearVector, 'field' | 'filter'>,
  show: Show = plainly,
): Clause {
  const asked = questionBeside(text.question);
  const clause = nearVector({ ...near, vector, filter: [...near.filter, ...asked.filter], points: vectorPoints });
  const terms = [...concepts.map(ofConcept), ...tags.map(ofTag)];
  return addPopularity({
    bool: {
      must: [
        anyOf([
          { bool: { must: [wordsQuery(text, show)], boost: wordsShareOf(text) } },
          show({ name: 'nearMeaning', clause }),
        ]),
      ],
      should: [
        ...(terms.length === 0 ? [] : [show({ name: 'nearTerm', clause: { bool: { should: terms } } })]),
        ...asked.should,
      ],
      filter: asked.filter,
      must_not: asked.must_not,
    },
  });
}

/** Where the text itself says a concept, its words are not shared by chance. */
function wordsShareOf({ analyzed, rest }: RankedText): number {
  return (rest ?? analyzed).conceptTokens === '' ? wordsShare : 1;
}

function ofConcept({ term, weight }: NearTerm): Clause {
  const query = { query: term, fields: conceptFields, analyzer: 'words' };
  return constantScore(conceptPoints * weight, { multi_match: query });
}

function ofTag({ term, weight }: NearTerm): Clause {
  return { match: { 'search.tags.whole': { query: term, analyzer: 'label', boost: tagPoints * weight } } };
}
