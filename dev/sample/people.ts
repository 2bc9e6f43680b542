import { isoDate, yearOf } from './days.ts';
import { withoutMarks } from './naming.ts';
import { linksOf, logoOf, maybe, placeOf, sourcesOf, withArticle } from './parts.ts';
import type { DistrictPlan, PersonPlan } from './plan.ts';
import type { EventPlan } from './plan-events.ts';
import { type Random, random } from './random.ts';
import type { PersonRow, SampleRole } from './rows.ts';
import {
  CHAINS,
  FUND_TITLES,
  HABITS,
  LOST_COMPANY,
  LOST_EVENT_SLUG,
  PROPOSAL_TOPICS,
  TALKS,
  UNKNOWN_COMPANIES,
} from './words.ts';
import { planAt, type World } from './world.ts';

interface Proposal {
  readonly number: string;
  readonly role: SampleRole;
}

function proposalsOf(random: Random): Proposal[] {
  if (!random.chance(0.22)) return [];
  const topics = random.some(PROPOSAL_TOPICS, random.int(1, 3));
  return topics.map((topic) => {
    const number = `XIP-${random.int(1, 900)}`;
    return { number, role: { title: 'XIP author', organisation: random.pick(CHAINS), detail: `${number}: ${topic}` } };
  });
}

/** Returns events that began after the person's main company was founded, its own events first. */
function attended(random: Random, district: DistrictPlan, plan: PersonPlan): EventPlan[] {
  const { company } = plan.jobs[0];
  const open = district.events.filter((event) => event.startDay >= company.foundedDay);
  const own = open.filter((event) => event.host === company);
  return [...new Set([...own, ...random.some(open, random.pick([0, 0, 1, 1, 2, 3, 4]))])];
}

function rolesOf(random: Random, district: DistrictPlan, plan: PersonPlan, events: readonly EventPlan[]): SampleRole[] {
  const jobs = plan.jobs.map(({ title, company }, at) => ({
    title,
    organisation: company.name,
    detail: at === 0 && random.chance(0.5) ? `Since ${yearOf(company.foundedDay) + random.int(0, 1)}` : null,
  }));
  const talks = events
    .filter(() => random.chance(0.45))
    .map((event) => ({ title: 'Speaker', organisation: event.name, detail: maybe(random, 0.8, random.pick(TALKS)) }));
  const fund = random.chance(0.1)
    ? [{ title: random.pick(FUND_TITLES), organisation: random.pick(district.investors).name, detail: null }]
    : [];
  const elsewhere = random.chance(0.05)
    ? [{ title: 'Consultant', organisation: random.pick(UNKNOWN_COMPANIES), detail: null }]
    : [];
  return [...jobs, ...fund, ...elsewhere, ...talks];
}

function aliasesOf(random: Random, plan: PersonPlan): string[] {
  const plain = withoutMarks(plan.name);
  const handle = plain
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .slice(0, random.int(6, 9));
  const [given = '', ...rest] = plan.name.split(' ');
  return [
    ...(plain !== plan.name && random.chance(0.4) ? [plain] : []),
    ...(random.chance(0.12) ? [`${handle}${random.pick(['', '_eth', '42', 'x'])}`] : []),
    ...(random.chance(0.08) ? [`${given.charAt(0)}. ${rest.join(' ')}`] : []),
  ];
}

function overviewOf(random: Random, plan: PersonPlan): string {
  const [main, side] = plan.jobs;
  const given = plan.name.split(' ')[0] ?? plan.name;
  const founded = `in ${isoDate(main.company.foundedDay).slice(0, 4)}`;
  const first = main.title.includes('ounder')
    ? `${plan.name} started ${main.company.name}, ${withArticle(main.company.trade.noun)} from ${main.company.place.city}, ${founded}.`
    : `${plan.name} is ${main.title} at ${main.company.name}, which ${random.pick(main.company.trade.does)}.`;
  const second = side === undefined ? '' : ` ${given} is also ${side.title.toLowerCase()} at ${side.company.name}.`;
  return `${first}${second} ${random.pick(HABITS)}`;
}

export function personRow(world: World, index: number): PersonRow {
  const district = world.districtOf('people', index);
  const plan = planAt(district, 'people', index);
  const draw = random(`${world.seed}|row|people|${index}`);
  const slug = world.slugOf('people', plan);
  const main = plan.jobs[0];
  const events = attended(draw, district, plan);
  const proposals = proposalsOf(draw);
  const silent = draw.chance(0.04);
  const roles = [...rolesOf(draw, district, plan, events), ...proposals.map((proposal) => proposal.role)];
  // A few people have only their company's slug, a few only their role.
  const companies = draw.chance(0.06) ? [] : plan.jobs.map(({ company }) => world.slugOf('companies', company));
  return {
    id: world.idOf('people', index),
    name: plan.name,
    slug,
    logo: maybe(draw, 0.7, logoOf(draw, slug)),
    headline: maybe(draw, 0.93, `${main.title} at ${main.company.name}`),
    overview: maybe(draw, 0.85, overviewOf(draw, plan)),
    roles: silent ? [] : roles,
    companies: [...companies, ...(draw.chance(0.02) ? [LOST_COMPANY.slug] : [])],
    events: [...events.map((event) => world.slugOf('events', event)), ...(draw.chance(0.02) ? [LOST_EVENT_SLUG] : [])],
    tags: draw.some(main.company.trade.tags, draw.pick([0, 1, 1, 2, 2])),
    aliases: aliasesOf(draw, plan),
    location_json: placeOf(draw, plan.place),
    links: linksOf(draw, slug, ['twitter', 'github', 'website', 'linkedin', 'telegram']),
    _src: sourcesOf(draw, world.seed),
    proposals: proposals.map((proposal) => proposal.number),
  };
}
