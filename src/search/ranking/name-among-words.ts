import type { NameCandidate } from '../vocabulary/name-candidates.ts';
import { type Clause, constantScore } from './clauses.ts';
import type { Tier } from './tier-table.ts';
import { nearlyOccurs, rarityOf } from './word-fields.ts';

/**
 * A name among other words ("unswap dex exchange"). Each word is judged by itself: one that is a whole name gives more
 * points the rarer it is, one that is nearly a name counts only where it is no common word.
 */

/** Points of an entity whose whole name is one of the words: a common word, or another. */
const commonNamePoints = 12;
const tellingNamePoints = 46;
/** The share of all these points that is left where the other words may belong to a longer name. */
const unclearShare = 0.5;
/** For each unit of BM25. A word that only one text of 10,000 has gets some 10 units, one that a tenth has some 3. */
const rarityPoints = 3;

/**
 * Names that are spelt as typed.
 * @param besides words that may accompany a name
 */
export function nameAmongWordsTiers(
  names: readonly NameCandidate[],
  besides: readonly NameCandidate['beside'][],
): Tier[] {
  const queries = names
    .filter(({ beside }) => besides.includes(beside))
    .map(({ text, isCommon, beside }) => {
      const boost = text.includes(' ') ? rarityPoints / 2 : rarityPoints;
      const points = (isCommon ? commonNamePoints : tellingNamePoints) * (beside === 'common' ? 1 : unclearShare);
      return { bool: { must: [constantScore(points, wholeName(text)), rarityOf(text, boost)] } };
    });
  return queries.length === 0 ? [] : [{ name: 'nameAmongWords', clause: { dis_max: { queries } } }];
}

function wholeName(text: string): Clause {
  return { match: { 'search.names.joined': text } };
}

/** Points of an entity whose whole name is nearly one of the words. */
const misspeltPoints = { likely: 66, unlikely: 40 } as const;
/** Points taken off for a second wrong letter, which is only searched for in words of this many letters or more. */
const secondEditPoints = 6;
const twoEditsLettersMin = 8;

/** Points of an entity that has such a word in a longer name, or in its texts. */
const partOfNamePoints = 58;
const mentionedPoints = 30;

/** Names that are misspelt. */
export function misspeltNameAmongWordsTiers(names: readonly NameCandidate[]): Tier[] {
  const queries = names.flatMap(({ text, misspelt, beside }) => {
    if (misspelt === 'no' || beside === 'names') return [];
    const points = misspeltPoints[misspelt] * (beside === 'common' ? 1 : unclearShare);
    const fuzzy = (fuzziness: string): Clause => ({ query: text, fuzziness, prefix_length: 1, max_expansions: 50 });
    return [
      ...(text.includes(' ') || misspelt === 'unlikely' || beside !== 'common'
        ? []
        : [
            constantScore(partOfNamePoints, nearlyOccurs(text, ['search.names'])),
            constantScore(mentionedPoints, nearlyOccurs(text)),
          ]),
      constantScore(points, { match: { 'search.names.joined': fuzzy('1') } }),
      ...(text.length < twoEditsLettersMin
        ? []
        : [constantScore(points - secondEditPoints, { match: { 'search.names.joined': fuzzy('2') } })]),
    ];
  });
  return queries.length === 0 ? [] : [{ name: 'misspeltNameAmongWords', clause: { dis_max: { queries } } }];
}
