import type { NearTerm } from '../meaning/term-vectors.ts';
import type { TextMeaning } from '../ports.ts';
import { demands, unwanted, wishes } from './asked.ts';
import { addPopularity, anyOf, type Clause, constantScore } from './clauses.ts';
import { type NearVector, nearVector } from './near-vector.ts';
import { plainly, type RankedText, type Show, wordsQuery } from './ranked-query.ts';

/** Points of a vector that is the text's own. What is found has between 0.75 and 0.9 of them. */
const vectorPoints = 250;
/** Of a concept that the text means, where an entity is filed under it or says so of itself. */
const conceptPoints = 16;
const conceptFields = ['search.tags', 'search.short', 'overview'];
/** Words that a text shares by chance must not outweigh what it means. */
const wordsShare = 0.3;
/** Of a tag that the text means, times its rarity. */
const tagPoints = 1.2;

/**
 * What is near to a text in meaning, together with what has its words: for a text that neither names anything nor is
 * found word by word. What a question demands of place, time and kind holds here, too.
 */
export function semanticQuery(
  text: RankedText,
  { vector, concepts, tags }: TextMeaning,
  near: Pick<NearVector, 'field' | 'filter'>,
  show: Show = plainly,
): Clause {
  const demanded = text.question === null ? [] : demands(text.question);
  const excluded = text.question === null ? [] : unwanted(text.question);
  const clause = nearVector({ ...near, vector, filter: [...near.filter, ...demanded], points: vectorPoints });
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
        ...(text.question === null ? [] : wishes(text.question)),
      ],
      filter: demanded,
      must_not: excluded,
    },
  });
}

/** Concepts of the vocabulary that are named in so many words are no chance. */
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
