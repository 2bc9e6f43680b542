import type { NameCandidate } from '../vocabulary/name-candidates.ts';
import { type Clause, constantScore } from './clauses.ts';
import { named } from './tier-table.ts';
import { labelField, nearlyOccurs } from './word-fields.ts';

/** Points of an entity whose whole name is nearly one of the words ("unswap dex exchange"). */
const misspeltPoints = { likely: 66, unlikely: 33 } as const;
/** Minimum length of a text that may have two wrong letters. */
export const twoEditsFrom = 8;
/** Points of an entity that has such a word in a longer name, or in its texts. */
const partOfNamePoints = 58;
const mentionedPoints = 30;

/** Shorter names differ from too many words by one letter. */
const oneEditFrom = 5;

/** Misspelt names among other words, each judged by itself. With a topic as tag, it may have one more wrong letter. */
export function misspeltNameAmongWordsTiers(names: readonly NameCandidate[], topics: string): Clause[] {
  return names.flatMap(({ text, isLikely }) => {
    const points = misspeltPoints[isLikely ? 'likely' : 'unlikely'];
    const letters = lettersOf(text);
    const edits = letters < oneEditFrom ? 0 : letters < twoEditsFrom ? 1 : 2;
    const hasTopic = [{ match: { [labelField]: topics } }];
    const asOneWord = [
      constantScore(partOfNamePoints, nearlyOccurs(text, ['search.names'])),
      constantScore(mentionedPoints, nearlyOccurs(text)),
      ...(edits < 2 ? [{ bool: { must: [nearlyName(text, points, edits + 1)], filter: hasTopic } }] : []),
    ];
    return [
      ...(isLikely && !text.includes(' ') ? asOneWord : []),
      ...(edits === 0 ? [] : [nearlyName(text, points, edits)]),
    ].map((clause) => named('misspeltNameAmongWords', clause));
  });
}

/**
 * Matches a name with wrong letters, whose share Elasticsearch takes off the points. A clause for each number of
 * letters would need twice the memory.
 */
function nearlyName(text: string, points: number, edits: number): Clause {
  const fuzzy = {
    query: text,
    fuzziness: String(edits),
    prefix_length: 1,
    max_expansions: 50,
    fuzzy_rewrite: 'top_terms_boost_50',
    boost: points / (1 - 1 / lettersOf(text)),
  };
  return { match: { 'search.names.joined': fuzzy } };
}

export function lettersOf(text: string): number {
  return Array.from(text.replace(/\s/g, '')).length;
}
