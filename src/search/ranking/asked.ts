import type { KindName } from '../../kinds/kind.ts';
import type { Place, Question, RelationRole, TimeRange } from '../questions/question.ts';
import { anyOf, type Clause, constantScore, ofKind } from './clauses.ts';

/**
 * A question's own clauses ("zk rollup startups in Berlin": companies, Berlin, and the words "zk rollup"). They stand
 * beside the plain reading of the whole text, below the tiers that leave no doubt: where the question was misread, an
 * entity that is named so is first all the same.
 */

/** What holds of every entity that the question asks for, apart from words and relations. */
export function conditions({ places, time, online, kinds }: Question, type: KindName | 'all'): Clause[] {
  return [
    ...(type === 'all' && kinds.length > 0 ? [anyOf(kinds.map(ofKind))] : []),
    ...places.map(inPlace),
    ...(time === null ? [] : [inTime(time)]),
    ...(online === null ? [] : [{ term: { is_online: online } }]),
  ];
}

/** Whether the question asks for a kind that is not searched: then it was misread, or has no answer here. */
export function isElsewhere({ kinds }: Question, type: KindName | 'all'): boolean {
  return type !== 'all' && kinds.length > 0 && !kinds.includes(type);
}

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
const related = 66;
const inRole = 24;

/** What it means that the clause matched, for people. */
export const askedTable = {
  asked: { meaning: 'it fulfils all that the question asks for' },
  askedInPart: { meaning: 'it fulfils what the question asks for, but for its words' },
  askedRelation: { meaning: 'it has to do with whom the question names, as the question asks' },
} as const;
export type AskedName = keyof typeof askedTable;

export interface AskedClause {
  readonly name: AskedName;
  readonly clause: Clause;
}

/**
 * @param rest how well the words that are left fit; null where none is left
 * @param tolerant whether the name in a relation may be misspelt
 */
export function askedClauses(
  question: Question,
  {
    type,
    rest,
    tolerant,
  }: { readonly type: KindName | 'all'; readonly rest: Clause | null; readonly tolerant: boolean },
): AskedClause[] {
  const { relation, places, time, online } = question;
  const filter = conditions(question, type);
  if (relation !== null) {
    const must = [relationClause(relation, question.kinds, tolerant)];
    const should = rest === null ? [] : [rest];
    return [{ name: 'askedRelation', clause: { bool: { filter, must, should } } }];
  }
  if (filter.length === 0) return [];
  if (rest === null) return [{ name: 'asked', clause: { bool: { filter, must: [constantScore(fulfilled, all)] } } }];
  const isSelective = places.length > 0 || time !== null || online !== null;
  const whole: AskedClause = {
    name: 'asked',
    clause: { bool: { filter, must: [constantScore(fulfilled, all), rest] } },
  };
  const inPart = { bool: { filter, must: [constantScore(conditionsOnly, all)] } };
  return isSelective ? [whole, { name: 'askedInPart', clause: inPart }] : [whole];
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
const roleWords: Readonly<Record<RelationRole, string>> = {
  founder: 'founder founders cofounder founded founding creator created inventor',
  ceo: 'ceo chief executive director',
  member: '',
  speaker: '',
  author: '',
  investor: '',
  portfolio: '',
  organizer: '',
};

function relationClause(
  { role, of }: NonNullable<Question['relation']>,
  kinds: readonly KindName[],
  tolerant: boolean,
): Clause {
  const kind = kinds.length === 1 ? (kinds[0] ?? answers[role]) : answers[role];
  const words = roleWords[role];
  const near = { query: of, slop: 3 };
  const named: Clause[] = [
    constantScore(related, { match: { 'search.relations.whole': of } }),
    constantScore(related - 6, { match_phrase: { 'search.relations': of } }),
    ...(role === 'author' ? [constantScore(related, { match: { 'search.proposals': of } })] : []),
    ...(words === '' ? [] : [constantScore(related - 14, { match_phrase: { overview: near } })]),
    ...(words === '' ? [] : [constantScore(related - 10, { match_phrase: { 'search.short': near } })]),
    ...(tolerant
      ? [
          constantScore(related - 16, {
            match: { 'search.relations.whole': { query: of, fuzziness: 'AUTO:4,8', prefix_length: 1 } },
          }),
        ]
      : []),
  ];
  const roles =
    words === ''
      ? []
      : [
          constantScore(inRole, {
            dis_max: {
              queries: [
                ...words
                  .split(' ')
                  .map((word) => ({ match_phrase: { overview: { query: `${word} ${of}`, slop: 4 } } })),
                { match: { 'search.short': words } },
              ],
            },
          }),
        ];
  return { bool: { filter: [ofKind(kind)], must: [{ dis_max: { queries: named } }], should: roles } };
}

/** Not what the question says it does not want. */
export function unwanted({ without, like }: Question): Clause[] {
  return [...without, ...(like === null ? [] : [like])].map((name) => ({ match: { 'search.names.joined': name } }));
}
