// The sample consists of districts. A district has 100 companies, 60 people, 20 investors and 30 events whose relations
// stay inside it, so that both sides of a relation can be written without reading other rows. A plan has the facts that
// several kinds share. The rest of a row is drawn when it is written.

import { investorName, nameStream, personName } from './naming.ts';
import { type CompanyPlan, planCompanies, unusedName } from './plan-companies.ts';
import { type EventPlan, planEvents } from './plan-events.ts';
import { type Random, random } from './random.ts';
import type { SampleKind } from './rows.ts';
import {
  INVESTOR_TYPES,
  LEAD_TITLES,
  PLACES,
  type Place,
  SIDE_TITLES,
  STAFF_TITLES,
  TRADES,
  type Trade,
} from './words.ts';

export const DISTRICT: Readonly<Record<SampleKind, number>> = { companies: 100, people: 60, investors: 20, events: 30 };

export interface InvestorPlan {
  readonly index: number;
  readonly name: string;
  readonly type: (typeof INVESTOR_TYPES)[number];
  readonly trade: Trade;
  readonly place: Place;
  /** The company whose venture arm it is. */
  readonly parent: CompanyPlan | null;
}

interface JobPlan {
  readonly title: string;
  readonly company: CompanyPlan;
}

export interface PersonPlan {
  readonly index: number;
  readonly name: string;
  readonly place: Place;
  /** The main job first. */
  readonly jobs: readonly [JobPlan, ...JobPlan[]];
}

interface InvestmentPlan {
  readonly company: CompanyPlan;
  readonly investor: InvestorPlan;
  /** The file that names the investment. A few are known to one side only. */
  readonly statedBy: 'both' | 'company' | 'investor';
}

export interface DistrictPlan {
  readonly companies: readonly CompanyPlan[];
  readonly people: readonly PersonPlan[];
  readonly investors: readonly InvestorPlan[];
  readonly events: readonly EventPlan[];
  readonly investments: readonly InvestmentPlan[];
}

// Only a venture arm is corporate. An angel has a person's name.
const OUTSIDE_TYPES = INVESTOR_TYPES.filter((type) => type !== 'corporate' && type !== 'angel');
/** Three of twenty investors are venture arms, one has the name of a company, and one is a person. */
function planInvestors(
  seed: number,
  first: number,
  companies: readonly CompanyPlan[],
  names: readonly string[],
): InvestorPlan[] {
  const taken = new Set<string>();
  const plans: InvestorPlan[] = [];
  for (let local = 0; local < DISTRICT.investors; local += 1) {
    const index = first + local;
    const facts = random(`${seed}|plan|investors|${index}`);
    const parent = local % 5 === 3 ? facts.pick(companies) : null;
    const angel = local === 11 ? facts.pick(names) : null;
    const { name } = unusedName(taken, (attempt) => {
      if (parent !== null && attempt === 0) return { name: local === 18 ? parent.name : `${parent.name} Ventures` };
      if (angel !== null && attempt === 0) return { name: angel };
      return { name: investorName(nameStream(seed, 'investors', index, attempt)) };
    });
    const type = parent !== null ? 'corporate' : angel !== null ? 'angel' : facts.pick(OUTSIDE_TYPES);
    plans.push({
      index,
      name,
      type,
      parent,
      trade: parent?.trade ?? facts.pick(TRADES),
      place: parent?.place ?? facts.pick(PLACES),
    });
  }
  return plans;
}

function planJobs(local: number, facts: Random, companies: readonly CompanyPlan[]): [JobPlan, ...JobPlan[]] {
  // The first 36 people lead a company each, the next 14 are second founders, and the others are employees.
  const led = local < 36 ? companies[local] : local < 50 ? companies[local - 36] : undefined;
  const skewed = companies[Math.floor(facts.next() * facts.next() * companies.length)];
  const company = led ?? skewed ?? facts.pick(companies);
  const jobs: [JobPlan, ...JobPlan[]] = [
    { title: facts.pick(led === undefined ? STAFF_TITLES : LEAD_TITLES), company },
  ];
  const others = companies.filter((other) => other !== company);
  for (const other of facts.some(others, facts.pick([0, 0, 0, 1, 1, 2]))) {
    jobs.push({ title: facts.pick(SIDE_TITLES), company: other });
  }
  return jobs;
}

function planInvestments(
  seed: number,
  first: number,
  companies: readonly CompanyPlan[],
  investors: readonly InvestorPlan[],
): InvestmentPlan[] {
  const plans: InvestmentPlan[] = [];
  for (const company of companies) {
    const facts = random(`${seed}|plan|investments|${first}|${company.index}`);
    const open = investors.filter((investor) => investor.parent !== company && investor.name !== company.name);
    const count = facts.int(0, company.maturity + 1);
    const chosen = new Set<InvestorPlan>();
    for (let round = 0; round < count; round += 1) {
      // Squaring the draw gives a few investors long portfolios, and many short ones.
      const investor = open[Math.floor(facts.next() ** 2 * open.length)];
      if (investor === undefined || chosen.has(investor)) continue;
      chosen.add(investor);
      plans.push({
        company,
        investor,
        statedBy: facts.chance(0.88) ? 'both' : facts.chance(0.5) ? 'company' : 'investor',
      });
    }
  }
  return plans;
}

/** Returns the plan of a district, which depends only on the seed and the district's number. */
export function planDistrict(seed: number, district: number): DistrictPlan {
  const companies = planCompanies(seed, district * DISTRICT.companies, DISTRICT.companies);
  const firstPerson = district * DISTRICT.people;
  const people: PersonPlan[] = [];
  for (let local = 0; local < DISTRICT.people; local += 1) {
    const index = firstPerson + local;
    const facts = random(`${seed}|plan|people|${index}`);
    const jobs = planJobs(local, facts, companies);
    // One person in fifty shares a neighbour's name, because namesakes are common.
    const namesake = people.length > 0 && facts.chance(0.02) ? facts.pick(people).name : null;
    const name = namesake ?? personName(nameStream(seed, 'people', index, 0));
    people.push({ index, name, jobs, place: facts.chance(0.7) ? jobs[0].company.place : facts.pick(PLACES) });
  }
  const names = people.map((person) => person.name);
  const investors = planInvestors(seed, district * DISTRICT.investors, companies, names);
  return {
    companies,
    people,
    investors,
    events: planEvents(seed, district * DISTRICT.events, DISTRICT.events, companies),
    investments: planInvestments(seed, district, companies, investors),
  };
}
