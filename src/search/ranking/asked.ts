import type { KindName } from '../../kinds/kind.ts';
import { areKindWords } from '../questions/kind-words.ts';
import type { Question } from '../questions/question.ts';
import { fold } from '../questions/sentence.ts';
import { wordsOf } from '../vocabulary/vocabulary.ts';
import { allConditions, inPlace, placeAndTimeConditions, type Strictness, strictly } from './asked-conditions.ts';
import { relationClause } from './asked-relation.ts';
import { anyOf, type Clause, constantScore, ofKind } from './clauses.ts';

/**
 * A question's own clauses ("zk rollup startups in Berlin": companies, Berlin, and the words "zk rollup"). They are
 * alternatives to the plain reading of the whole text, below the sure tiers: if the question was misread, an
 * entity with that name is first all the same.
 */

const kindAskedForPoints = 12;
const placeAskedForPoints = 30;

/** The part that a question adds to a query by meaning or similarity instead of words. */
export interface QuestionBeside {
  readonly filter: readonly Clause[];
  readonly should: readonly Clause[];
  readonly must_not: readonly Clause[];
}

/**
 * Time, "online" and place must fit, unless the place is unknown; a known place and the kind add points. The kind is no
 * condition: "somebody who audits" may as well be a company.
 */
export function questionBeside(question: Question | null): QuestionBeside {
  if (question === null) return { filter: [], should: [], must_not: [] };
  const { places, kinds } = question;
  return {
    filter: placeAndTimeConditions(question, { ...strictly, place: 'unplaced' }),
    should: [
      ...(kinds.length === 0 ? [] : [constantScore(kindAskedForPoints, anyOf(kinds.map(ofKind)))]),
      ...places.map((place) => constantScore(placeAskedForPoints, inPlace(place))),
    ],
    must_not: excludedByName(question),
  };
}

/**
 * Returns true if the question asks only for kinds that are not searched: then it was misread, or has no answer here.
 */
export function asksForOtherKinds({ kinds }: Question, type: KindName | 'all'): boolean {
  return type !== 'all' && kinds.length > 0 && !kinds.includes(type);
}

/** Kinds whose places are mostly unknown. */
const seldomPlacedKinds: readonly KindName[] = ['companies', 'people'];

/** Points of an entity that fulfils all of a question; the match of the question's words counts on top. */
const fulfilledPoints = 80;
/**
 * Points of an entity with none of the words: so few that another pass is tried first, unless the words only name
 * a kind, which many texts leave out ("meetups").
 */
const conditionsOnlyPoints = { yet: 30, last: 62 } as const;
/** Points of an entity whose place is known only from its texts. */
const toldPoints = 62;
/** Points of a company with an unknown year. */
const undatedPoints = 40;
/** Points of an entity that fits except for its unknown place. */
const unplacedPoints = 14;
/**
 * Points of an event on other terms than the question's: in person instead of online, or at another time. So few that
 * another pass is tried; it keeps only a part of the rest's points for the same reason.
 */
const otherwisePoints = { online: 30, time: 26 } as const;
const otherwiseShare = 0.2;
/** Additional points for the words beyond a relation; the quality of their match counts on top. */
const relatedWordsPoints = 12;

/** The meaning of a match of the clause, for people. */
export const askedTable = {
  asked: { meaning: 'it fulfils all that the question asks for' },
  askedInPart: { meaning: 'it fulfils what the question asks for, but has none of its other words' },
  askedTold: { meaning: 'it fulfils the question, with the place taken from its texts' },
  askedUndated: { meaning: 'it fulfils the question, except that its founding year is unknown' },
  askedOtherwise: { meaning: 'it fulfils what the question asks for, but not online, or at another time' },
  askedUnplaced: { meaning: 'it fulfils what the question asks for, except that its place is not known' },
  askedRelation: { meaning: 'it is related to the entity that the question names, as the question asks' },
} as const;
export type AskedName = keyof typeof askedTable;

export interface AskedClause {
  readonly name: AskedName;
  readonly clause: Clause;
}

/** The words that a question leaves to search for, and their clauses. */
interface AskedText {
  readonly type: KindName | 'all';
  /** The match of its words; null if none is left. */
  readonly rest: Clause | null;
  /**
   * The same with their spelling trusted. Fuzzy clauses cost Elasticsearch megabytes each, so only one clause of a
   * question has them.
   */
  readonly restAsWritten: Clause | null;
  /** Matches if all of them are among an entity's tags, place, year and words for its kind; null if none is left. */
  readonly filed: Clause | null;
  /** Matches if all of them occur in the entity's fields; null if none is left. */
  readonly told: Clause | null;
  /** True if the name in a relation may be misspelt. */
  readonly tolerant: boolean;
}

/** Returns the clauses of a question; the best of them counts, unless the plain reading of the text is worth more. */
export function askedClauses(question: Question, text: AskedText): AskedClause[] {
  // Without an entity of that name, nothing is similar: a kind alone would match all of that kind.
  if (question.like !== null) return [];
  const filter = allConditions(question, text.type, strictly);
  if (question.relation !== null) return [relatedAsAsked(question, question.relation, filter, text)];
  if (filter.length === 0) return [];
  return [
    meeting('asked', fulfilledPoints, filter, text.rest),
    ...inPart(question, filter, text),
    ...partlyKnown(question, text),
    ...otherwise(question, text),
  ];
}

function meeting(name: AskedName, points: number, filter: readonly Clause[], words: Clause | null): AskedClause {
  const must = [constantScore(points, all), ...(words === null ? [] : [words])];
  return { name, clause: { bool: { filter, must } } };
}

function relatedAsAsked(
  { kinds }: Question,
  relation: NonNullable<Question['relation']>,
  filter: readonly Clause[],
  { rest, filed, tolerant }: AskedText,
): AskedClause {
  const must = [relationClause(relation, kinds, tolerant)];
  const should = [
    ...(rest === null ? [] : [{ bool: { must: [constantScore(relatedWordsPoints, all), rest] } }]),
    ...(filed === null ? [] : [constantScore(relatedWordsPoints, filed)]),
  ];
  return { name: 'askedRelation', clause: { bool: { filter, must, should } } };
}

/** Meeting the conditions without having the words. */
function inPart(question: Question, filter: readonly Clause[], { rest, tolerant }: AskedText): AskedClause[] {
  const { places, time, online } = question;
  if (rest === null || (places.length === 0 && time === null && online === null)) return [];
  const isLast = tolerant || areKindWords(wordsOf(question.rest));
  return [meeting('askedInPart', conditionsOnlyPoints[isLast ? 'last' : 'yet'], filter, null)];
}

/** Matches entities that meet the conditions as far as their data shows. */
function partlyKnown(question: Question, { type, restAsWritten: rest, told }: AskedText): AskedClause[] {
  if (question.places.length === 0) return [];
  const conditions = (strictness: Partial<Strictness>) => allConditions(question, type, { ...strictly, ...strictness });
  const seldomPlaced = anyOf(seldomPlacedKinds.map(ofKind));
  return [
    meeting('askedTold', toldPoints, conditions({ place: 'told' }), rest),
    ...(question.time?.about === 'founded'
      ? [meeting('askedUndated', undatedPoints, conditions({ place: 'told', time: 'undated' }), rest)]
      : []),
    ...(told === null
      ? []
      : [meeting('askedUnplaced', unplacedPoints, [...conditions({ place: 'unplaced' }), told, seldomPlaced], rest)]),
  ];
}

/** Matches entities that fail one condition alone: in person instead of online, or at another time. */
function otherwise(question: Question, { type, restAsWritten: rest, filed }: AskedText): AskedClause[] {
  const { online, time, places } = question;
  const conditions = (strictness: Partial<Strictness>) => [
    ...allConditions(question, type, { ...strictly, ...strictness }),
    ...(filed === null ? [] : [filed]),
  ];
  const words = rest === null ? null : { bool: { must: [rest], boost: otherwiseShare } };
  const isMore = rest !== null || places.length > 0;
  return [
    ...(online === null
      ? []
      : [meeting('askedOtherwise', otherwisePoints.online, conditions({ online: 'any' }), words)]),
    ...(time?.about !== 'starts' || !isMore
      ? []
      : [meeting('askedOtherwise', otherwisePoints.time, conditions({ time: 'any' }), words)]),
  ];
}

const all: Clause = { match_all: {} };

/**
 * Returns the entities that the question excludes: those after "other than", and the one whose like is wanted; with all
 * of its editions, where it is a series.
 */
export function excludedByName({ without, like }: Question): Clause[] {
  return [...without, ...(like === null ? [] : [like])].flatMap((name) => {
    const letters = fold(name).replace(/[^\p{L}\p{N}]/gu, '');
    const editions = { regexp: { 'search.names.joined': { value: `${letters}((19|20)?[0-9]{2}|[0-9])` } } };
    return [{ match: { 'search.names.joined': name } }, ...(letters === '' ? [] : [editions])];
  });
}
