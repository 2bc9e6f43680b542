import { isoDate, yearOf } from './days.ts';
import { capital, coinedWord, nameStream, respelt, withoutMarks } from './naming.ts';
import { fill, linksOf, logoOf, maybe, placeOf, sourcesOf, websiteOf, withArticle } from './parts.ts';
import type { DistrictPlan } from './plan.ts';
import type { CompanyPlan } from './plan-companies.ts';
import { type Random, random } from './random.ts';
import type { CompanyRow } from './rows.ts';
import {
  CHAINS,
  OVERVIEW_ENDS,
  OVERVIEW_MIDDLES,
  OVERVIEW_OPENINGS,
  PLAIN_SECONDS,
  TAGLINES,
  UNKNOWN_INVESTORS,
} from './words.ts';
import { planAt, type World } from './world.ts';

interface Stage {
  readonly stage: string;
  readonly funding: readonly string[];
  readonly employees: readonly [number, number];
  /** In thousands of US dollars; null if nothing was raised. */
  readonly raised: readonly [number, number] | null;
}

const STAGES: readonly Stage[] = [
  { stage: 'idea', funding: ['bootstrapped', 'pre-seed'], employees: [1, 3], raised: null },
  { stage: 'pre-seed', funding: ['pre-seed'], employees: [2, 8], raised: [50, 900] },
  { stage: 'seed', funding: ['seed', 'token-sale'], employees: [4, 22], raised: [500, 6_000] },
  { stage: 'early', funding: ['seed', 'series-a', 'token-sale'], employees: [12, 70], raised: [2_000, 25_000] },
  { stage: 'growth', funding: ['series-a', 'series-b'], employees: [45, 400], raised: [12_000, 120_000] },
  {
    stage: 'mature',
    funding: ['series-c', 'bootstrapped', 'undisclosed'],
    employees: [150, 2_500],
    raised: [40_000, 600_000],
  },
  { stage: 'public', funding: ['ipo'], employees: [600, 12_000], raised: [150_000, 2_400_000] },
];

/** A decimal string of dollars with two digits, most often a round sum. */
function money(random: Random, [low, high]: readonly [number, number]): string {
  const thousands = low + Math.floor(random.next() ** 2 * (high - low + 1));
  return random.chance(0.8)
    ? `${thousands}000.00`
    : `${thousands}${String(random.int(0, 99_999)).padStart(5, '0').replace(/(..)$/, '.$1')}`;
}

function texts(random: Random, plan: CompanyPlan, chains: readonly string[]): { tagline: string; overview: string } {
  const does = random.pick(plan.trade.does);
  const how = random.pick(plan.trade.how);
  const values = {
    name: plan.name,
    noun: plan.trade.noun,
    aNoun: withArticle(plan.trade.noun),
    Noun: capital(plan.trade.noun),
    does,
    Does: capital(does),
    who: random.pick(plan.trade.who),
    how,
    howLower: how.charAt(0).toLowerCase() + how.slice(1),
    city: plan.place.city,
    year: String(yearOf(plan.foundedDay)),
    chain: capital(chains[0] ?? random.pick(CHAINS)),
    people: String(random.int(3, 40)),
  };
  const patterns = [
    random.pick(OVERVIEW_OPENINGS),
    random.pick(OVERVIEW_MIDDLES),
    ...random.some(OVERVIEW_ENDS, random.int(0, 3)),
  ];
  return {
    tagline: fill(random.pick(TAGLINES), values),
    overview: patterns.map((pattern) => fill(pattern, values)).join(' '),
  };
}

function aliasesOf(random: Random, plan: CompanyPlan): string[] {
  const plain = withoutMarks(plan.name);
  const other = respelt(random, plan);
  return [
    ...(other !== null && random.chance(0.35) ? [other] : []),
    ...(plain !== plan.name && random.chance(0.7) ? [plain] : []),
    ...(random.chance(0.06) ? [`${plain.replace(/[^A-Za-z0-9]/g, '').toLowerCase()}.example`] : []),
  ];
}

function tickerOf(random: Random, plan: CompanyPlan): string {
  const letters = withoutMarks(plan.name)
    .toUpperCase()
    .replace(/[^A-Z]/g, '');
  const [first = 'X', ...rest] = letters;
  return (
    first +
    rest
      .filter((letter) => !'AEIOU'.includes(letter))
      .concat('X', 'N')
      .slice(0, random.int(2, 3))
      .join('')
  );
}

function investorsOf(random: Random, world: World, district: DistrictPlan, plan: CompanyPlan): string[] {
  const stated = district.investments.filter((one) => one.company === plan && one.statedBy !== 'investor');
  const names = stated.map((one) => one.investor.name);
  // Investors that only the company's file names: a fund of the oldest district, or one that is not in the sample.
  if (random.chance(0.02)) names.push(random.pick(world.capital().investors).name);
  if (random.chance(0.06)) names.push(random.pick(UNKNOWN_INVESTORS));
  return [...new Set(names)];
}

function foundingOf(random: Random, day: number): { year_founded: number | null; founded_date: string | null } {
  const known = random.next();
  if (known < 0.75) return { year_founded: yearOf(day), founded_date: isoDate(day) };
  if (known < 0.9) return { year_founded: yearOf(day), founded_date: null };
  // Readers must derive the year from the date.
  return { year_founded: null, founded_date: known < 0.93 ? isoDate(day) : null };
}

export function companyRow(world: World, index: number): CompanyRow {
  const district = world.districtOf('companies', index);
  const plan = planAt(district, 'companies', index);
  const draw = random(`${world.seed}|row|companies|${index}`);
  const slug = world.slugOf('companies', plan);
  const stage = STAGES[plan.maturity];
  if (stage === undefined) throw new RangeError(`no stage ${plan.maturity}`);
  const ecosystems = draw.some(CHAINS, draw.pick([0, 1, 1, 2, 2, 3]));
  const { tagline, overview } = texts(draw, plan, ecosystems);
  const employees = maybe(
    draw,
    0.88,
    stage.employees[0] + Math.floor(draw.next() ** 2 * (stage.employees[1] - stage.employees[0] + 1)),
  );
  const formerly = `${coinedWord(nameStream(world.seed, 'former', index, 0))} ${draw.pick(PLAIN_SECONDS)}`;
  return {
    id: world.idOf('companies', index),
    name: plan.name,
    slug,
    logo: logoOf(draw, slug),
    tagline: maybe(draw, 0.9, tagline),
    overview: maybe(draw, 0.94, overview),
    total_employees: employees,
    employee_count: employees,
    ...foundingOf(draw, plan.foundedDay),
    website: websiteOf(draw, slug),
    tags: draw.some(plan.trade.tags, draw.pick([0, 1, 2, 2, 3, 3, 4])),
    location_json: placeOf(draw, plan.place),
    company_stage: maybe(draw, 0.9, stage.stage),
    funding_stage: maybe(draw, 0.85, draw.pick(stage.funding)),
    total_funding_usd: stage.raised === null ? null : maybe(draw, 0.85, money(draw, stage.raised)),
    is_verified: maybe(draw, 0.8, draw.chance(0.35)),
    aliases: aliasesOf(draw, plan),
    former_names: draw.chance(0.08) ? [formerly] : [],
    tickers: draw.chance(0.3) ? [tickerOf(draw, plan)] : [],
    ecosystems,
    investors: investorsOf(draw, world, district, plan),
    links: linksOf(draw, slug, ['website', 'twitter', 'github', 'telegram', 'discord', 'linkedin']),
    _src: sourcesOf(draw, world.seed),
  };
}
