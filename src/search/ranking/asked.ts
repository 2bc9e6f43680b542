import type { KindName } from '../../kinds/kind.ts';
import type { Place, Question, TimeRange } from '../questions/question.ts';
import { fold } from '../questions/sentence.ts';
import { relationClause } from './asked-relation.ts';
import { anyOf, type Clause, constantScore, ofKind } from './clauses.ts';

/**
 * A question's own clauses ("zk rollup startups in Berlin": companies, Berlin, and the words "zk rollup"). They stand
 * beside the plain reading of the whole text, below the tiers that leave no doubt: where the question was misread, an
 * entity that is named so is first all the same.
 */

/** What holds of every entity that the question asks for, apart from words and relations. */
function allConditions(question: Question, type: KindName | 'all', placed: PlaceCondition): Clause[] {
  const { kinds } = question;
  return [
    ...(type === 'all' && kinds.length > 0 ? [anyOf(kinds.map(ofKind))] : []),
    ...placeAndTimeConditions(question, placed),
  ];
}

/** Whether an entity fulfils a place of which nothing says where it is. */
type PlaceCondition = 'known' | 'known or unplaced';

/** What holds of where and when an entity is, and whether it is online. */
function placeAndTimeConditions({ places, time, online }: Question, placed: PlaceCondition): Clause[] {
  return [
    ...places.map((place) => (placed === 'known' ? inPlace(place) : anyOf([unplaced, inPlace(place)]))),
    ...(time === null ? [] : [inTime(time)]),
    ...(online === null ? [] : [{ term: { is_online: online } }]),
  ];
}

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
    filter: placeAndTimeConditions(question, 'known or unplaced'),
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
const unplaced: Clause = {
  bool: { must_not: [{ exists: { field: 'location_json.country' } }, { exists: { field: 'location_json.city' } }] },
};

function inPlace({ countries, cities }: Place): Clause {
  return anyOf([
    ...(countries.length === 0 ? [] : [{ terms: { 'location_json.country': countries } }]),
    ...(cities.length === 0 ? [] : [{ terms: { 'location_json.city': cities } }]),
  ]);
}

function inTime({ about, from, until }: TimeRange): Clause {
  const bounds = { ...(from === null ? {} : { gte: from }), ...(until === null ? {} : { lt: until }) };
  if (about === 'starts') return { range: { start_date: bounds } };
  // Most have a year and no date. A year counts where its first day does, or where it is the one that the range is in.
  const year = (date: string): number => Number(date.slice(0, 4));
  const years = {
    ...(from === null ? {} : { gte: year(from) }),
    ...(until === null ? {} : until.endsWith('-01-01') ? { lt: year(until) } : { lte: year(until) }),
  };
  return anyOf([{ range: { founded_date: bounds } }, { range: { year_founded: years } }]);
}

/** Of an entity that fulfils all of a question; how well the question's words fit counts on top. */
const fulfilledPoints = 80;
/** Of one that has none of the words: so few that another pass is tried. */
const conditionsOnlyPoints = 30;
/** Of one that fits but for its place, which is not known: it may be elsewhere. */
const unplacedPoints = 14;
/** Of what a relation leaves, in addition, where its words fit; how well counts on top. */
const relatedWordsPoints = 12;

/** What it means that the clause matched, for people. */
export const askedTable = {
  asked: { meaning: 'it fulfils all that the question asks for' },
  askedInPart: { meaning: 'it fulfils what the question asks for, but has none of its other words' },
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
  /** Whether all of them are among an entity's tags, place, year and words for its kind; null where none is left. */
  readonly filed: Clause | null;
  /** Whether the name in a relation may be misspelt. */
  readonly tolerant: boolean;
}

/** The clauses of a question; the best of them counts, unless the plain reading of the text is worth more. */
export function askedClauses(question: Question, { type, rest, filed, tolerant }: AskedText): AskedClause[] {
  const { relation, places, time, online, like } = question;
  // Where nobody is called so, nothing is like it: a kind alone would be fulfilled by all of that kind.
  if (like !== null) return [];
  const filter = allConditions(question, type, 'known');
  if (relation !== null) {
    const must = [relationClause(relation, question.kinds, tolerant)];
    const should = rest === null ? [] : [{ bool: { must: [constantScore(relatedWordsPoints, all), rest] } }];
    return [{ name: 'askedRelation', clause: { bool: { filter, must, should } } }];
  }
  if (filter.length === 0) return [];
  if (rest === null)
    return [{ name: 'asked', clause: { bool: { filter, must: [constantScore(fulfilledPoints, all)] } } }];
  const isSelective = places.length > 0 || time !== null || online !== null;
  const whole: AskedClause = {
    name: 'asked',
    clause: { bool: { filter, must: [constantScore(fulfilledPoints, all), rest] } },
  };
  const withoutPlace = {
    bool: {
      filter: [
        ...allConditions(question, type, 'known or unplaced'),
        ...(filed === null ? [] : [filed]),
        anyOf(seldomPlacedKinds.map(ofKind)),
      ],
      must: [constantScore(unplacedPoints, all), rest],
    },
  };
  const inPart = { bool: { filter, must: [constantScore(conditionsOnlyPoints, all)] } };
  return [
    whole,
    ...(isSelective ? [{ name: 'askedInPart', clause: inPart } as const] : []),
    ...(filed !== null && places.length > 0 ? [{ name: 'askedUnplaced', clause: withoutPlace } as const] : []),
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
