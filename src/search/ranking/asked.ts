import type { KindName } from '../../kinds/kind.ts';
import { areKindWords } from '../questions/kind-words.ts';
import type { Question } from '../questions/question.ts';
import { fold } from '../questions/sentence.ts';
import { wordsOf } from '../vocabulary/vocabulary.ts';
import { allConditions, inPlace, placeAndTimeConditions, type Strictness, strictly } from './asked-conditions.ts';
import { relationClause } from './asked-relation.ts';
import { anyOf, type Clause, constantScore, ofKind } from './clauses.ts';

/**
 * A question's own clauses ("zk rollup startups in Berlin": companies, Berlin, and the words "zk rollup"). They stand
 * beside the plain reading of the whole text, below the tiers that leave no doubt: where the question was misread, an
 * entity that is named so is first all the same.
 */

const kindAskedForPoints = 12;
const placeAskedForPoints = 30;

/** What a question adds to a query that finds by nearness in meaning or by likeness instead of by words. */
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

/** Whether the question asks only for kinds that are not searched: then it was misread, or has no answer here. */
export function asksForOtherKinds({ kinds }: Question, type: KindName | 'all'): boolean {
  return type !== 'all' && kinds.length > 0 && !kinds.includes(type);
}

/** Kinds whose places are mostly unknown. */
const seldomPlacedKinds: readonly KindName[] = ['companies', 'people'];

/** Of an entity that fulfils all of a question; how well the question's words fit counts on top. */
const fulfilledPoints = 80;
/**
 * Of one that has none of the words: so few that another pass is tried first, unless the words are right and say no more
 * than a kind, which many do not tell of themselves ("meetups").
 */
const conditionsOnlyPoints = { yet: 30, last: 62 } as const;
/** Of one whose texts name the place, as nothing else says where it is. */
const toldPoints = 62;
/** Of one of which nobody knows when it was founded. */
const undatedPoints = 40;
/** Of one that fits but for its place, which is not known: it may be elsewhere. */
const unplacedPoints = 14;
/**
 * Of one that takes place on other terms than the question's: in person instead of online, or at another time. So few that
 * another pass is tried; of the rest's points it keeps a part for the same reason.
 */
const otherwisePoints = { online: 30, time: 26 } as const;
const otherwiseShare = 0.2;
/** Of what a relation leaves, in addition, where its words fit; how well counts on top. */
const relatedWordsPoints = 12;

/** What it means that the clause matched, for people. */
export const askedTable = {
  asked: { meaning: 'it fulfils all that the question asks for' },
  askedInPart: { meaning: 'it fulfils what the question asks for, but has none of its other words' },
  askedTold: { meaning: 'it fulfils what the question asks for, as far as its texts say where it is' },
  askedUndated: { meaning: 'it fulfils what the question asks for, except that nobody knows when it was founded' },
  askedOtherwise: { meaning: 'it fulfils what the question asks for, but not online, or at another time' },
  askedUnplaced: { meaning: 'it fulfils what the question asks for, except that its place is not known' },
  askedRelation: { meaning: 'it is related to the entity that the question names, as the question asks' },
} as const;
export type AskedName = keyof typeof askedTable;

export interface AskedClause {
  readonly name: AskedName;
  readonly clause: Clause;
}

/** What a question leaves to search for as words, and how. */
interface AskedText {
  readonly type: KindName | 'all';
  /** How well its words fit; null where none is left. */
  readonly rest: Clause | null;
  /**
   * The same with their spelling trusted. Fuzzy clauses cost Elasticsearch megabytes each, so they stand in one clause of a
   * question and not in each.
   */
  readonly restAsWritten: Clause | null;
  /** Whether all of them are among an entity's tags, place, year and words for its kind; null where none is left. */
  readonly filed: Clause | null;
  /** Whether all of them occur in what is known about an entity; null where none is left. */
  readonly told: Clause | null;
  /** Whether the name in a relation may be misspelt. */
  readonly tolerant: boolean;
}

/** The clauses of a question; the best of them counts, unless the plain reading of the text is worth more. */
export function askedClauses(question: Question, text: AskedText): AskedClause[] {
  // Where nobody is called so, nothing is like it: a kind alone would be fulfilled by all of that kind.
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

/** Meeting the conditions as far as anything is known. */
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

/** Meeting the conditions but for one: in person instead of online, or at another time. */
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
 * The entities that the question excludes: those after "other than", and the one whose like is wanted; with all of its
 * editions, where it is a series.
 */
export function excludedByName({ without, like }: Question): Clause[] {
  return [...without, ...(like === null ? [] : [like])].flatMap((name) => {
    const letters = fold(name).replace(/[^\p{L}\p{N}]/gu, '');
    const editions = { regexp: { 'search.names.joined': { value: `${letters}((19|20)?[0-9]{2}|[0-9])` } } };
    return [{ match: { 'search.names.joined': name } }, ...(letters === '' ? [] : [editions])];
  });
}
