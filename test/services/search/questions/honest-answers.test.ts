import { forFile } from '../../../support/for-file.ts';
import { setFeaturesStage } from '../../../support/stages/features.ts';

const stage = await forFile(
  setFeaturesStage({
    sql: `
    insert into companies (id, name, slug, tags, country, overview) values
      (1, 'Slate', 'slate', '{lending}', 'United States', 'Loans against collateral.'),
      (2, 'Marl', 'marl', '{lending}', 'Germany', 'Loans with no collateral.'),
      (3, 'Chert', 'chert', '{lending}', null, 'Loans.'),
      (4, 'Tuff', 'tuff', '{dex-aggregator}', null, 'An exchange of exchanges.'),
      (5, 'Karst', 'karst', '{trading}', null, 'An exchange run by a firm.'),
      (6, 'Skarn', 'skarn', '{staking}', null, 'Staking.'),
      (7, 'Gneiss', 'gneiss', '{staking}', null, 'Staking.'),
      (8, 'Galena', 'galena', '{stablecoin}', null, 'A coin backed by lead.');
    insert into people (id, name, slug, overview) values
      (1, 'Ada', 'ada', 'Founder of Hornfels, talked at length.'), (2, 'Bo', 'bo', 'Writes about Hornfels.'),
      (3, 'Cy', 'cy', 'Engineer at Schist.');
    insert into people (id, name, slug, headline) values (4, 'Di', 'di', 'Mylonite Principal'), (5, 'Ed', 'ed', null),
      (6, 'Fay', 'fay', 'Marble Labs');
    insert into roles (person_id, position, title, organisation, detail) values (5, 1, 'Speaker', 'Flint', 'On Mylonite');
    insert into events (id, name, slug, start_date, city, country, is_online, event_types) values
      (1, 'Flint', 'flint', '2025-03-03', 'Berlin', 'Germany', false, '{conference}'),
      (2, 'Agate', 'agate', '2024-03-03', 'Berlin', 'Germany', false, '{hackathon}'),
      (3, 'Opal', 'opal', '2023-03-03', 'Berlin', 'Germany', false, '{}');
    insert into events (id, name, slug, overview, organizer) values
      (4, 'Basalt Lisbon', 'basalt-lisbon', null, null), (5, 'Jasper', 'jasper', 'A summit hosted by Basalt.', null),
      (6, 'Onyx', 'onyx', null, 'Basalt'), (7, 'Topaz', 'topaz', 'As good as Basalt Lisbon.', null);
    insert into investors (id, name, slug, aliases) values (1, 'Mica', 'mica', '{Biotite}'), (2, 'Beryl', 'beryl', '{}');
    update companies set ecosystems = '{solana}' where id = 1;
    update companies set ecosystems = '{base,celo}' where id = 2;
    update companies set aliases = '{Phyllite}' where id = 2; update companies set total_funding_usd = 5 where id = 6;
    insert into investor_portfolio (investor_id, position, company_name, company_id) values
      (1, 1, 'Slate', 1), (1, 2, 'Marl', 2), (2, 1, 'Slate', 1);`,
  }),
);

interface Understood {
  readonly parts: readonly { readonly as: string; readonly met: boolean }[];
  readonly relaxed: readonly string[];
  readonly note: string | null;
}

async function ask(text: string, type: string) {
  const found = await stage.find(`type=${type}&query=${encodeURIComponent(text)}`);
  const understood = found.understood as Understood | null;
  const unmet = understood?.parts.flatMap(({ as, met }) => (met ? [] : [as]));
  return { names: found.results.map(({ name }) => name).toSorted(), unmet, relaxed: understood?.relaxed };
}

describe('A type of event', () => {
  test.each([
    ['hackathons in Berlin in 2024', { names: ['Agate'], unmet: [], relaxed: [] }],
    ['free hackathons in Berlin in 2024', { names: ['Agate'], unmet: ['words'], relaxed: [] }],
    ['the biggest hackathons in Berlin in 2024', { names: ['Agate'], unmet: ['ignored'], relaxed: [] }],
    ['hackathons in Berlin in 2025', { names: ['Flint'], unmet: ['kind'], relaxed: [] }],
    ['hackathons in Berlin in 2023', { names: ['Opal'], unmet: ['kind'], relaxed: [] }],
  ])('is reported as unmet if a result has another type or none, as are other words: %s', async (text, expected) => {
    expect(await ask(text, 'all')).toEqual(expected);
  });

  test.each([
    ['hackathons in Berlin', 'Agate'],
    ['conferences in Berlin', 'Flint'],
    ['engineers', 'Cy'],
  ])('ranks matching entities first, as does a role: %s', async (text, first) => {
    const found = await stage.find(`type=all&query=${encodeURIComponent(text)}`);
    const [best, ...others] = found.results.map(({ name }) => name);
    expect(best).toBe(first);
    expect(others.length).toBeGreaterThan(1);
  });
});

const undated = ['Basalt Lisbon', 'Jasper', 'Onyx', 'Topaz'];

test.each([
  ['newest events', ['Flint', 'Agate', 'Opal', ...undated]],
  ['newest hackathons', ['Agate']],
  ['oldest events', ['Opal', 'Agate', 'Flint', ...undated]],
])('Results have the order that a question asks for, those without a date last: %s', async (text, names) => {
  const found = await stage.find(`type=all&query=${encodeURIComponent(text)}`);
  expect(found.results.map(({ name }) => name)).toEqual(names);
  expect((await ask(text, 'all')).unmet).toEqual([]);
});

test.each([
  ['our desk would be glad to see lending companies in the US', { names: ['Slate'], unmet: ['words'] }],
  ['which companies would have lending as their main theme', { names: ['Chert', 'Marl', 'Slate'], unmet: ['words'] }],
])('The words of a sentence that name no topic are dropped if no entity has them: %s', async (text, expected) => {
  expect(await ask(text, 'all')).toEqual({ ...expected, relaxed: ['words'] });
});

test('Several unknown words are a name, which is not dropped', async () => {
  const text = 'frobnicate gizmo whatsit events in Berlin that my team might like';
  expect(await ask(text, 'all')).toEqual({ names: [], unmet: [], relaxed: [] });
});

test.each([
  ['coin backed by lead or zinc', ['Galena']],
  ['coin backed by lead and zinc', []],
])('One of two words around "or" is enough: %s', async (text, names) => {
  const found = await stage.find(`type=companies&literal=true&query=${encodeURIComponent(text)}`);
  expect(found.results.map(({ name }) => name)).toEqual(names);
});

test.each([
  ['who founded hornfels', { names: ['Ada', 'Bo'], unmet: ['relation'], relaxed: [] }],
  ['engineers at schist', { names: ['Cy'], unmet: [], relaxed: [] }],
  ['former engineers at schist', { names: ['Cy'], unmet: ['ignored'], relaxed: [] }],
  ['who left schist', { names: ['Cy'], unmet: ['ignored'], relaxed: [] }],
  ['mylonite team', { names: ['Di'], unmet: [], relaxed: [] }],
  ['who works at marble labs', { names: ['Fay'], unmet: [], relaxed: [] }],
  ['speakers at flint rather than agate', { names: ['Ed'], unmet: [], relaxed: [] }],
  ['people attending schist', { names: [], unmet: ['ignored'], relaxed: [] }],
  ['designers at schist', { names: ['Cy'], unmet: ['kind'], relaxed: [] }],
])('A role is reported as unmet if a text of a result does not state it: %s', async (text, expected) => {
  expect(await ask(text, 'people')).toEqual(expected);
});

test.each([
  ['events by basalt', { names: ['Basalt Lisbon', 'Jasper', 'Onyx'], unmet: ['relation'], relaxed: [] }],
  ['events not by basalt', { names: ['Agate', 'Flint', 'Opal', 'Topaz'], unmet: [], relaxed: [] }],
])(
  'An organizer is found by its record, by texts that state it, and by names that begin with it, which prove nothing: %s',
  async (text, expected) => {
    expect(await ask(text, 'all')).toEqual(expected);
  },
);

test('A field that no entity has is reported as unmet', async () => {
  expect((await ask('contact email of slate', 'companies')).unmet).toContain('ignored');
});

test.each([
  ['investors that backed both slate and marl', { names: ['Mica'], unmet: [], relaxed: [] }],
  ['investors that backed both slate and chert', { names: ['Beryl', 'Mica'], unmet: ['relation'], relaxed: ['also'] }],
  ['who gave money slate and also marl', { names: ['Mica'], unmet: [], relaxed: [] }],
  [
    'investors of slate in German lending',
    { names: ['Beryl', 'Mica'], unmet: ['place', 'words'], relaxed: ['words', 'place'] },
  ],
  ['investors of slate that do lending', { names: ['Beryl', 'Mica'], unmet: ['words'], relaxed: ['words'] }],
])(
  'Several relations are met only if each is, and other words must occur or are reported: %s',
  async (text, expected) => {
    expect(await ask(text, 'investors')).toEqual(expected);
  },
);

test('Investors in companies of a place are related to one of them, on every page', async () => {
  expect(await ask('investors in German startups', 'all')).toEqual({ names: ['Mica'], unmet: [], relaxed: [] });
  expect((await ask('investors in French startups', 'all')).names).toEqual([]);
  expect((await ask('startups backed by German VCs', 'all')).unmet).toContain('relation');
  const names = [];
  for await (const { results } of stage.paginate(
    `type=all&limit=1&query=${encodeURIComponent('investors in US companies')}`,
  ))
    names.push(...results.map(({ name }) => name));
  expect(names.toSorted()).toEqual(['Beryl', 'Mica']);
});

test.each([
  ['biotite portfolio', 'companies', { names: ['Marl', 'Slate'], unmet: [], relaxed: [] }],
  ['biotit portfolio', 'companies', { names: ['Marl', 'Slate'], unmet: ['relation'], relaxed: [] }],
  ['who invested in phyllite', 'investors', { names: ['Mica'], unmet: [], relaxed: [] }],
])('An investor or company is known by its other names, too: %s', async (text, type, expected) => {
  expect(await ask(text, type)).toEqual(expected);
});

test.each([
  ['like skarn', { names: ['Gneiss'], unmet: [], relaxed: [] }],
  ['like skarm', { names: ['Gneiss'], unmet: ['like'], relaxed: [] }],
  ['companies like slate backed by mica', { names: ['Marl'], unmet: [], relaxed: [] }],
  ['companies like slate backed by beryl', { names: ['Chert', 'Marl'], unmet: ['relation'], relaxed: ['relation'] }],
])('Likeness is met if the entity is known by the written name, and a relation filters: %s', async (text, expected) => {
  expect(await ask(text, 'companies')).toEqual(expected);
});

test.each([
  ['lending in Germany', { names: ['Marl'], unmet: [], relaxed: [] }],
  ['staking in Germany', { names: ['Gneiss', 'Skarn'], unmet: ['place'], relaxed: ['place'] }],
])('A subject is required before a place, although results name the place: %s', async (text, expected) => {
  expect(await ask(text, 'all')).toEqual(expected);
});

test.each([
  ['lending on solana', { names: ['Slate'], unmet: [], relaxed: [] }],
  ['lending on solana or base', { names: ['Marl', 'Slate'], unmet: [], relaxed: [] }],
  ['lending on both base and celo', { names: ['Marl'], unmet: [], relaxed: [] }],
  ['slate on base', { names: ['Slate'], unmet: ['chain'], relaxed: [] }],
  ['lending not on solana', { names: ['Marl'], unmet: [], relaxed: [] }],
  ['staking not on solana', { names: ['Gneiss', 'Skarn'], unmet: ['without'], relaxed: ['known'] }],
  ['staking on solana', { names: ['Gneiss', 'Skarn'], unmet: ['chain'], relaxed: ['chain'] }],
])('A chain filters, or is reported as unmet: %s', async (text, expected) => {
  expect(await ask(text, 'companies')).toEqual(expected);
});

test.each([
  ['lending not in the US', { names: ['Marl'], unmet: [], relaxed: [] }],
  ['staking not in the US', { names: ['Gneiss', 'Skarn'], unmet: ['without'], relaxed: ['known'] }],
])('An excluded place removes entities with an unknown place, or is reported as unmet: %s', async (text, expected) => {
  expect(await ask(text, 'companies')).toEqual(expected);
});

test.each([
  ['exchanges that are not decentralized', ['Karst']],
  ['lending without collateral', ['Chert', 'Marl']],
  ['lending without slate', ['Chert', 'Marl']],
  ['lending startups without mica', ['Chert']],
  ['lending without investors', ['Chert']],
  ['lending without funding', ['Chert']],
  ['staking that never raised money', ['Gneiss']],
  ['stablecoins not backed by fiat', ['Galena']],
])('An excluded topic includes narrower ones and names, but no texts that deny it: %s', async (text, names) => {
  expect((await ask(text, 'companies')).names).toEqual(names);
});
