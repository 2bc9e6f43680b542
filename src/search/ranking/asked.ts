import type { KindName } from '../../kinds/kind.ts';
import type { Place, Question, RelationRole, TimeRange } from '../questions/question.ts';
import { anyOf, type Clause, constantScore, ofKind } from './clauses.ts';

/**
 * A question's own clauses ("zk rollup startups in Berlin": companies, Berlin, and the words "zk rollup"). They stand
 * beside the plain reading of the whole text, below the tiers that leave no doubt: where the question was misread, an
 * entity that is named so is first all the same.
 */

/** What holds of every entity that the question asks for, apart from words and relations. */
export function conditions(
  { places, time, online, kinds }: Question,
  type: KindName | 'all',
  placeMayBeUnknown = false,
): Clause[] {
  return [
    ...(type === 'all' && kinds.length > 0 ? [anyOf(kinds.map(ofKind))] : []),
    ...places.map((place) => (placeMayBeUnknown ? anyOf([nowhere, inPlace(place)]) : inPlace(place))),
    ...(time === null ? [] : [inTime(time)]),
    ...(online === null ? [] : [{ term: { is_online: online } }]),
  ];
}

/** What must hold of what is only near in meaning: where it is, as far as that is known, when, and whether online. */
export function demands({ places, time, online }: Question): Clause[] {
  return [
    ...places.map((place) => anyOf([nowhere, inPlace(place)])),
    ...(time === null ? [] : [inTime(time)]),
    ...(online === null ? [] : [{ term: { is_online: online } }]),
  ];
}

/** Points of a kind that is asked for, and of a place that is known. "Somebody who audits" may as well be a company. */
const wishedKind = 12;
const wishedPlace = 30;

export function wishes({ places, kinds }: Question): Clause[] {
  return [
    ...(kinds.length === 0 ? [] : [constantScore(wishedKind, anyOf(kinds.map(ofKind)))]),
    ...places.map((place) => constantScore(wishedPlace, inPlace(place))),
  ];
}

/** Whether the question asks for a kind that is not searched: then it was misread, or has no answer here. */
export function isElsewhere({ kinds }: Question, type: KindName | 'all'): boolean {
  return type !== 'all' && kinds.length > 0 && !kinds.includes(type);
}

/** Kinds whose places are mostly unknown. */
const seldomPlaced: readonly KindName[] = ['companies', 'people'];
const nowhere: Clause = {
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

/** Points of an entity that fulfils all of a question; the words of the question count on top. */
const fulfilled = 80;
/** Where nothing of its words fits: so few that another pass is tried. */
const conditionsOnly = 30;
/** Of a relation: its own points, those for the entity that is named, and for the role in which it is. */
const related = 104;
const inRole = 22;
const perhapsInRole = 4;
/** Words between a role and a name, at most: further apart the role is often that at another's. */
const nearBy = 3;
/** Where the words that are left fit, too. */
const alsoWords = 12;
/** Of an entity whose place is not known, but fits otherwise: of most companies it is not. */
const placeUnknown = 14;

/** What it means that the clause matched, for people. */
export const askedTable = {
  asked: { meaning: 'it fulfils all that the question asks for' },
  askedInPart: { meaning: 'it fulfils what the question asks for, but for its words' },
  askedUnplaced: { meaning: 'it fulfils what the question asks for, but for its place, which is not known' },
  askedRelation: { meaning: 'it has to do with whom the question names, as the question asks' },
} as const;
export type AskedName = keyof typeof askedTable;

export interface AskedClause {
  readonly name: AskedName;
  readonly clause: Clause;
}

/** What a question leaves to search for, and how. */
interface AskedText {
  readonly type: KindName | 'all';
  /** How well its words fit; null where none is left. */
  readonly rest: Clause | null;
  /** Whether an entity is filed under all of them. */
  readonly filed: Clause | null;
  /** Whether the name in a relation may be misspelt. */
  readonly tolerant: boolean;
}

export function askedClauses(question: Question, { type, rest, filed, tolerant }: AskedText): AskedClause[] {
  const { relation, places, time, online } = question;
  const filter = conditions(question, type);
  if (relation !== null) {
    const must = [relationClause(relation, question.kinds, tolerant)];
    const should = rest === null ? [] : [{ bool: { must: [constantScore(alsoWords, all), rest] } }];
    return [{ name: 'askedRelation', clause: { bool: { filter, must, should } } }];
  }
  if (filter.length === 0) return [];
  if (rest === null) return [{ name: 'asked', clause: { bool: { filter, must: [constantScore(fulfilled, all)] } } }];
  const isSelective = places.length > 0 || time !== null || online !== null;
  const whole: AskedClause = {
    name: 'asked',
    clause: { bool: { filter, must: [constantScore(fulfilled, all), rest] } },
  };
  const unplaced = {
    bool: {
      filter: [
        ...conditions(question, type, true),
        ...(filed === null ? [] : [filed]),
        anyOf(seldomPlaced.map(ofKind)),
      ],
      must: [constantScore(placeUnknown, all), rest],
    },
  };
  const inPart = { bool: { filter, must: [constantScore(conditionsOnly, all)] } };
  return [
    whole,
    ...(isSelective ? [{ name: 'askedInPart', clause: inPart } as const] : []),
    ...(filed !== null && places.length > 0 ? [{ name: 'askedUnplaced', clause: unplaced } as const] : []),
  ];
}

const all: Clause = { match_all: {} };

/** The kind that answers, unless the question says another. */
const answers: Readonly<Record<RelationRole, KindName>> = {
  founder: 'people',
  ceo: 'people',
  member: 'people',
  speaker: 'people',
  author: 'people',
  investor: 'investors',
  portfolio: 'companies',
  organizer: 'events',
};

/** Words by which texts tell the role; none where the relation itself tells it. */
const roleWords: Readonly<Partial<Record<RelationRole, readonly string[]>>> = {
  founder: ['founder', 'cofounder', 'founded', 'co-founder'],
  ceo: ['ceo', 'chief executive'],
};

function relationClause(
  { role, of }: NonNullable<Question['relation']>,
  kinds: readonly KindName[],
  tolerant: boolean,
): Clause {
  const kind = kinds.length === 1 ? (kinds[0] ?? answers[role]) : answers[role];
  const words = roleWords[role] ?? [];
  const near = { query: of, slop: 3 };
  const named: Clause[] = [
    constantScore(related, { match: { 'search.relations.whole': of } }),
    constantScore(related - 6, { match_phrase: { 'search.relations': of } }),
    ...(role === 'author' ? [constantScore(related, { match: { 'search.proposals': of } })] : []),
    ...(words.length === 0 ? [] : [constantScore(related - 14, { match_phrase: { overview: near } })]),
    ...(words.length === 0 ? [] : [constantScore(related - 10, { match_phrase: { 'search.short': near } })]),
    ...(tolerant
      ? [
          constantScore(related - 16, {
            match: { 'search.relations.whole': { query: of, fuzziness: 'AUTO:4,8', prefix_length: 1 } },
          }),
        ]
      : []),
  ];
  const told = ['overview', 'search.short'].flatMap((field) =>
    words.map((word) => ({ match_phrase: { [field]: { query: `${word} ${of}`, slop: nearBy } } })),
  );
  const roles =
    words.length === 0
      ? []
      : [
          constantScore(inRole, anyOf(told)),
          constantScore(perhapsInRole, { match: { 'search.short': words.join(' ') } }),
        ];
  return { bool: { filter: [ofKind(kind)], must: [{ dis_max: { queries: named } }], should: roles } };
}

/** Not what the question says it does not want. */
export function unwanted({ without, like }: Question): Clause[] {
  return [...without, ...(like === null ? [] : [like])].map((name) => ({ match: { 'search.names.joined': name } }));
}
