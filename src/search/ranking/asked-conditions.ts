import type { KindName } from '../../kinds/kind.ts';
import { countryWords } from '../questions/places/regions.ts';
import {
  type AmountRange,
  amountKinds,
  type Chains,
  type Place,
  type Question,
  type TimeRange,
} from '../questions/question.ts';
import { yearsLater } from '../questions/times/calendar.ts';
import { joinedName } from '../questions/words.ts';
import { allOf, anyOf, type Clause, ofKind } from './clauses.ts';
import { hasName } from './tiers.ts';

/** A question's conditions on every entity, apart from words and relations. */
type Conditions = Pick<Question, 'kinds' | 'places' | 'time' | 'online' | 'chains' | 'amounts'>;

/**
 * Returns the clauses of conditions. All of them must hold.
 * @param evidence of a place or chain. `told`: if an entity has no known one, like most companies and people, texts that
 * name it are enough.
 */
export function allConditions(
  { kinds = [], places = [], time = null, online = null, chains = [], amounts = [] }: Partial<Conditions>,
  type: KindName | 'all' = 'all',
  evidence: 'known' | 'told' = 'told',
): Clause[] {
  return [
    ...(type === 'all' && kinds.length > 0 ? [anyOf(kinds.map(ofKind))] : []),
    ...places.map((place) =>
      evidence === 'known' ? inPlace(place) : anyOf([inPlace(place), allOf(unplaced, namingPlace(place))]),
    ),
    ...(time === null ? [] : [inTime(time)]),
    ...(online === null ? [] : [{ term: { is_online: online } }]),
    ...chains.map((one) =>
      anyOf([onChain(one), ...(evidence === 'known' ? [ofPerson(namingChain(one))] : [namingChain(one)])]),
    ),
    ...amounts.map(inAmount),
  ];
}

const textFields = ['search.names', 'search.short', 'overview'];

const missing = (...fields: readonly string[]): Clause => ({
  bool: { must_not: fields.map((field) => ({ exists: { field } })) },
});

/** Matches entities of one of the types. Events have a field for it; otherwise names and texts are the evidence. */
export function calledSo(types: readonly string[]): Clause[] {
  if (types.length === 0) return [];
  const said = types.flatMap((type) => textFields.map((field) => ({ match_phrase: { [field]: type } })));
  const isUnknown = anyOf([missing('event_types'), { term: { event_types: 'other' } }]);
  return [anyOf([{ terms: { event_types: types } }, allOf(isUnknown, anyOf(said))])];
}

/** Entities that lack the field of a condition. */
export function unknownTo({ places, time, online, chains }: Omit<Conditions, 'kinds'>): Clause[] {
  const dates = time?.about === 'founded' ? ['founded_date', 'year_founded'] : ['start_date'];
  return [
    ...(places.length === 0 ? [] : [unplaced]),
    ...(time === null ? [] : [missing(...dates)]),
    ...(online === null ? [] : [missing('is_online')]),
    ...(chains.length === 0 ? [] : [missing('ecosystems')]),
  ];
}

/** Fields of amounts. The others are the size of entities of their kind. */
const amountFields: Readonly<Partial<Record<AmountRange['about'], string>>> = {
  employees: 'total_employees',
  funding: 'total_funding_usd',
};

/** More proposals than any person has. */
const proposalsMax = 500;
const intMax = 2_147_483_647;

function inAmount({ about, of, from, until }: AmountRange): Clause {
  if (of !== null) {
    const [first, last] = [from ?? 0, Math.min(until ?? proposalsMax, proposalsMax)];
    const counts = Array.from({ length: Math.max(0, last - first) }, (_, at) => `${of}:${first + at}`);
    return { terms: { 'search.series': counts } };
  }
  const field = amountFields[about] ?? 'search.size';
  // Elasticsearch refuses larger numbers for counts.
  const bound = (value: number | null) => (value === null || about === 'funding' ? value : Math.min(value, intMax));
  return allOf(ofKind(amountKinds[about]), { range: { [field]: boundsOf(bound(from), bound(until)) } });
}

const unplaced = missing('location_json.country', 'location_json.city');

export function inPlace({ countries, cities }: Place): Clause {
  return anyOf([{ terms: { 'location_json.country': countries } }, { terms: { 'location_json.city': cities } }]);
}

/** Matches what runs on one of the chains, and the chains themselves. */
export function onChain({ names }: Chains): Clause {
  return anyOf([{ terms: { ecosystems: names } }, hasName(names.map(joinedName).join(' '))]);
}

/** People and investors have no field for chains. */
const ofPerson = (naming: Clause) => allOf(anyOf([ofKind('people'), ofKind('investors')]), naming);

/** Texts that name a chain, of entities whose chains are unknown. */
function namingChain({ names }: Chains): Clause {
  const phrases = names.flatMap((name) =>
    textFields.map((field) => ({ match_phrase: { [field]: name.replace('-', ' ') } })),
  );
  return allOf(missing('ecosystems'), anyOf(phrases));
}

/** Phrases cost more than words, and few places have more names of several words. */
const phrasesMax = 12;
/** Shorter names have other meanings in texts: "us". */
const lettersMin = 4;

/** Texts that name a place: "a Swiss bank". Those of people are where they spoke: "BTC Prague 2023". */
export function namingPlace({ text, countries, cities }: Place): Clause {
  const all = new Set([text, ...cities, ...countries, ...countries.flatMap(countryWords)]);
  const names = [...all].filter((name) => name.length >= lettersMin);
  const words = names.filter((name) => !name.includes(' ')).join(' ');
  const phrases = names.filter((name) => name.includes(' ')).slice(0, phrasesMax);
  const spokenIn = anyOf(cities.map((city) => ({ match_phrase: { 'search.relations': city } })));
  return anyOf([
    ...(words === '' ? [] : textFields.map((field) => ({ match: { [field]: words } }))),
    ...phrases.flatMap((phrase) => textFields.map((field) => ({ match_phrase: { [field]: phrase } }))),
    ...(cities.length === 0 ? [] : [allOf(ofKind('people'), spokenIn)]),
  ]);
}

/** Number of years before and after the next one that a month or season may belong to. */
const [yearsBefore, yearsAfter] = [20, 2];

function inTime(time: TimeRange): Clause {
  const { about, from, until, yearly } = time;
  if (about === 'founded') return foundedIn(time);
  if (!yearly || from === null || until === null)
    return anyOf([{ range: { start_date: boundsOf(from, until) } }, ...spokenThen(from, until)]);
  return anyOf(
    Array.from({ length: yearsBefore + yearsAfter + 1 }, (_, at) => {
      const years = at - yearsBefore;
      return { range: { start_date: boundsOf(yearsLater(from, years), yearsLater(until, years)) } };
    }),
  );
}

/** People have no dates, but spoke at events of a year: "ETHPrague 2023". */
function spokenThen(from: string | null, until: string | null): Clause[] {
  const year = from?.slice(0, 4);
  if (year === undefined || until === null || until > yearsLater(`${year}-01-01`, 1)) return [];
  return [allOf(ofKind('people'), { match: { 'search.relations': year } })];
}

function boundsOf(from: string | number | null, until: string | number | null): Clause {
  return { ...(from === null ? {} : { gte: from }), ...(until === null ? {} : { lt: until }) };
}

/** Most have a year and no date. A year counts if its first day does, or if the range is within it. */
function foundedIn({ from, until }: TimeRange): Clause {
  const year = (date: string): number => Number(date.slice(0, 4));
  const years = {
    ...(from === null ? {} : { gte: year(from) }),
    ...(until === null ? {} : until.endsWith('-01-01') ? { lt: year(until) } : { lte: year(until) }),
  };
  return anyOf([{ range: { founded_date: boundsOf(from, until) } }, { range: { year_founded: years } }]);
}
