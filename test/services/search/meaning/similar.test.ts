import pg from 'pg';
import { entitySearch } from '../../../../dev/lib/command-line.ts';
import { type ConnectedApi, startConnectedApi } from '../../../support/api/connected.ts';
import { succeed } from '../../../support/commands.ts';
import { startEmbeddingServer } from '../../../support/embeddings/embedding-server.ts';
import { createTestDatabase } from '../../../support/engines/database.ts';
import { createTestIndices } from '../../../support/engines/indices.ts';
import { until } from '../../../support/until.ts';

// Entities similar to another on the real engines, by shared traits alone and with vectors.

const dimension = 64;
/** No word of the vocabulary. */
const quills = 'Quills and inkwells for left handed scribes';

const sql = `
  insert into companies (id, name, slug, tags, ecosystems, overview) values
    (1, 'Quartz', 'quartz', '{lending,flash-loans}', '{base}', '${quills}'),
    (2, 'Tidal', 'tidal', '{lending}', '{Base}', null),
    (3, 'Gneiss', 'gneiss', '{Lending,Flash-Loans}', '{}', null),
    (4, 'Marl', 'marl', '{}', '{}', '${quills} every day'),
    (5, 'Schist', '77', '{games}', '{}', 'Swords and dragons'),
    (6, 'Alone', '5', '{}', '{}', null),
    (7, 'Basalt', 'basalt', '{}', '{}', 'Perpetual futures'),
    (8, 'Slate', 'slate', '{}', '{}', 'Perpetual futures'),
    (9, 'Loam', 'loam', '{}', '{}', 'Perpetual futures'),
    (10, 'Onyx', 'onyx', '{}', '{}', 'A prediction market on elections'),
    (11, 'Beryl', 'beryl', '{}', '{}', 'Forecasting markets for sailors'),
    (12, 'Agate', 'agate', '{}', '{}', 'Soulbound medals'),
    (13, 'Jade', 'jade', '{}', '{}', 'Proof of attendance on a boat');
  insert into companies (id, name, slug, tags) select n, 'Filler ' || n, 'filler-' || n, '{lending}' from generate_series(100, 400) as n;
  insert into investors (id, name, slug, investment_focus, investor_type) values
    (1, 'Alpha Fund', 'alpha', '{defi}', 'Fund'), (2, 'Beta Fund', 'beta', '{games}', 'angel'), (3, 'Gamma Fund', 'gamma', '{}', null);
  insert into company_investors (company_id, position, investor_name, investor_id) values
    (1, 0, 'Alpha Fund', 1), (5, 0, 'Alpha Fund', 1), (5, 1, 'Beta Fund', 2), (2, 0, 'Beta Fund', 2);
  insert into people (id, name, slug, tags) values (1, 'Ada', 'ada', '{solidity}'), (2, 'Bo', 'bo', '{rust}'), (3, 'Cy', 'cy', '{}');
  insert into person_companies (person_id, position, company_slug, company_id) values (1, 0, 'quartz', 1), (3, 0, 'quartz', 1);
  insert into events (id, name, slug, tags, event_types, country) values
    (1, 'Quartz Day', 'quartz-day', '{defi}', '{meetup}', 'Japan'), (2, 'Tidal Day', 'tidal-day', '{games}', '{meetup}', 'japan');`;

interface Item {
  readonly name: string;
  readonly shared: object;
  readonly matchedBy: string;
}

let resources: AsyncDisposableStack;
let pool: pg.Pool;
let key: string;
let plain: ConnectedApi;
let withVectors: ConnectedApi;

beforeAll(async () => {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await startEmbeddingServer({ dimension }));
  const database = opened.use(await createTestDatabase());
  const indices = opened.use(createTestIndices());
  pool = opened.adopt(new pg.Pool({ connectionString: database.url, max: 2 }), (one) => one.end());
  await pool.query(sql);
  const engines = { DATABASE_URL: database.url, ELASTICSEARCH_URL: indices.url, INDEX_PREFIX: indices.prefix };
  const embeddings = { EMBEDDINGS: server.url, EMBEDDINGS_MODEL: 'words', EMBEDDINGS_DIMENSION: String(dimension) };
  const env = { ...engines, ...embeddings };
  for (const command of [['embed'], ['reindex'], ['accounts', 'create', 'Tests', '--plan', 'scale']]) {
    await succeed(env, ...command);
  }
  const made = await entitySearch(['keys', 'create', '--account', 'Tests', '--name', 'tests'], env);
  key = /es_\w+/.exec(made.out)?.[0] ?? '';
  plain = opened.use(await startConnectedApi(engines));
  withVectors = opened.use(await startConnectedApi(env));
  resources = opened.move();
});

afterAll(() => resources.disposeAsync());

async function ask(api: ConnectedApi, path: string): Promise<Response> {
  return fetch(`${api.url}/api/v1/${path}`, { headers: { authorization: `Bearer ${key}` } });
}

async function similar(api: ConnectedApi, path: string): Promise<readonly Item[]> {
  const response = await ask(api, path);
  const body = (await response.json()) as { readonly data: { readonly results: readonly Item[] } };
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`);
  return body.data.results;
}

const lines = (items: readonly Item[]) => items.map(({ name, shared, matchedBy }) => [name, shared, matchedBy]);

describe('without vectors', () => {
  test('entities that share rare traits come before those that share frequent ones, without the entity itself', async () => {
    const found = await similar(plain, 'companies/quartz/similar?limit=50');
    expect(found).toHaveLength(50);
    expect(lines(found.slice(0, 2))).toEqual([
      ['Gneiss', { tags: ['lending', 'flash-loans'] }, 'shared'],
      ['Schist', { investors: ['Alpha Fund'] }, 'shared'],
    ]);
    expect(lines(found)).toContainEqual(['Tidal', { tags: ['lending'], ecosystems: ['base'] }, 'shared']);
    expect(found.map(({ name }) => name)).not.toContain('Quartz');
    expect(found.map(({ name }) => name)).not.toContain('Marl');
  });

  test('shared traits are named for every kind', async () => {
    expect(lines(await similar(plain, 'people/ada/similar'))).toEqual([['Cy', { companies: ['quartz'] }, 'shared']]);
    expect(lines(await similar(plain, 'investors/1/similar'))).toEqual([
      ['Beta Fund', { companies: ['Schist'] }, 'shared'],
    ]);
    expect(lines(await similar(plain, 'events/quartz-day/similar'))).toEqual([
      ['Tidal Day', { event_types: ['meetup'], country: ['Japan'] }, 'shared'],
    ]);
  });

  test('an entity that has only texts is compared by their words', async () => {
    expect(lines(await similar(plain, 'companies/basalt/similar'))).toEqual([
      ['Slate', {}, 'words'],
      ['Loam', {}, 'words'],
    ]);
  });

  test('a text with other words for the same concept is found', async () => {
    expect(lines(await similar(plain, 'companies/onyx/similar'))).toEqual([['Beryl', {}, 'words']]);
    // Its token is a plural: documents have it without its ending.
    expect(lines(await similar(plain, 'companies/agate/similar'))).toEqual([['Jade', {}, 'words']]);
  });

  test('an entity without traits is similar to none', async () => {
    expect(await similar(plain, 'companies/alone/similar').catch(String)).toContain('404');
    expect(await similar(plain, 'companies/6/similar')).toEqual([]);
    expect(await similar(plain, 'investors/gamma/similar')).toEqual([]);
  });

  test('a number is first looked up as an id, then as a slug, as for records', async () => {
    const of = async (identifier: string) => {
      const body = (await (await ask(plain, `companies/${identifier}/similar`)).json()) as { data: { of: object } };
      return body.data.of;
    };
    expect(await of('5')).toEqual({ entity_type: 'companies', id: 5, name: 'Schist' });
    expect(await of('77')).toEqual({ entity_type: 'companies', id: 5, name: 'Schist' });
  });
});

describe('with vectors', () => {
  test('entities near in meaning are found as well, and marked as a guess', async () => {
    const found = lines(await similar(withVectors, 'companies/quartz/similar?limit=5&fields=name'));
    expect(found).toContainEqual(['Gneiss', { tags: ['lending', 'flash-loans'] }, 'shared']);
    expect(found).toContainEqual(['Marl', {}, 'semantic']);
    expect(found.map(([name]) => name)).not.toContain('Quartz');
  });

  test('an entity with only a text has similar entities', async () => {
    const found = await similar(withVectors, 'companies/marl/similar?limit=1');
    expect(lines(found)).toEqual([['Quartz', {}, 'semantic']]);
  });
});

test('the response has the lag of the index and its own metric label', async () => {
  expect((await ask(plain, 'events/1/similar')).headers.get('x-index-lag')).toMatch(/^\d/);
  await until(async () => {
    const { rows } = await pool.query(
      `select distinct outcome from account_calls where endpoint = 'similar' order by 1`,
    );
    return rows.length === 2;
  }, 'calls that were answered and one that was not are counted');
});
