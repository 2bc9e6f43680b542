import type { NameCandidate } from '../vocabulary/name-candidates.ts';
import { type Clause, constantScore } from './clauses.ts';
import type { Tier } from './tier-table.ts';

/**
 * A name among other words ("unswap dex exchange"). Each word is judged by itself: one that is a whole name gives more
 * points the rarer it is, one that is nearly a name counts only where it is no common word.
 */

/** Points of a whole name: of words that texts are made of, and of others. */
const commonName = 12;
const tellingName = 46;
/** The share of them where the other words may belong to a longer name. */
const unclearShare = 0.5;
/** Per unit of BM25, of which a word that only one text of 10,000 has gets 10, one that a tenth has 3. */
const rarity = 3;

/** @param besides what may stand beside a name */
export function nameAmongWordsTiers(
  names: readonly NameCandidate[],
  besides: readonly NameCandidate['beside'][],
): Tier[] {
  const queries = names
    .filter(({ beside }) => besides.includes(beside))
    .map(({ text, isCommon, beside }) => {
      const boost = text.includes(' ') ? rarity / 2 : rarity;
      const rare = { match: { 'search.words': { query: text, operator: 'and', boost } } };
      const points = (isCommon ? commonName : tellingName) * (beside === 'common' ? 1 : unclearShare);
      return { bool: { must: [constantScore(points, wholeName(text)), rare] } };
    });
  return queries.length === 0 ? [] : [{ name: 'nameAmongWords', clause: { dis_max: { queries } } }];
}

function wholeName(text: string): Clause {
  return { match: { 'search.names.joined': text } };
}

const misspeltPoints = { likely: 66, unlikely: 40 } as const;
/** So much less for a second slip, in a longer name. */
const secondSlip = 6;

/** Less where it is a word of a longer name, and where it is only talked about. */
const wordOfName = 58;
const mentioned = 30;

export function misspeltNameAmongWordsTiers(names: readonly NameCandidate[]): Tier[] {
  const queries = names.flatMap(({ text, misspelt, beside }) => {
    if (misspelt === 'no' || beside === 'names') return [];
    const points = misspeltPoints[misspelt] * (beside === 'common' ? 1 : unclearShare);
    const fuzzy = (fuzziness: string): Clause => ({ query: text, fuzziness, prefix_length: 1, max_expansions: 50 });
    return [
      ...(text.includes(' ') || misspelt === 'unlikely' || beside !== 'common'
        ? []
        : [
            constantScore(wordOfName, nearly('search.names', text)),
            constantScore(mentioned, nearly('search.words', text)),
          ]),
      constantScore(points, { match: { 'search.names.joined': fuzzy('1') } }),
      ...(text.length < 8
        ? []
        : [constantScore(points - secondSlip, { match: { 'search.names.joined': fuzzy('2') } })]),
    ];
  });
  return queries.length === 0 ? [] : [{ name: 'misspeltNameAmongWords', clause: { dis_max: { queries } } }];
}

/** With another letter, but not as typed: a word that is there as it is typed is none that is misspelt. */
function nearly(field: string, word: string): Clause {
  return {
    bool: {
      must: [{ match: { [field]: { query: word, fuzziness: '1', prefix_length: 1, max_expansions: 50 } } }],
      must_not: [{ match: { [field]: word } }],
    },
  };
}
