import { generateSample, SAMPLE_DEFAULTS } from '../../../dev/sample/generate.ts';
import {
  CHAINS,
  LOST_COMPANY,
  LOST_EVENT_SLUG,
  ORGANIZERS,
  UNKNOWN_COMPANIES,
  UNKNOWN_INVESTORS,
} from '../../../dev/sample/words.ts';

const sample = generateSample(SAMPLE_DEFAULTS);
const companies = [...sample.companies];
const people = [...sample.people];
const investors = [...sample.investors];
const events = [...sample.events];

const companyBySlug = new Map(companies.map((company) => [company.slug, company]));
const eventBySlug = new Map(events.map((event) => [event.slug, event]));
const companyNames = new Set(companies.map((company) => company.name));
const investorNames = new Set(investors.map((investor) => investor.name));
const eventNames = new Set(events.map((event) => event.name));
const noCompanies = new Set<string>(UNKNOWN_COMPANIES);
const noInvestors = new Set<string>(UNKNOWN_INVESTORS);

test('no two investors share a name, so a company that names one means one', () => {
  expect(investorNames.size).toBe(investors.length);
});

test('every investor that a company names exists, but for those that exist nowhere', () => {
  const named = companies.flatMap((company) => company.investors);
  expect(named.filter((name) => !investorNames.has(name) && !noInvestors.has(name))).toEqual([]);
  expect(named.some((name) => noInvestors.has(name))).toBe(true);
  expect(UNKNOWN_INVESTORS.filter((name) => investorNames.has(name))).toEqual([]);
});

test('every portfolio entry with a slug is the company of that name; entries without one are known or nowhere', () => {
  const entries = investors.flatMap((investor) => investor.portfolio_companies);
  for (const { name, slug } of entries) {
    if (slug === LOST_COMPANY.slug) expect(companyBySlug.has(slug)).toBe(false);
    else if (slug !== null) expect(companyBySlug.get(slug)?.name).toBe(name);
    else expect(companyNames.has(name) || noCompanies.has(name)).toBe(true);
  }
  expect(entries.some(({ name, slug }) => slug === null && companyNames.has(name))).toBe(true);
  expect(entries.some(({ name }) => noCompanies.has(name))).toBe(true);
  expect(entries).toContainEqual(LOST_COMPANY);
});

test('most investments are asserted by both sides, some by the company alone and some by the investor alone', () => {
  const byCompany = new Set(companies.flatMap((one) => one.investors.map((investor) => `${one.name} < ${investor}`)));
  const byInvestor = new Set(
    investors.flatMap((one) => one.portfolio_companies.map((entry) => `${entry.name} < ${one.name}`)),
  );
  const told = new Set([...byCompany, ...byInvestor]);
  const byBoth = [...told].filter((pair) => byCompany.has(pair) && byInvestor.has(pair)).length;
  expect(byBoth).toBeGreaterThan(told.size * 0.7);
  expect(byCompany.size - byBoth).toBeGreaterThan(told.size * 0.02);
  expect(byInvestor.size - byBoth).toBeGreaterThan(told.size * 0.02);
});

test('every organisation of a role exists in some kind, is a chain, or exists nowhere', () => {
  const chains = new Set<string>(CHAINS);
  const known = [companyNames, investorNames, eventNames, chains, noCompanies];
  const organisations = people.flatMap((person) => person.roles.map((role) => role.organisation));
  expect(organisations.filter((name) => !known.some((names) => names.has(name)))).toEqual([]);
  for (const names of known) expect(organisations.some((name) => names.has(name))).toBe(true);
});

test('the companies a person is linked to are those of the roles, but for a few', () => {
  const matching = people.filter((person) => {
    const linked = person.companies.map((slug) => companyBySlug.get(slug)?.name);
    const worked = new Set(person.roles.map((role) => role.organisation));
    return linked.length > 0 && linked.every((name) => name !== undefined && worked.has(name));
  });
  expect(matching.length).toBeGreaterThan(people.length * 0.8);
  expect(matching.length).toBeLessThan(people.length);
  const open = people.flatMap((person) => person.companies).filter((slug) => !companyBySlug.has(slug));
  expect(new Set(open)).toEqual(new Set([LOST_COMPANY.slug]));
});

test('people attend events that exist and that began after their company was founded', () => {
  const dangling = people.flatMap((person) => person.events).filter((slug) => !eventBySlug.has(slug));
  expect(new Set(dangling)).toEqual(new Set([LOST_EVENT_SLUG]));
  const tooEarly = people.filter((person) => {
    const founded = companyBySlug.get(person.companies[0] ?? '')?.founded_date ?? '0';
    return person.events.some((slug) => (eventBySlug.get(slug)?.start_date ?? '9') < founded);
  });
  expect(tooEarly).toEqual([]);
});

test('the speakers of an event attend it', () => {
  for (const person of people) {
    const attended = new Set(person.events.map((slug) => eventBySlug.get(slug)?.name));
    const stages = person.roles.filter((role) => role.title === 'Speaker').map((role) => role.organisation);
    expect(stages.filter((name) => !attended.has(name))).toEqual([]);
  }
});

test('events are held by companies that existed or by known associations', () => {
  const associations = new Set<string>(ORGANIZERS);
  const founded = Map.groupBy(companies, (company) => company.name);
  for (const { organizer, year } of events) {
    if (organizer === null || associations.has(organizer)) continue;
    const years = founded.get(organizer)?.map((company) => company.year_founded ?? 0) ?? [];
    expect(years.some((from) => from < (year ?? 9999))).toBe(true);
  }
});
