import { type Clause, clauseName, constantScore } from './clauses.ts';

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

const table = {
  exactName: { points: 200, meaning: 'its name is exactly this text', isSure: true },
  joinedName: { points: 190, meaning: 'a name is this text when blanks and signs are left out', isSure: true },
  identifier: { points: 160, meaning: 'a ticker, handle, host or proposal number is this text', isSure: true },
  nameAndYear: { points: 155, meaning: 'a name is this text without its year, and the year is right', isSure: true },
  fuzzyJoinedOneEdit: { points: 76, meaning: 'a name differs from this text by one letter, blanks left out' },
  namePrefix: { points: 72, meaning: 'a name begins with this text, blanks left out' },
  fuzzyWordsOneEdit: { points: 72, meaning: 'a name contains all the words, each with one wrong letter at most' },
  nameAmongWords: { points: 72, meaning: 'one to three of the words are its name' },
  fuzzyWordsTwoEdits: { points: 70, meaning: 'a name contains all the words, each with two wrong letters at most' },
  namePhrase: { points: 66, meaning: 'a name contains these words side by side, in this order' },
  misspeltNameAmongWords: { points: 66, meaning: 'one or two of the words are its name, or part of it, with a typo' },
  wordBeginnings: { points: 62, meaning: 'words of a name begin with all the words' },
  contentWords: { points: 48, meaning: 'all the words occur somewhere in what is known about it' },
  proposal: { points: 46, meaning: 'one of its proposals is named among the words' },
  correctedWords: {
    points: 45,
    meaning: 'all the words, after correcting typos in common ones, occur in what is known about it',
  },
  nameWordsPrefix: { points: 44, meaning: 'a name contains all the words, the last one perhaps unfinished' },
  fuzzyJoinedTwoEdits: { points: 43, meaning: 'a name differs from this text by two letters, blanks left out' },
  nameOfAnotherYear: { points: 42, meaning: 'a name is this text without its year, and the year is another' },
} as const satisfies Readonly<Record<string, TierRow>>;
export type TierName = keyof typeof table;
export const tierTable: Readonly<Record<TierName, TierRow>> = table;

export interface OtherRow {
  /** Constant points; missing for clauses that score the match, or that only match. */
  readonly points?: number;
  readonly meaning: string;
  /** True if it also counts for an entity that is certainly meant. */
  readonly countsBesideSure?: true;
}

/** Every named clause other than tiers: of words, of questions, and of meaning or similarity. */
export const otherTable = {
  content: { meaning: 'words of the query in its names, tags, place, relations and texts; rare words count more' },
  words: { meaning: 'enough words of the query occur in it' },
  concept: { meaning: 'a concept of the query is among its tags' },
  relation: { points: 4, meaning: 'an organisation, company or investor it is related to is named in the query' },
  city: { points: 14, meaning: 'its city or country is named in the query' },
  preferredKind: { points: 8, meaning: 'it is a company, where no kind is named' },
  wordIsName: { points: 10, meaning: 'one to four of the words are its name' },
  typedLabel: { points: 4, meaning: 'the query contains one of its tags as a whole', countsBesideSure: true },
  conceptLabel: { points: 4, meaning: 'the query names one of its tags in other words', countsBesideSure: true },
  asked: { meaning: 'it fulfils all that the question asks for' },
  askedInPart: { meaning: 'it fulfils the question by its texts, or has none of the words that name a kind' },
  askedRelation: { meaning: 'it is related to the entity that the question names, as the question asks' },
  nearMeaning: { meaning: 'it is near in meaning to what is searched for' },
  nearTerm: { meaning: 'a concept that is near in meaning to what is searched for' },
  sharedWords: { meaning: 'its texts share rare words with those of the entity that is named' },
  sharedConcept: { meaning: 'it is about the same as the entity that is named, by the concepts of the vocabulary' },
  sharedTrait: { meaning: 'it shares tags, investors or the like with the entity that is named' },
  nearEntity: { meaning: 'it is near in meaning to the entity that is named' },
} as const satisfies Readonly<Record<string, OtherRow>>;

export function named(name: TierName | keyof typeof otherTable, clause: Clause): Clause {
  return { ...clause, [clauseName]: name };
}

export function tier(name: TierName, filter: Clause): Clause {
  return named(name, constantScore(tierTable[name].points, filter));
}

/** A named clause with constant points. */
export function bonus(
  name: 'relation' | 'wordIsName' | 'city' | 'preferredKind' | 'typedLabel' | 'conceptLabel',
  filter: Clause,
): Clause {
  return named(name, constantScore(otherTable[name].points, filter));
}

/** Returns true if the text certainly names the best hit, by its points. */
export function isSure(best: number): boolean {
  return best >= tierTable.nameAndYear.points;
}
