import type { KindName } from '../../kinds/kind.ts';
import { countryWords } from '../questions/places/regions.ts';
import type { Place, Question, TimeRange } from '../questions/question.ts';
import { fold } from '../questions/sentence.ts';
import { yearsLater } from '../questions/times/calendar.ts';
import { anyOf, type Clause, ofKind } from './clauses.ts';

/** The strictness of a question's conditions. Data is sparse: most companies have no place and no year. */
export interface Strictness {
  /** `told`: without a known place, texts that name it are enough; `unplaced`: no place is needed. */
  readonly place: 'known' | 'told' | 'unplaced';
  /** `undated`: the year of a company may be unknown; `any`: other times are right as well. */
  readonly time: 'known' | 'undated' | 'any';
  readonly online: 'known' | 'any';
}

export const strictly: Strictness = { place: 'known', time: 'known', online: 'known' };

/** The conditions on every entity that the question asks for, apart from words and relations. */
export function allConditions(question: Question, type: KindName | 'all', strictness: Strictness): Clause[] {
  const { kinds } = question;
  return [
    ...(type === 'all' && kinds.length > 0 ? [anyOf(kinds.map(ofKind))] : []),
    ...placeAndTimeConditions(question, strictness),
  ];
}

/** The conditions on place, time and online form. */
export function placeAndTimeConditions({ places, time, online }: Question, strictness: Strictness): Clause[] {
  return [
    ...places.map((place) => placeConditions[strictness.place](place)),
    ...(time === null || strictness.time === 'any' ? [] : [timeCondition(time, strictness.time)]),
    ...(online === null || strictness.online === 'any' ? [] : [{ term: { is_online: online } }]),
  ];
}

const placeConditions: Readonly<Record<Strictness['place'], (place: Place) => Clause>> = {
  known: inPlace,
  told: (place) => anyOf([inPlace(place), { bool: { filter: [unplaced, namingPlace(place)] } }]),
  unplaced: (place) => anyOf([unplaced, inPlace(place)]),
};

const unplaced: Clause = {
  bool: { must_not: [{ exists: { field: 'location_json.country' } }, { exists: { field: 'location_json.city' } }] },
};

export function inPlace({ countries, cities }: Place): Clause {
  return anyOf([
    ...(countries.length === 0 ? [] : [{ terms: { 'location_json.country': countries } }]),
    ...(cities.length === 0 ? [] : [{ terms: { 'location_json.city': cities } }]),
  ]);
}

const placeFields = ['search.names', 'search.short', 'overview'];
/** Phrases cost more than words; few places have more names of several words. */
const phrasesMax = 12;
/** Shorter ones mean something else in texts: "us". */
const lettersMin = 4;

/** Texts that name a place: "a Swiss bank". Those of people are where they spoke: "BTC Prague 2023". */
function namingPlace({ text, countries, cities }: Place): Clause {
  const names = [...new Set([text, ...cities, ...countries, ...countries.flatMap(countryWords)])].filter(
    (name) => name.length >= lettersMin,
  );
  const words = names.filter((name) => !name.includes(' ')).join(' ');
  const phrases = names.filter((name) => name.includes(' ')).slice(0, phrasesMax);
  return anyOf([
    ...(words === '' ? [] : placeFields.map((field) => ({ match: { [field]: words } }))),
    ...phrases.flatMap((phrase) => placeFields.map((field) => ({ match_phrase: { [field]: phrase } }))),
    ...(cities.length === 0 ? [] : [spokenIn(cities)]),
  ]);
}

function spokenIn(cities: readonly string[]): Clause {
  return {
    bool: { filter: [ofKind('people'), anyOf(cities.flatMap(inRelations))] },
  };
}

/** As a word, or as a part of one: "ETHPrague". */
function inRelations(city: string): Clause[] {
  const letters = fold(city).replace(/[^\p{L}\p{N}]/gu, '');
  const part = { wildcard: { 'search.relations.whole': { value: `*${letters}*` } } };
  return [{ match_phrase: { 'search.relations': city } }, ...(letters.length < cityLettersMin ? [] : [part])];
}

const cityLettersMin = 5;

function timeCondition(time: TimeRange, strictness: 'known' | 'undated'): Clause {
  if (strictness === 'known' || time.about === 'starts') return inTime(time);
  const undated = {
    bool: { must_not: [{ exists: { field: 'founded_date' } }, { exists: { field: 'year_founded' } }] },
  };
  return anyOf([undated, inTime(time)]);
}

/** Number of years before and after the next one that a month or season may belong to. */
const yearsAround = { before: 20, after: 2 } as const;

function inTime(time: TimeRange): Clause {
  const { about, from, until, yearly } = time;
  if (about === 'founded') return foundedIn(time);
  if (!yearly || from === null || until === null)
    return anyOf([{ range: { start_date: boundsOf(from, until) } }, ...spokenThen(from, until)]);
  const years = Array.from({ length: yearsAround.before + yearsAround.after + 1 }, (_, at) => at - yearsAround.before);
  return anyOf(
    years.map((year) => ({ range: { start_date: boundsOf(yearsLater(from, year), yearsLater(until, year)) } })),
  );
}

/** People have no dates, but spoke at events of a year: "ETHPrague 2023". */
function spokenThen(from: string | null, until: string | null): Clause[] {
  const year = from?.slice(0, 4);
  if (year === undefined || until === null || until > yearsLater(`${year}-01-01`, 1)) return [];
  return [{ bool: { filter: [ofKind('people'), { match: { 'search.relations': year } }] } }];
}

function boundsOf(from: string | null, until: string | null): Clause {
  return { ...(from === null ? {} : { gte: from }), ...(until === null ? {} : { lt: until }) };
}

/** Most have a year and no date. A year counts where its first day does, or where it is the one that the range is in. */
function foundedIn({ from, until }: TimeRange): Clause {
  const year = (date: string): number => Number(date.slice(0, 4));
  const years = {
    ...(from === null ? {} : { gte: year(from) }),
    ...(until === null ? {} : until.endsWith('-01-01') ? { lt: year(until) } : { lte: year(until) }),
  };
  return anyOf([{ range: { founded_date: boundsOf(from, until) } }, { range: { year_founded: years } }]);
}
