import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { withCommandLimits } from '../../../dev/lib/limits.ts';
import { startFaultProxy } from '../../../dev/torture/fault-proxy.ts';
import { roleName } from '../../../src/schema/rights.ts';
import { expectRemedies, runDoctor } from '../../support/doctor.ts';
import { createTestIndices } from '../../support/engines/indices.ts';
import { createRolesDatabase } from '../../support/engines/service-roles.ts';
import { closedAfterFile, forFile } from '../../support/for-file.ts';

// `entity-search doctor` on the real engines, whole and broken.

const database = await forFile(createRolesDatabase());
const indices = await forFile(createTestIndices());
const owner = await closedAfterFile(new pg.Pool({ connectionString: database.ownerUrl, max: 2 }), (opened) =>
  opened.end(),
);
const env = { DATABASE_URL: database.ownerUrl, ELASTICSEARCH_URL: indices.url, INDEX_PREFIX: indices.prefix };
await owner.query(
  `insert into companies (id, name, slug) select n, 'C ' || n, 'c-' || n from generate_series(1, 5) as n`,
);
await entitySearch(['reindex'], env);

const doctor = (more: Readonly<Record<string, string>> = {}) => runDoctor({ ...env, ...more });

test('a complete installation passes except for what the test engines lack', async () => {
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
  expect(findings.filter(({ level }) => level !== 'ok')).toEqual([
    expect.objectContaining({ check: 'embeddings', level: 'skipped' }),
    expect.objectContaining({ check: 'paid search', level: 'skipped' }),
  ]);
  expect([0, 2]).toContain(code);
  expect(of('postgres rights')).toHaveLength(4);
  expectRemedies(findings);
});

test('unfollowed, lagging and halted indices are reported with the command that helps', async () => {
  await owner.query(`update companies set name = name || '!'`);
  await owner.query(`update search_changes set at = now() - interval '5 minutes'`);
  await owner.query(`update search_generations set halted = 'by hand' where kind = 'people'`);
  const { code, findings, of } = await doctor();
  expect(code).toBe(1);
  expect(of('sync')).toMatchObject([
    {
      level: 'fail',
      found: expect.stringMatching(
        /^No sync follows the tables for .*; 5 changes are pending, the oldest for (299|3\d\d) s\.$/,
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

test('rights and keys that are missing are reported', async () => {
  await owner.query(`revoke select on companies from ${roleName('api')}`);
  await owner.query('update api_keys set revoked_at = now()');
  const { of, findings } = await doctor();
  expect(of('postgres rights').map(({ level, found }) => [level, found])).toEqual([
    ['fail', 'entity_search_api lacks rights: select companies.'],
    ['ok', expect.anything()],
    ['ok', expect.anything()],
    ['ok', expect.anything()],
  ]);
  expect(of('accounts and keys').map(({ found }) => found)).toEqual(['No active account has a key that works.']);
  await owner.query('update api_keys set revoked_at = null');
  expectRemedies(findings);
  await entitySearch(['migrate'], env);
  expect((await doctor()).of('postgres rights').map(({ level }) => level)).toEqual(['ok', 'ok', 'ok', 'ok']);
});

test("the indexer's role skips checks that it has no rights for, and runs all others", async () => {
  const { of } = await doctor({ DATABASE_URL: database.urlOf('indexer') });
  expect(of('postgres role')).toMatchObject([{ level: 'ok', found: expect.stringContaining('is not a superuser') }]);
  expect(of('accounts and keys')).toMatchObject([{ level: 'skipped' }]);
  expect(of('index of companies')).toMatchObject([{ level: 'ok' }]);
});

test('missing tables, and tables newer than the program, are reported', async () => {
  await owner.query(`insert into schema_migrations (name, run_on) values ('999-future', now())`);
  expect((await doctor()).of('postgres tables')).toMatchObject([
    { level: 'fail', found: expect.stringMatching(/999/) },
  ]);
  await owner.query(`update schema_migrations set name = '001-entities' where name = '000-baseline'`);
  expect((await doctor()).of('postgres tables')).toMatchObject([
    { level: 'fail', todo: expect.stringMatching(/^Create an empty database/) },
  ]);
  await owner.query(`update schema_migrations set name = '000-baseline' where name = '001-entities'`);
  await owner.query(`delete from schema_migrations where name = '999-future'`);
});

describe('with one engine down, the other is still checked', () => {
  // Long enough for the other engine on a busy machine.
  const quick = withCommandLimits({}, { doctorTimeoutMs: 4_000 });

  test.each(['refuse', 'hang'] as const)('Postgres: %s', async (fault) => {
    await using proxy = await startFaultProxy(database.ownerUrl);
    await proxy.set(fault);
    const { code, of, findings } = await doctor({ ...quick, DATABASE_URL: proxy.url });
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

test('a wrong password, an unreadable CA file and invalid settings are reported without being printed', async () => {
  const url = new URL(database.ownerUrl);
  url.password = 'pass-canary';
  const { out } = await entitySearch(['doctor'], {
    ...env,
    DATABASE_URL: url.href,
    ELASTICSEARCH_CA_FILE: '/nowhere/ca.crt',
    CURSOR_SECRET: 'short',
  });
  expect(out).toMatch(/Postgres refused the password/);
  expect(out).toMatch(/ELASTICSEARCH_CA_FILE: .nowhere.ca.crt cannot be used/);
  expect(out).toMatch(/CURSOR_SECRET: must be at least 16/);
  expect(out).not.toMatch(/canary/);
});
