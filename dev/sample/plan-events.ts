import { dayOf, yearOf } from './days.ts';
import { coinedWord } from './naming.ts';
import type { CompanyPlan } from './plan-companies.ts';
import { type Random, random } from './random.ts';
import { EVENT_TYPES, type EventType, FORE_WORDS, ORGANIZERS, PLACES, type Place } from './words.ts';

export interface EventPlan {
  readonly index: number;
  readonly name: string;
  /** The source of the slug: the name, with the year if the name has none. */
  readonly slugBase: string;
  readonly type: EventType;
  /** Days since 1970-01-01. */
  readonly startDay: number;
  readonly days: number;
  /** Null if the event is online. */
  readonly place: Place | null;
  readonly organizer: string;
  /** The company that holds it, if any. */
  readonly host: CompanyPlan | null;
}

interface Series {
  readonly title: string;
  readonly naming: 'city-year' | 'year' | 'numbered' | 'bare';
  readonly type: EventType;
  readonly home: Place;
  readonly roams: boolean;
  readonly online: boolean;
  readonly organizer: string;
  readonly host: CompanyPlan | null;
  readonly firstYear: number;
}

const FIRST_YEAR = 2018;
const LAST_YEAR = 2026;

function planSeries(facts: Random, companies: readonly CompanyPlan[]): Series {
  const type = facts.pick(EVENT_TYPES);
  const host = facts.chance(0.3) ? facts.pick(companies) : null;
  const word = facts.chance(0.7) ? facts.pick(FORE_WORDS) : coinedWord(facts);
  // A company's own event is named after it. One in ten has exactly the company's name.
  const own =
    host === null
      ? null
      : facts.chance(0.1)
        ? host.name
        : `${host.name} ${facts.pick(['Dev Day', 'Days', 'Connect', 'Assembly'])}`;
  const joined = type.type === 'conference' && facts.chance(0.3);
  const online = facts.chance(0.15);
  // A host's first event is in the year after its founding.
  const earliest = host === null ? FIRST_YEAR : yearOf(host.foundedDay) + 1;
  const firstYear = Math.min(LAST_YEAR, Math.max(facts.int(FIRST_YEAR, LAST_YEAR - 1), earliest));
  const elders = companies.filter((company) => yearOf(company.foundedDay) < firstYear).map((company) => company.name);
  return {
    type,
    host,
    online,
    title: own ?? (joined ? `${word}Con` : `${word} ${facts.pick(type.titles)}`),
    naming:
      own === host?.name
        ? 'bare'
        : facts.pick(online ? ['year', 'numbered'] : ['city-year', 'city-year', 'year', 'numbered', 'bare']),
    home: host?.place ?? facts.pick(PLACES),
    roams: facts.chance(0.4),
    organizer: host?.name ?? facts.pick(facts.chance(0.5) && elders.length > 0 ? elders : ORGANIZERS),
    firstYear,
  };
}

function nameOf(series: Series, place: Place | null, year: number, edition: number): string {
  const city = place === null ? '' : ` ${place.city}`;
  switch (series.naming) {
    case 'city-year':
      return `${series.title}${city} ${year}`;
    case 'year':
      return `${series.title} ${year}`;
    case 'numbered':
      return `${series.title}${city} #${edition}`;
    case 'bare':
      return series.title;
    default:
      return series.naming satisfies never;
  }
}

/** Returns `count` events of yearly series. The last series may be incomplete. */
export function planEvents(seed: number, first: number, count: number, companies: readonly CompanyPlan[]): EventPlan[] {
  const plans: EventPlan[] = [];
  for (let series = 0; plans.length < count; series += 1) {
    const facts = random(`${seed}|plan|events|${first}|${series}`);
    const plan = planSeries(facts, companies);
    const editions = Math.min(facts.int(1, 5), LAST_YEAR - plan.firstYear + 1, count - plans.length);
    for (let edition = 0; edition < editions; edition += 1) {
      const year = plan.firstYear + edition;
      const place = plan.online ? null : plan.roams && edition > 0 ? facts.pick(PLACES) : plan.home;
      const name = nameOf(plan, place, year, edition + 1);
      plans.push({
        name,
        place,
        index: first + plans.length,
        slugBase: name.endsWith(String(year)) ? name : `${name} ${year}`,
        type: plan.type,
        startDay: dayOf(year) + facts.int(20, 340),
        days: facts.int(1, plan.type.daysMax),
        organizer: plan.organizer,
        host: plan.host,
      });
    }
  }
  return plans;
}
