import { isDeepStrictEqual } from 'node:util';
import { createTestAccount } from '../../../dev/lib/api-accounts.ts';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { forFile } from '../../support/for-file.ts';
import { setConnectedAccountStage } from '../../support/stages/account/connected.ts';
import { until } from '../../support/until.ts';

const stage = await forFile(setConnectedAccountStage());
await stage.pool.query(
  `insert into companies (id, name, slug, tags) values (1, 'Quartz Ledger', 'quartz-ledger', '{}')`,
);

/** Counts as they are stored, in their order; days are left out. */
async function counted(accountId: number): Promise<readonly string[]> {
  const { rows } = await stage.pool.query<{ endpoint: string; outcome: string; calls: string }>(
    'select endpoint, outcome, calls from account_calls where account_id = $1 order by endpoint, outcome',
    [accountId],
  );
  return rows.map(({ endpoint, outcome, calls }) => `${endpoint} ${outcome} ${calls}`);
}

/** Waits until they are these; they are written a second later. */
async function expectCounted(accountId: number, expected: readonly string[]): Promise<void> {
  await until(async () => isDeepStrictEqual(await counted(accountId), expected), `counting ${expected.join(', ')}`);
}

const today = () => new Date().toISOString().slice(0, 10);

test('every keyed request is counted by endpoint and outcome, answers by what they cost', async () => {
  const { accountId, key } = await createTestAccount(stage.pool, 'counted', 100);
  const ask = (path: string, init?: RequestInit) =>
    stage.ask(path, { ...init, headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } });
  const bulk = {
    operation: 'get',
    entity_type: 'companies',
    identifiers: Array.from({ length: 25 }, (_, at) => at + 1),
  };
  const statuses = [
    await ask('/api/v1/companies/1'),
    await ask('/api/v1/companies/quartz-ledger'),
    await ask('/api/v1/companies/2'),
    await ask('/api/v1/bulk', { method: 'POST', body: JSON.stringify(bulk) }),
    await ask('/api/v1/bulk', { method: 'POST', body: 'no json' }),
    await ask('/api/v1/search?type=planets'),
    await ask('/api/v1/search?type=all'),
    await ask('/api/v1/suggest?q=a'),
    await ask('/api/v1/usage'),
    await ask('/api/v1/nowhere'),
  ].map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 404, 200, 400, 400, 500, 500, 200, 404]);
  const expected = [
    'bulk answered 3',
    'bulk malformed_body 1',
    'records answered 2',
    'records not_found 1',
    'search invalid_parameter 1',
    'search search_unavailable 1',
    'suggest search_unavailable 1',
    'usage answered 1',
  ];
  await expectCounted(accountId, expected);
  // Except for free calls, the sum equals the plan's count.
  const { rows } = await stage.pool.query('select used::int from account_months where account_id = $1', [accountId]);
  expect(rows).toEqual([{ used: 3 + 1 + 2 + 1 + 1 }]);
});

test('refusals are counted, except those of unknown keys', async () => {
  const { accountId, key } = await createTestAccount(stage.pool, 'refused', 1);
  const { key: inactive, accountId: inactiveId } = await createTestAccount(stage.pool, 'inactive', 1);
  await stage.pool.query("update plans set active = false where name = 'inactive'");
  const ask = (bearer: string) => stage.ask('/api/v1/companies/1', { headers: { authorization: `Bearer ${bearer}` } });
  const statuses = [];
  for (const each of [key, key, key, inactive, 'es_live_unknown']) statuses.push((await ask(each)).status);
  expect(statuses).toEqual([200, 429, 429, 403, 401]);
  await expectCounted(accountId, ['records answered 1', 'records rate_limited 2']);
  await expectCounted(inactiveId, ['records plan_inactive 1']);
  const { rows } = await stage.pool.query("select from account_calls where outcome = 'invalid_api_key'");
  expect(rows).toEqual([]);
});

test('searches from the page are counted separately', async () => {
  const alice = await stage.signIn('Alice');
  for (let at = 0; at < 3; at += 1) expect((await alice.get('records/companies/1')).status).toBe(200);
  expect((await alice.get('records/companies/2')).status).toBe(404);
  await expectCounted(alice.accountId, ['console answered 3', 'console not_found 1']);
});

test('the page shows the plan, what is used of it, and the counts of its own account', async () => {
  const bob = await stage.signIn('Bob');
  await stage.pool.query(
    `insert into account_calls select $1, (now() at time zone 'UTC')::date - n, 'search', 'answered', n + 1
     from generate_series(0, 89) as n`,
    [bob.accountId],
  );
  const { status, body } = await bob.get('usage?days=2');
  expect(status).toBe(200);
  expect(body.data).toMatchObject({
    plan: 'starter',
    limits: { calls_per_minute: 60, calls_per_month: 50_000 },
    used: { this_minute: 0, today: 0, this_month: 0 },
  });
  expect(body.data.calls.map(({ calls }: { calls: number }) => calls)).toEqual([2, 1]);
  expect(body.data.calls[1]).toEqual({ day: today(), endpoint: 'search', outcome: 'answered', calls: 1 });
  expect((await bob.get('usage')).body.data.calls).toHaveLength(90);
  expect((await bob.get('usage?days=91')).body.details).toEqual([expect.objectContaining({ path: 'days' })]);
  expect((await (await stage.signIn('Carol')).get('usage')).body.data.calls).toEqual([]);
});

test('the same is printed by a command', async () => {
  const run = (...args: readonly string[]) => entitySearch(args, { DATABASE_URL: stage.databaseUrl });
  expect(JSON.parse((await run('accounts', 'usage', 'Bob', '--days', '2', '--json')).out)).toEqual([
    expect.objectContaining({ endpoint: 'search', outcome: 'answered', calls: 2 }),
    { day: today(), endpoint: 'search', outcome: 'answered', calls: 1 },
  ]);
  expect(await run('accounts', 'usage', 'Nobody')).toMatchObject({ code: 1 });
});
