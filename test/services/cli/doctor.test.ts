import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { facilitatorHandler } from '../../../dev/chain/facilitator/handler.ts';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { withCommandLimits } from '../../../dev/lib/limits.ts';
import { startFaultProxy } from '../../../dev/torture/fault-proxy.ts';
import { roleName } from '../../../src/schema/rights.ts';
import { startEmbeddingServer } from '../../support/embeddings/embedding-server.ts';
import { createTestIndices, type TestIndices } from '../../support/engines/indices.ts';
import { createRolesDatabase, type RolesDatabase } from '../../support/engines/service-roles.ts';
import { payTo } from '../../support/payments/payers.ts';
import { setChainStage } from '../../support/stages/chain.ts';

// `entity-search doctor` on the real engines, whole and broken.

interface Finding {
  readonly check: string;
  readonly level: string;
  readonly found: string;
  readonly todo: string | null;
}

let database: RolesDatabase;
let indices: TestIndices;
let owner: pg.Pool;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  database = await createRolesDatabase();
  indices = createTestIndices();
  owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 });
  env = { DATABASE_URL: database.ownerUrl, ELASTICSEARCH_URL: indices.url, INDEX_PREFIX: indices.prefix };
  await owner.query(
    `insert into companies (id, name, slug) select n, 'C ' || n, 'c-' || n from generate_series(1, 5) as n`,
  );
  await entitySearch(['reindex'], env);
});

afterAll(async () => {
  await owner.end();
  await indices[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

async function doctor(more: Readonly<Record<string, string>> = {}) {
  const { code, out } = await entitySearch(['doctor', '--json'], { ...env, ...more });
  const findings: readonly Finding[] = JSON.parse(out);
  const of = (check: string) => findings.filter((one) => one.check === check);
  return { code, findings, of };
}

/** Every finding that is not good says what to do. */
function expectRemedies(findings: readonly Finding[]): void {
  const without = findings.filter(({ level, todo }) => (level === 'warn' || level === 'fail') && todo === null);
  expect(without).toEqual([]);
}

test('a whole installation: all is well but what test engines lack', async () => {
  await entitySearch(['accounts', 'create', 'Example', '--plan', 'starter'], env);
  await entitySearch(['keys', 'create', '--account', 'Example', '--name', 'first'], env);
  const stopping = new AbortController();
  const following = entitySearch(['sync'], env, stopping.signal);
  const held = async () => (await doctor()).of('sync').every(({ level }) => level === 'ok');
  for (let tries = 0; !(await held()); tries += 1) if (tries > 100) throw new Error('No sync took the indices.');
  let { code, findings, of } = await doctor();
  // Other tests make copies on the one node, for a moment.
  for (let tries = 0; of('elasticsearch health').some(({ level }) => level !== 'ok') && tries < 30; tries += 1) {
    await delay(1_000);
    ({ code, findings, of } = await doctor());
  }
  stopping.abort();
  await following;
  // Engines that tests start for themselves do without fsync.
  expect(findings.filter(({ level, found }) => level !== 'ok' && !found.startsWith('fsync'))).toEqual([
    expect.objectContaining({ check: 'embeddings', level: 'skipped' }),
    expect.objectContaining({ check: 'paid search', level: 'skipped' }),
  ]);
  expect([0, 2]).toContain(code);
  expect(of('postgres rights')).toHaveLength(4);
  expectRemedies(findings);
});

test('indices that nobody follows, fall behind or are halted are told, with the command that helps', async () => {
  await owner.query(`update companies set name = name || '!'`);
  await owner.query(`update search_changes set at = now() - interval '5 minutes'`);
  await owner.query(`update search_generations set halted = 'by hand' where kind = 'people'`);
  const { code, findings, of } = await doctor();
  expect(code).toBe(1);
  expect(of('sync')).toMatchObject([
    {
      level: 'fail',
      found: expect.stringMatching(
        /^No sync follows the tables for .*; 5 changes wait, the oldest for (299|3\d\d) s\.$/,
      ),
      todo: 'Start: entity-search sync',
    },
  ]);
  expect(of('index of companies')).toMatchObject([{ level: 'ok' }]);
  expect(of('index of people')[0]).toMatchObject({ level: 'fail', todo: 'Run: entity-search repair people' });
  expectRemedies(findings);
  await owner.query('update search_generations set halted = null');
  await entitySearch(['sync', '--once'], env);
});

test('an alias of none, an alias of two, a changed mapping, a block, an older index, letters and rows: each its own finding', async () => {
  const { client, prefix } = indices;
  const [company = ''] = Object.keys(await client.indices.getAlias({ name: `${prefix}companies` }));
  const [person = ''] = Object.keys(await client.indices.getAlias({ name: `${prefix}people` }));
  const [event = ''] = Object.keys(await client.indices.getAlias({ name: `${prefix}events` }));
  await client.indices.putMapping({ index: company, properties: { by_hand: { type: 'keyword' } } });
  await client.indices.putSettings({ index: company, settings: { 'index.blocks.read_only_allow_delete': true } });
  await client.indices.putAlias({ index: person, name: `${prefix}investors` });
  await client.indices.deleteAlias({ index: event, name: `${prefix}events` });
  await owner.query(`update search_generations set hash = 'older' where kind = 'people'`);
  await owner.query(
    `insert into search_dead_letters (generation_id, id, reason) select id, 1, 'x' from search_generations where kind = 'people'`,
  );
  const { code, findings, of } = await doctor();
  expect(code).toBe(1);
  expect(of('index of companies')).toContainEqual(
    expect.objectContaining({ level: 'fail', found: expect.stringContaining('changed by hand: by_hand') }),
  );
  expect(of('elasticsearch blocks')).toMatchObject([{ level: 'fail', found: expect.stringContaining(company) }]);
  expect(of('index of investors')).toMatchObject([
    { level: 'fail', found: expect.stringContaining('names 2 indices') },
  ]);
  expect(of('index of events')).toMatchObject([{ level: 'fail', todo: 'Run: entity-search rollback events' }]);
  expect(of('index of people').map(({ found }) => found)).toEqual([
    expect.stringContaining('is not as this version wants it'),
    'The row 1 of people has no document: x.',
  ]);
  expectRemedies(findings);
  await client.indices.putSettings({ index: company, settings: { 'index.blocks.read_only_allow_delete': null } });
  await owner.query('delete from search_dead_letters');
  await entitySearch(['reindex'], env);
});

test('rights that are missing or too many, accounts that will be refused', async () => {
  await owner.query(`revoke select on companies from ${roleName('api')}`);
  await owner.query(`grant delete on people to ${roleName('indexer')}`);
  await owner.query(`insert into accounts (name, plan) values ('Keyless', 'growth')`);
  await owner.query(`update plans set active = false where name = 'growth'`);
  await owner.query(
    `insert into account_months select id, date_trunc('month', now() at time zone 'UTC')::date, 49999,
       (now() at time zone 'UTC')::date, 1 from accounts where name = 'Example'`,
  );
  await owner.query(`update api_keys set expires_at = now() + interval '1 day'`);
  const { of, findings } = await doctor();
  expect(of('postgres rights').map(({ level, found }) => [level, found])).toEqual([
    ['fail', 'entity_search_api may not select companies.'],
    ['warn', 'entity_search_indexer may also delete people.'],
    ['ok', expect.anything()],
    ['ok', expect.anything()],
  ]);
  expect(of('plans and accounts').map(({ found }) => found)).toEqual([
    'Example has used 49999 of 50000 calls of this month.',
    '1 key(s) of Example end within a week.',
    'Keyless is on the plan growth, which is not active: its calls are refused.',
    'Keyless has no key that works.',
  ]);
  expectRemedies(findings);
  await entitySearch(['migrate'], env);
  expect((await doctor()).of('postgres rights').map(({ level }) => level)).toEqual(['ok', 'ok', 'ok', 'ok']);
});

test('as the role of the indexer, what it may not see is skipped and all else is looked at', async () => {
  const { of } = await doctor({ DATABASE_URL: database.urlOf('indexer') });
  expect(of('postgres role')).toMatchObject([{ level: 'ok', found: expect.stringContaining('no superuser') }]);
  expect(of('plans and accounts')).toMatchObject([{ level: 'skipped' }]);
  expect(of('index of companies')).toMatchObject([{ level: 'ok' }]);
});

test('tables that are missing, or newer than the program', async () => {
  await owner.query(`insert into schema_migrations (name, run_on) values ('999-future', now())`);
  expect((await doctor()).of('postgres tables')).toMatchObject([
    { level: 'fail', found: expect.stringMatching(/999/) },
  ]);
  await owner.query(`delete from schema_migrations where name in ('999-future', '008-retirement')`);
  expect((await doctor()).of('postgres tables')).toMatchObject([{ todo: 'Run: entity-search migrate' }]);
  await owner.query(`insert into schema_migrations (name, run_on) values ('008-retirement', now())`);
});

describe('an engine that does not answer hides nothing of the other', () => {
  const quick = withCommandLimits({}, { doctorTimeoutMs: 700 });

  test.each(['refuse', 'hang'] as const)('Postgres: %s', async (fault) => {
    await using proxy = await startFaultProxy(database.ownerUrl);
    await proxy.set(fault);
    const startedMs = performance.now();
    const { code, of, findings } = await doctor({ ...quick, DATABASE_URL: proxy.url });
    expect(performance.now() - startedMs).toBeLessThan(20_000);
    expect(code).toBe(1);
    expect(of('postgres version')).toMatchObject([{ level: 'fail' }]);
    expect(of('elasticsearch version')).toMatchObject([{ level: 'ok' }]);
    expectRemedies(findings);
  });

  test.each(['refuse', 'hang'] as const)('Elasticsearch: %s', async (fault) => {
    await using proxy = await startFaultProxy(indices.url);
    await proxy.set(fault);
    const { code, of, findings } = await doctor({ ...quick, ELASTICSEARCH_URL: proxy.url });
    expect(code).toBe(1);
    expect(of('elasticsearch version')).toMatchObject([{ level: 'fail' }]);
    expect(of('postgres tables')).toMatchObject([{ level: 'ok' }]);
    expectRemedies(findings);
  });
});

test('a wrong password, an authority that can not be read, settings that are wrong: told, and nothing of them printed', async () => {
  const url = new URL(database.ownerUrl);
  url.password = 'pass-canary';
  const { out } = await entitySearch(['doctor'], {
    ...env,
    DATABASE_URL: url.href,
    ELASTICSEARCH_CA_FILE: '/nowhere/ca.crt',
    CURSOR_SECRET: 'short',
  });
  expect(out).toMatch(/Postgres refused the password/);
  expect(out).toMatch(/ELASTICSEARCH_CA_FILE: .nowhere.ca.crt can not be used/);
  expect(out).toMatch(/CURSOR_SECRET: must be at least 16/);
  expect(out).not.toMatch(/canary/);
});

async function serve(handler: RequestListener): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test('embeddings: as they should be, with a wrong setting, and away', async () => {
  await using server = await startEmbeddingServer({ dimension: 8, model: 'some-model' });
  const settings = { EMBEDDINGS: server.url, EMBEDDINGS_MODEL: 'some-model', EMBEDDINGS_DIMENSION: '8' };
  const whole = await doctor(settings);
  expect(whole.of('embeddings')).toMatchObject([{ level: 'ok', found: 'some-model makes vectors of 8 numbers.' }]);
  const wrong = await doctor({ ...settings, EMBEDDINGS_DIMENSION: '9' });
  expect(wrong.of('embeddings')).toMatchObject([
    { level: 'fail', found: expect.stringContaining('correct EMBEDDINGS_DIMENSION') },
  ]);
  await server.close();
  const away = await doctor(settings);
  expect(away.of('embeddings')).toMatchObject([{ level: 'warn', found: expect.stringContaining('does not answer') }]);
  expectRemedies([...wrong.findings, ...away.findings]);
});

test('the paid search: facilitator and chain as they should be, of another chain, and away', async () => {
  await using chain = await setChainStage();
  await using facilitator = await serve(facilitatorHandler(chain.chain, 1_000));
  const paid = { X402_PAY_TO: payTo, X402_RPC_URL: chain.chain, X402_FACILITATOR_URL: facilitator.url };
  const whole = await doctor(paid);
  expect([whole.of('facilitator')[0]?.level, whole.of("chain's node")[0]?.level]).toEqual(['ok', 'ok']);
  const other = await doctor({ ...paid, X402_NETWORK: 'eip155:8453' });
  expect(other.of('facilitator')).toMatchObject([
    { level: 'fail', found: expect.stringContaining('2 exact eip155:84532') },
  ]);
  expect(other.of("chain's node")).toMatchObject([{ level: 'fail', found: expect.stringContaining('chain 84532') }]);
  await using elsewhere = await serve((_request, response) => {
    response.writeHead(307, { location: `${facilitator.url}/v2/supported` }).end();
  });
  const away = await doctor({ ...paid, X402_RPC_URL: 'http://127.0.0.1:1', X402_FACILITATOR_URL: elsewhere.url });
  expect([away.of('facilitator')[0]?.level, away.of("chain's node")[0]?.level]).toEqual(['fail', 'fail']);
  expect(away.of('facilitator')).toMatchObject([
    {
      found: `It is somewhere else: it answers with a redirect (307) to ${facilitator.url}, by another path. None is followed: nobody can pay.`,
      todo: `Set X402_FACILITATOR_URL to the facilitator's address at ${facilitator.url}, if you trust that.`,
    },
  ]);
});

test.each([
  [
    'to its other name',
    'NAME/path-canary/supported',
    'Set X402_FACILITATOR_URL to the same address with NAME in place of ',
  ],
  ['to nowhere that can be read', 'ftp://canary', 'Correct X402_FACILITATOR_URL'],
  ['without a place', undefined, 'Correct X402_FACILITATOR_URL'],
])('a facilitator that answers 308 %s: told in words, and not followed', async (_, location, todo) => {
  await using chain = await setChainStage();
  let followed = 0;
  await using target = await serve((_request, response) => {
    followed += 1;
    response.end('{"kinds":[]}');
  });
  await using bare = await serve((_request, response) => {
    const named = location?.replace('NAME', target.url.replace('127.0.0.1', 'user:pass-canary@localhost'));
    response.writeHead(308, named === undefined ? {} : { location: named }).end('moved');
  });
  const { of, code } = await doctor({
    X402_PAY_TO: payTo,
    X402_RPC_URL: chain.chain,
    X402_FACILITATOR_URL: `${bare.url}/path-canary`,
    X402_FACILITATOR_HEADERS: '{"authorization":"Bearer header-canary"}',
  });
  const [finding] = of('facilitator');
  expect([code, finding?.level, followed]).toEqual([1, 'fail', 0]);
  expect(finding?.found).toMatch(/redirect \(308\) to/);
  expect(finding?.todo).toContain(todo.replace('NAME', target.url.replace('127.0.0.1', 'localhost')));
  expect(JSON.stringify(finding)).not.toContain('canary');
});
