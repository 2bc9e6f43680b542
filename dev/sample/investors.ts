import { capital, withoutMarks } from './naming.ts';
import { fill, linksOf, logoOf, maybe, placeOf, sourcesOf, websiteOf } from './parts.ts';
import type { DistrictPlan, InvestorPlan } from './plan.ts';
import { type Random, random } from './random.ts';
import type { InvestorRow, SamplePortfolioEntry } from './rows.ts';
import {
  CHAINS,
  INVESTOR_OPENINGS,
  INVESTOR_SENTENCES,
  LOST_COMPANY,
  TICKET_SIZES,
  TRADES,
  UNKNOWN_COMPANIES,
} from './words.ts';
import { planAt, type World } from './world.ts';

const STAGES = ['pre-seed', 'seed', 'series-a', 'series-b', 'series-c'] as const;

const AS_WORDS: Readonly<Record<InvestorPlan['type'], string>> = {
  'venture-capital': 'a venture capital firm',
  corporate: 'a corporate fund',
  angel: 'an angel',
  accelerator: 'an accelerator',
  dao: 'a DAO',
  'family-office': 'a family office',
};

/** Returns neighbouring stages, as funds have them: ["seed", "series-a"]. */
function stagesOf(random: Random): string[] {
  const first = random.int(0, STAGES.length - 1);
  return STAGES.slice(first, first + random.int(1, 2));
}

function portfolioOf(random: Random, world: World, district: DistrictPlan, plan: InvestorPlan): SamplePortfolioEntry[] {
  if (random.chance(0.06)) return [];
  const entries: SamplePortfolioEntry[] = district.investments
    .filter((one) => one.investor === plan && one.statedBy !== 'company')
    .map(({ company }) => ({ name: company.name, slug: maybe(random, 0.93, world.slugOf('companies', company)) }));
  if (random.chance(0.25)) entries.push({ name: random.pick(UNKNOWN_COMPANIES), slug: null });
  if (random.chance(0.05)) entries.push(LOST_COMPANY);
  return entries;
}

function overviewOf(random: Random, plan: InvestorPlan, focus: readonly string[], stages: readonly string[]): string {
  const other = random.pick(TRADES).noun;
  const values = {
    name: plan.name,
    type: AS_WORDS[plan.type],
    focus: focus[0] ?? plan.trade.noun,
    focus2: other,
    stages: stages.join(' and '),
    city: plan.place.city,
    chain: capital(random.pick(CHAINS)),
  };
  const parent = plan.parent === null ? [] : [`It is the venture arm of ${plan.parent.name}.`];
  const patterns = [random.pick(INVESTOR_OPENINGS), ...parent, ...random.some(INVESTOR_SENTENCES, random.int(1, 3))];
  return patterns.map((pattern) => fill(pattern, values)).join(' ');
}

function aliasesOf(random: Random, plan: InvestorPlan): string[] {
  const words = withoutMarks(plan.name).split(/[^A-Za-z0-9]+/);
  const initials = words.map((word) => word.charAt(0).toUpperCase()).join('');
  return [
    ...(words.length > 1 && random.chance(0.2) ? [initials] : []),
    ...(words.length > 1 && random.chance(0.1) ? [`${words.slice(0, -1).join(' ')} VC`] : []),
  ];
}

export function investorRow(world: World, index: number): InvestorRow {
  const district = world.districtOf('investors', index);
  const plan = planAt(district, 'investors', index);
  const draw = random(`${world.seed}|row|investors|${index}`);
  const slug = world.slugOf('investors', plan);
  const focus = draw.some(plan.trade.tags, draw.int(1, 3));
  const stages = stagesOf(draw);
  return {
    id: world.idOf('investors', index),
    name: plan.name,
    slug,
    logo: logoOf(draw, slug),
    overview: maybe(draw, 0.9, overviewOf(draw, plan, focus, stages)),
    website: websiteOf(draw, slug),
    investor_type: maybe(draw, 0.9, plan.type),
    investment_focus: draw.chance(0.9) ? [...focus, ...(draw.chance(0.3) ? [draw.pick(CHAINS)] : [])] : [],
    investment_stages: draw.chance(0.85) ? stages : [],
    ticket_size: maybe(draw, 0.75, draw.pick(TICKET_SIZES)),
    location_json: placeOf(draw, plan.place),
    portfolio_companies: portfolioOf(draw, world, district, plan),
    aliases: aliasesOf(draw, plan),
    links: linksOf(draw, slug, ['website', 'twitter', 'linkedin', 'telegram']),
    _src: sourcesOf(draw, world.seed),
  };
}
