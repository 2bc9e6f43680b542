import { isoDate, yearOf } from './days.ts';
import { linksOf, logoOf, maybe, placeOf, sourcesOf, websiteOf } from './parts.ts';
import type { EventPlan } from './plan-events.ts';
import { type Random, random } from './random.ts';
import type { EventRow } from './rows.ts';
import { CHAINS, EVENT_SENTENCES, EVENT_TYPES, TRADES, VENUES } from './words.ts';
import { planAt, type World } from './world.ts';

function overviewOf(random: Random, plan: EventPlan, tags: readonly string[]): string {
  const length = plan.days === 1 ? 'one day' : `${plan.days} days`;
  const where = plan.place === null ? 'online' : `in ${plan.place.city}`;
  const about = tags.length === 0 ? 'open networks' : tags.map((tag) => tag.replaceAll('-', ' ')).join(' and ');
  const first = `${plan.name} is ${length} of ${about} ${where}, held by ${plan.organizer}.`;
  return [first, ...random.some(EVENT_SENTENCES, random.int(1, 3))].join(' ');
}

/** Nearly all events have dates; of those to be announced, half have a year. */
function datesOf(
  random: Random,
  plan: EventPlan,
): { start_date: string | null; end_date: string | null; year: number | null } {
  const year = yearOf(plan.startDay);
  if (random.chance(0.03)) return { start_date: null, end_date: null, year: random.chance(0.5) ? year : null };
  return {
    start_date: isoDate(plan.startDay),
    end_date: maybe(random, 0.8, isoDate(plan.startDay + plan.days - 1)),
    year,
  };
}

export function eventRow(world: World, index: number): EventRow {
  const plan = planAt(world.districtOf('events', index), 'events', index);
  const draw = random(`${world.seed}|row|events|${index}`);
  const slug = world.slugOf('events', plan);
  const trade = plan.host?.trade ?? draw.pick(TRADES);
  const tags = draw.some(trade.tags, draw.pick([0, 1, 2, 2, 3]));
  const second = draw.chance(0.15) ? [draw.pick(EVENT_TYPES).type] : [];
  return {
    id: world.idOf('events', index),
    name: plan.name,
    slug,
    logo: logoOf(draw, slug),
    overview: maybe(draw, 0.92, overviewOf(draw, plan, tags)),
    website: websiteOf(draw, slug),
    ...datesOf(draw, plan),
    location_json: plan.place === null ? null : placeOf(draw, plan.place),
    is_online: maybe(draw, 0.97, plan.place === null),
    venue: plan.place === null ? null : maybe(draw, 0.8, draw.pick(VENUES)),
    organizer: maybe(draw, 0.88, plan.organizer),
    event_types: draw.chance(0.9) ? [...new Set([plan.type.type, ...second])] : [],
    tags,
    ecosystems: draw.some(CHAINS, draw.pick([0, 1, 1, 2])),
    capacity: maybe(draw, 0.75, draw.pick(plan.type.capacities)),
    links: linksOf(draw, slug, ['website', 'twitter', 'telegram', 'youtube']),
    _src: sourcesOf(draw, world.seed),
  };
}
