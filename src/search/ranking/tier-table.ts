import { type Clause, constantScore } from './clauses.ts';

/**
 * The tiers of a match between text and entity. A tier gives constant points, so the order of the table is the order of
 * the ranking. The best tier counts (dis_max). Contents (BM25, about 0 to 25) and a place are added, except to sure
 * tiers, because mentions in texts make no name surer. Whole tags and popularity are added to all. The distance between
 * sure tiers and the rest exceeds all additions, so mentions can't overtake an exact name.
 */

interface TierRow {
  readonly points: number;
  /** The meaning of a match of the tier, for people. */
  readonly meaning: string;
  /** True if the match leaves no doubt about the intended entity. */
  readonly isSure?: true;
}

/** Every tier, the best first. */
const table = {
  exactName: { points: 200, meaning: 'its name is exactly this text', isSure: true },
  joinedName: { points: 190, meaning: 'a name is this text when blanks and signs are left out', isSure: true },
  identifier: { points: 150, meaning: 'a ticker, handle, host or proposal number is this text', isSure: true },
  nameAndYear: { points: 145, meaning: 'a name is this text without its year, and the year is right', isSure: true },
  fuzzyJoinedOneEdit: { points: 76, meaning: 'a name differs from this text by one letter, blanks left out' },
  namePrefix: { points: 72, meaning: 'a name begins with this text, blanks left out' },
  fuzzyWordsOneEdit: { points: 72, meaning: 'a name contains all the words, each with one wrong letter at most' },
  fuzzyWordsTwoEdits: { points: 70, meaning: 'a name contains all the words, each with two wrong letters at most' },
  namePhrase: { points: 66, meaning: 'a name contains these words side by side, in this order' },
  misspeltNameAmongWords: {
    points: 66,
    meaning: 'one or two of the words are its name, or part of it, with a typo',
  },
  contentWords: { points: 48, meaning: 'all the words occur somewhere in what is known about it' },
  proposal: { points: 46, meaning: 'one of its proposals is named among the words' },
  correctedWords: {
    points: 45,
    meaning: 'all the words, after correcting typos in common ones, occur in what is known about it',
  },
  nameWordsPrefix: { points: 44, meaning: 'a name contains all the words, the last one perhaps unfinished' },
  fuzzyJoinedTwoEdits: { points: 43, meaning: 'a name differs from this text by two letters, blanks left out' },
  wordBeginnings: { points: 43, meaning: 'words of a name begin with all the words' },
  nameOfAnotherYear: { points: 42, meaning: 'a name is this text without its year, and the year is another' },
} as const satisfies Readonly<Record<string, TierRow>>;
export type TierName = keyof typeof table;
export const tierTable: Readonly<Record<TierName, TierRow>> = table;

/**
 * A tier's clause gives the tier's points. Clauses of names among other words give points per word
 * (`name-among-words.ts`).
 */
export interface Tier {
  readonly name: TierName;
  readonly clause: Clause;
}

/** A tier of a match, with its points. */
export function tier(name: TierName, filter: Clause): Tier {
  return { name, clause: constantScore(tierTable[name].points, filter) };
}

/**
 * Returns true if the text certainly names the best hit.
 * @param best the hit's points
 */
export function isSure(best: number): boolean {
  return best >= tierTable.nameAndYear.points;
}
