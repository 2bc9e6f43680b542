import type { KindName } from '../../../src/kinds/kind.ts';
import { wordsOf } from '../../../src/search/vocabulary/vocabulary.ts';
import type { Random } from '../../sample/random.ts';
import type { Draft, QueryCollector } from './collector.ts';
import type { Entity } from './entities.ts';
import { graded, keyOf, type NameIndex } from './name-index.ts';

/** Sets of entities whose labels are known; the others of a kind are not judged by topics. */
export type Universes = Readonly<Record<string, readonly number[]>>;

export function universesOf(names: NameIndex): Universes {
  const ids = (kind: KindName, has: (entity: Entity) => boolean): number[] =>
    names.of(kind).flatMap((entity) => (has(entity) ? [entity.id] : []));
  return {
    companies_tagged: ids('companies', ({ tags }) => tags.length > 0),
    people_tagged: ids('people', ({ tags }) => tags.length > 0),
    investors_profiled: ids('investors', (one) => one.investment_focus.length + one.investment_stages.length > 0),
    events_typed: ids('events', ({ event_types: types }) => types.length > 0),
  };
}

/** Topics by label, with a chain, a place or a stage beside it; and entities by the words of their own description. */
export function collectTopicQueries(collector: QueryCollector, names: NameIndex): void {
  const companies = names.of('companies');
  const people = names.of('people');
  collector.add('company_topic', labelsOf(companies), (label, random) =>
    topic('companies', 'companies_tagged', companies, label, random.pick(['', ' companies', ' projects', ' startups'])),
  );
  collector.add('person_topic', labelsOf(people), (label, random) =>
    topic('people', 'people_tagged', people, label, random.pick(['', ' experts', ' speaker', ' researchers'])),
  );
  collector.add('company_topic_ecosystem', pairs(companies), (pair) => onChain(companies, pair));
  collector.add('company_place', companies, (company, random) => located(companies, company, random));
  collector.add('company_description', companies, (company, random) => described(companies, company, random));
  collectInvestorQueries(collector, names.of('investors'));
}

const fewestOfLabel = 4;

/** Tags that several entities share and that are words. */
function labelsOf(entities: readonly Entity[]): string[] {
  const counts = new Map<string, number>();
  for (const tag of entities.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].flatMap(([tag, count]) =>
    count >= fewestOfLabel && /^[a-z0-9 -]{3,40}$/i.test(tag) ? [tag] : [],
  );
}

function spoken(label: string): string {
  return label.toLowerCase().replaceAll('-', ' ');
}

function topic(type: KindName, universe: string, of: readonly Entity[], label: string, tail: string): Draft {
  const having = of.filter(({ tags }) => tags.includes(label));
  return { type, q: `${spoken(label)}${tail}`, eval: 'condensed', universe, relevant: graded(having, 2) };
}

interface Pair {
  readonly tag: string;
  readonly chain: string;
}

function pairs(companies: readonly Entity[]): Pair[] {
  const labels = new Set(labelsOf(companies));
  const counts = new Map<string, Pair & { count: number }>();
  for (const { tags, ecosystems } of companies) {
    for (const tag of tags.filter((label) => labels.has(label))) {
      for (const chain of ecosystems) {
        const pair = counts.get(`${tag} ${chain}`) ?? { tag, chain, count: 0 };
        counts.set(`${tag} ${chain}`, { ...pair, count: pair.count + 1 });
      }
    }
  }
  return [...counts.values()].filter(({ count }) => count >= fewestOfLabel);
}

function onChain(companies: readonly Entity[], { tag, chain }: Pair): Draft {
  const having = companies.filter(({ tags }) => tags.includes(tag));
  const both = having.filter(({ ecosystems }) => ecosystems.includes(chain));
  const rest = having.filter((one) => !both.includes(one));
  const q = `${spoken(tag)} on ${spoken(chain)}`;
  return {
    type: 'companies',
    q,
    eval: 'condensed',
    universe: 'companies_tagged',
    relevant: [...graded(both, 3), ...graded(rest, 1)],
  };
}

function located(companies: readonly Entity[], { city, tags }: Entity, random: Random): Draft | null {
  const place = city.split(',')[0] ?? '';
  if (place === '') return null;
  const there = companies.filter((one) => one.city.split(',')[0] === place);
  const tag = tags.at(-1);
  if (tag === undefined || random.chance(0.4)) {
    return { type: 'companies', q: `companies in ${place.toLowerCase()}`, eval: 'graded', relevant: graded(there, 2) };
  }
  const both = there.filter(({ tags: others }) => others.includes(tag));
  const q = `${spoken(tag)} ${place.toLowerCase()}`;
  return {
    type: 'companies',
    q,
    eval: 'graded',
    relevant: [
      ...graded(both, 3),
      ...graded(
        there.filter((one) => !both.includes(one)),
        1,
      ),
    ],
  };
}

/** Four rare words of a description, in its order: nobody remembers the name. */
function described(companies: readonly Entity[], company: Entity, random: Random): Draft | null {
  const own = new Set(company.names.flatMap(wordsOf));
  const words = [...new Set(wordsOf(company.words))].filter((word) => /^[a-z]{5,}$/.test(word) && !own.has(word));
  if (words.length < 8) return null;
  const chosen = new Set(random.some(words, 4));
  const chosenWords = words.filter((word) => chosen.has(word));
  const all = companies.filter((one) => {
    const theirs = new Set(wordsOf(one.words));
    return chosenWords.every((word) => theirs.has(word));
  });
  return { type: 'companies', q: chosenWords.join(' '), eval: 'known-item', relevant: graded(all, 3) };
}

function collectInvestorQueries(collector: QueryCollector, investors: readonly Entity[]): void {
  collector.add(
    'investor_portfolio',
    [...new Set(investors.flatMap(({ portfolio }) => portfolio))],
    (company, random) => {
      const relevant = graded(
        investors.filter(({ portfolio }) => portfolio.some((name) => keyOf(name) === keyOf(company))),
        3,
      );
      const name = company.toLowerCase();
      const q = random.pick([
        `${name} investors`,
        `who invested in ${name}`,
        `backers of ${name}`,
        `who funded ${name}`,
      ]);
      return { type: 'investors', q, eval: 'graded', relevant };
    },
  );
  const focused = investors.flatMap((one) =>
    [...one.investment_focus, ...one.investment_stages].map((label) => ({ label, country: one.country })),
  );
  collector.add('investor_focus', focused, ({ label, country }, random) => focus(investors, label, country, random));
}

function focus(investors: readonly Entity[], label: string, country: string, random: Random): Draft {
  const having = investors.filter((one) => [...one.investment_focus, ...one.investment_stages].includes(label));
  const tail = random.pick(['investors', 'funds', 'vc']);
  const base = { type: 'investors', eval: 'condensed', universe: 'investors_profiled' } as const;
  if (country === '' || random.chance(0.5))
    return { ...base, q: `${spoken(label)} ${tail}`, relevant: graded(having, 3) };
  const there = investors.filter((one) => one.country === country);
  const both = having.filter((one) => there.includes(one));
  const either = [...new Set([...having, ...there])].filter((one) => !both.includes(one));
  return {
    ...base,
    q: `${spoken(label)} ${tail} ${country.toLowerCase()}`,
    relevant: [...graded(both, 3), ...graded(either, 1)],
  };
}
