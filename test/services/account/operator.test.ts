import { localAsset } from '../../../dev/chain/network.ts';
import { createTestKey } from '../../../dev/lib/api-accounts.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { forFile } from '../../support/for-file.ts';
import { setConnectedAccountStage } from '../../support/stages/account/connected.ts';
import { until } from '../../support/until.ts';

const stage = await forFile(setConnectedAccountStage());
const operator = await stage.signIn('Operations', { role: 'operator' });
const alice = await stage.signIn('Alice');

const statusOf = async (key: string) =>
  (await stage.ask('/api/v1/usage', { headers: { authorization: `Bearer ${key}` } })).status;

/** The actions in an account other than signing in, oldest first. */
async function events(accountId: number): Promise<readonly object[]> {
  const { rows } = await stage.pool.query(
    `select action, actor, detail, ip from account_events where account_id = $1 and action <> 'signed_in' order by id`,
    [accountId],
  );
  return rows;
}

test('accounts are listed in pages, and found by part of the name or by a wallet', async () => {
  const { rows } = await stage.pool.query<{ id: string }>(
    `insert into accounts (name, plan) select 'Filler ' || n, 'starter' from generate_series(1, 60) as n returning id`,
  );
  const address = `0x${'ab'.repeat(20)}`;
  await stage.pool.query('insert into account_wallets (account_id, address) values ($1, $2)', [rows[7]?.id, address]);
  await createTestKey(stage.pool, 'Alice');
  const first = (await operator.get('operator/accounts')).data;
  expect(first.accounts).toHaveLength(50);
  const second = (await operator.get(`operator/accounts?after=${first.next}`)).data;
  expect(second.next).toBeNull();
  const names = [...first.accounts, ...second.accounts].map(({ name }) => name);
  expect(new Set(names).size).toBe(62);
  const found = async (query: string) =>
    (await operator.get(`operator/accounts?${new URLSearchParams({ query })}`)).data.accounts;
  expect(await found('aLiC')).toEqual([
    {
      id: alice.accountId,
      name: 'Alice',
      plan: 'starter',
      role: 'member',
      active: true,
      live_keys: 1,
      used_this_month: 0,
      created_at: expect.any(String),
    },
  ]);
  expect(await found(address.toUpperCase().replace('0X', '0x'))).toMatchObject([{ name: 'Filler 8' }]);
  // Nothing in it is a pattern.
  expect(await found('%')).toEqual([]);
});

test('an account is shown with its keys and usage', async () => {
  await stage.pool.query(
    `insert into account_calls values ($1, (now() at time zone 'UTC')::date, 'search', 'answered', 5),
       ($1, (now() at time zone 'UTC')::date, 'search', 'not_found', 2)`,
    [alice.accountId],
  );
  const { data } = await operator.get(`operator/accounts/${alice.accountId}`);
  expect(data).toMatchObject({
    account: { name: 'Alice' },
    keys: [{ environment: 'test', state: 'live' }],
    calls: [
      { endpoint: 'search', outcome: 'answered', calls: 5 },
      { endpoint: 'search', outcome: 'not_found', calls: 2 },
    ],
  });
  expect((await operator.get('operator/accounts/999999')).status).toBe(404);
});

test('a suspended account is refused, its keys within five seconds, until it is reinstated', async () => {
  const bob = await stage.signIn('Bob');
  const key = await createTestKey(stage.pool, 'Bob');
  expect([await statusOf(key), (await bob.get('keys')).status]).toEqual([200, 200]);
  const suspend = (suspended: boolean) => operator.post(`operator/accounts/${bob.accountId}/suspension`, { suspended });
  expect((await suspend(true)).data).toMatchObject({ name: 'Bob', active: false });
  expect((await bob.get('keys')).code).toBe('account_suspended');
  await until(async () => (await statusOf(key)) === 403, 'the refusal of the key');
  // Twice is once.
  await suspend(true);
  await suspend(false);
  expect((await bob.get('keys')).status).toBe(200);
  const actor = `operator Operations (session ${operator.sessionId})`;
  expect(await events(bob.accountId)).toEqual([
    { action: 'suspended', actor, detail: {}, ip: null },
    { action: 'reinstated', actor, detail: {}, ip: null },
  ]);
  expect(await events(operator.accountId)).toContainEqual({
    action: 'operator_changed_account',
    actor,
    detail: { account_id: bob.accountId, change: 'suspended' },
    ip: '127.0.0.1',
  });
});

test('operators cannot suspend themselves', async () => {
  const answer = await operator.post(`operator/accounts/${operator.accountId}/suspension`, { suspended: true });
  expect([answer.status, answer.details]).toEqual([400, [expect.objectContaining({ path: 'id' })]]);
  expect((await operator.get('operator/accounts')).status).toBe(200);
});

test('a plan can be changed only to an active one', async () => {
  await stage.pool.query(`insert into plans (name, active) values ('retired', false)`);
  const change = (plan: string) => operator.post(`operator/accounts/${alice.accountId}/plan`, { plan });
  expect((await change('growth')).data).toMatchObject({ name: 'Alice', plan: 'growth' });
  await change('growth');
  for (const plan of ['retired', 'absent', '', "x'; drop table plans"]) {
    expect((await change(plan)).details).toEqual([expect.objectContaining({ path: 'plan' })]);
  }
  expect(await events(alice.accountId)).toEqual([
    expect.objectContaining({ action: 'plan_changed', detail: { before: 'starter', after: 'growth' } }),
  ]);
  const { plans } = (await operator.get(`operator/accounts/${alice.accountId}`)).data;
  expect(plans).toContainEqual({ name: 'growth', calls_per_minute: 300, calls_per_month: 500_000, active: true });
});

test("any account's key can be revoked, with the operator in its audit log and no IP address", async () => {
  const key = await createTestKey(stage.pool, 'Alice');
  const id = Number(await readValue<string>(stage.pool, 'select max(id) as id from api_keys'));
  expect((await operator.delete(`operator/keys/${id}`)).data).toMatchObject({ id, state: 'revoked' });
  expect(await statusOf(key)).toBe(401);
  const audit = await stage.pool.query(
    'select action, actor, detail from api_key_audit where key_id = $1 order by id',
    [id],
  );
  expect(audit.rows.at(-1)).toEqual({
    action: 'revoked',
    actor: `operator Operations (session ${operator.sessionId})`,
    detail: {},
  });
  expect((await operator.delete('operator/keys/999999')).status).toBe(404);
});

test('the state of the indices is shown, and without Elasticsearch as far as Postgres knows it', async () => {
  expect((await operator.get('operator/index')).data).toEqual({ generations: [] });
  await stage.pool.query(
    `insert into search_generations (kind, number, index_name, hash, definition, document_sql, state, position)
     values ('companies', 1, 'companies-0a-1', '0a', '{}', '', 'live', pg_current_snapshot()),
            ('people', 1, 'people-0a-1', '0a', '{}', '', 'loading', null)`,
  );
  await stage.pool.query(
    `insert into search_dead_letters (generation_id, id, reason)
     select g.id, n, 'rejected' from search_generations g, generate_series(1, 120) as n where g.kind = 'companies'`,
  );
  await stage.pool.query(
    `insert into search_verifications (kind, generation, outcome, rows, differences, deep)
     values ('companies', 'companies-0a-1', 'different', 40, 2, false)`,
  );
  expect((await operator.get('operator/index')).data.generations).toEqual([
    expect.objectContaining({
      kind: 'companies',
      index: 'companies-0a-1',
      state: 'live',
      searched: true,
      documents: null,
      pending: 0,
      lag_seconds: 0,
      dead_letters: 120,
      verification: { at: expect.any(String), outcome: 'different', differences: 2 },
    }),
    expect.objectContaining({
      kind: 'people',
      state: 'loading',
      searched: false,
      pending: null,
      lag_seconds: null,
      dead_letters: 0,
      verification: null,
    }),
  ]);
});

test('the ledger is shown by state, with how far it is audited', async () => {
  expect((await operator.get('operator/payments')).data).toEqual({ by_status: [], audit: null });
  await stage.pool.query(
    `insert into x402_payments (network, asset, pay_to, payer, nonce, amount, valid_before, status, request, request_hash,
       signature_hash, from_block, header, tx_hash, settled_at)
     select $1, lower($2), '0xbb', '0xcc', '0x' || n, 10000, 1, case when n > 3 then 'released' else 'settled' end,
       '{}', lpad(n::text, 64, '0'), repeat('b', 64), 0, 'h', '0x' || n, case when n <= 3 then now() end
     from generate_series(1, 5) as n`,
    [localAsset.network, localAsset.address],
  );
  await stage.pool.query(
    `insert into x402_recipients (network, asset, pay_to, finished_at)
     values ('n', 'a', 'p', '2026-01-31T12:00:00Z'), ('n', 'a', 'q', '2026-02-01T12:00:00Z')`,
  );
  expect((await operator.get('operator/payments')).data).toEqual({
    by_status: [
      { status: 'released', count: 2, amount_usd: '0.02' },
      { status: 'settled', count: 3, amount_usd: '0.03' },
    ],
    audit: { finished_at: '2026-01-31T12:00:00.000Z', recipients: 2, open_findings: 0 },
  });
  await stage.pool.query('update x402_recipients set finished_at = null where pay_to = $1', ['q']);
  expect((await operator.get('operator/payments')).data.audit.finished_at).toBeNull();
});
