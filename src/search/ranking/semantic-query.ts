import { conditions, unwanted } from './asked.ts';
import { addPopularity, anyOf, type Clause } from './clauses.ts';
import { type NearVector, nearVector } from './near-vector.ts';
import { plainly, type RankedText, type Show, wordsQuery } from './ranked-query.ts';

/** Points of a vector that is the text's own. */
const vectorPoints = 100;

/**
 * What is near to a text in meaning, together with what has its words: for a text that neither names anything nor is
 * found word by word. What a question demands of place, time and kind holds here, too.
 */
export function semanticQuery(
  text: RankedText,
  near: Pick<NearVector, 'field' | 'vector' | 'filter'>,
  show: Show = plainly,
): Clause {
  const demanded = text.question === null ? [] : conditions(text.question, text.type);
  const filter = [...near.filter, ...demanded];
  const nearest = show({ name: 'nearMeaning', clause: nearVector({ ...near, filter, points: vectorPoints }) });
  const should = [wordsQuery(text, show), nearest];
  const must_not = text.question === null ? [] : unwanted(text.question);
  return addPopularity({
    bool: {
      must: [anyOf(should)],
      ...(demanded.length === 0 ? {} : { filter: demanded }),
      ...(must_not.length === 0 ? {} : { must_not }),
    },
  });
}
