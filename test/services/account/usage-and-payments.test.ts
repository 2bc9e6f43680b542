import { isDeepStrictEqual } from 'node:util';
import { localAsset } from '../../../dev/chain/network.ts';
import { createTestAccount } from '../../../dev/lib/api-accounts.ts';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { forFile } from '../../support/for-file.ts';
import { type Member, setConnectedAccountStage } from '../../support/stages/account/connected.ts';
import { until } from '../../support/until.ts';
import { testWithinADay } from '../../support/within-a-day.ts';

const stage = await forFile(setConnectedAccountStage());
await stage.pool.query(
  `insert into companies (id, name, slug, tags) values (1, 'Quartz Ledger', 'quartz-ledger', '{}')`,
);

/** Counts as they are stored, in their order, of all days together. */
async function counted(accountId: number): Promise<readonly string[]> {
  const { rows } = await stage.pool.query<{ endpoint: string; outcome: string; calls: string }>(
    `select endpoint, outcome, sum(calls) as calls from account_calls where account_id = $1
     group by endpoint, outcome order by endpoint, outcome`,
    [accountId],
  );
  return rows.map(({ endpoint, outcome, calls }) => `${endpoint} ${outcome} ${calls}`);
}

/** Waits until they are these; they are written a second later. */
async function expectCounted(accountId: number, expected: readonly string[]): Promise<void> {
  await until(async () => isDeepStrictEqual(await counted(accountId), expected), `counting ${expected.join(', ')}`);
}

test('every keyed request is counted by endpoint and outcome, with its cost', async () => {
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
  const { rows } = await stage.pool.query('select sum(used)::int as used from account_months where account_id = $1', [
    accountId,
  ]);
  expect(rows).toEqual([{ used: 3 + 1 + 2 + 1 + 1 }]);
});

test('refusals are counted, except for unknown keys', async () => {
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
  for (let at = 0; at < 3; at += 1) expect((await alice.get('search?type=companies')).status).toBe(500);
  expect((await alice.get('search?type=planets')).status).toBe(400);
  await expectCounted(alice.accountId, ['console invalid_parameter 1', 'console search_unavailable 3']);
});

/** Stores calls on each of the last ninety days: one today, two yesterday. */
async function storeCalls(accountId: number): Promise<void> {
  await stage.pool.query('delete from account_calls where account_id = $1', [accountId]);
  await stage.pool.query(
    `insert into account_calls select $1, (now() at time zone 'UTC')::date - n, 'search', 'answered', n + 1
     from generate_series(0, 89) as n`,
    [accountId],
  );
}

testWithinADay('the page shows the plan, its usage, and the counts of only this account', async (day) => {
  const bob = await stage.signIn('Bob');
  await storeCalls(bob.accountId);
  const { status, data } = await bob.get('usage?days=2');
  expect(status).toBe(200);
  expect(data).toMatchObject({
    plan: 'starter',
    limits: { calls_per_minute: 60, calls_per_month: 50_000 },
    used: { this_minute: 0, today: 0, this_month: 0 },
  });
  expect(data.calls.map(({ calls }) => calls)).toEqual([2, 1]);
  expect(data.calls[1]).toEqual({ day, endpoint: 'search', outcome: 'answered', calls: 1 });
  expect((await bob.get('usage')).data.calls).toHaveLength(90);
  expect((await bob.get('usage?days=91')).details).toEqual([expect.objectContaining({ path: 'days' })]);
  expect((await (await stage.signIn('Carol')).get('usage')).data.calls).toEqual([]);
});

testWithinADay('a command prints the same figures', async (day) => {
  await storeCalls((await stage.signIn('Bob')).accountId);
  const run = (...args: readonly string[]) => entitySearch(args, { DATABASE_URL: stage.databaseUrl });
  expect(JSON.parse((await run('accounts', 'usage', 'Bob', '--days', '2', '--json')).out)).toEqual([
    expect.objectContaining({ endpoint: 'search', outcome: 'answered', calls: 2 }),
    { day, endpoint: 'search', outcome: 'answered', calls: 1 },
  ]);
  expect(await run('accounts', 'usage', 'Nobody')).toMatchObject({ code: 1 });
});

const wallet = (digit: string): string => `0x${digit.repeat(40)}`;
const transaction = `0x${'ab'.repeat(32)}`;
const payTo = wallet('9');

let nonces = 0;

const alice = await stage.signIn('Alice');
await addWallets(alice, wallet('a'), wallet('b'));
/** Ids of payments, in their order. */
const ids = [await pay(wallet('a'), {}), await pay(wallet('b'), { status: 'released' }), await pay(wallet('a'), {})];

async function addWallets({ accountId }: Member, ...addresses: readonly string[]): Promise<void> {
  await stage.pool.query('insert into account_wallets (account_id, address) select $1, unnest($2::text[])', [
    accountId,
    addresses,
  ]);
}

async function pay(payer: string, { status = 'settled' }: { readonly status?: string }): Promise<number> {
  nonces += 1;
  const settled = status === 'settled';
  return Number(
    await readValue<string>(
      stage.pool,
      `insert into x402_payments (network, asset, pay_to, payer, nonce, amount, valid_before, status, request, request_hash,
       signature_hash, from_block, header, tx_hash, settled_at, delivered_at, final)
     values ($1, lower($2), $3, $4, $5, 10000, 2000000000, $6, $7, $8, $8, 0, 'header', $9, $10, $10, $11) returning id`,
      [
        localAsset.network,
        localAsset.address,
        payTo,
        payer,
        `0x${String(nonces).padStart(64, '0')}`,
        status,
        JSON.stringify({ q: 'zk rollups', type: 'all', limit: 10, page: 1 }),
        String(nonces).padStart(64, '0'),
        settled ? transaction : null,
        settled ? new Date('2026-01-31T12:00:02Z') : null,
        settled,
      ],
    ),
  );
}

test('the payments of all wallets of the account are listed, the newest first', async () => {
  const { status, data } = await alice.get('payments');
  expect(status).toBe(200);
  expect(data.payments.map(({ id }) => id)).toEqual(ids.toReversed());
  expect(data.next).toBeNull();
  expect(data.payments[0]).toEqual({
    id: ids[2],
    status: 'settled',
    network: 'eip155:84532',
    payer: wallet('a'),
    amount: '10000',
    amount_usd: '0.01',
    asset_symbol: 'USDC',
    network_title: 'Base Sepolia',
    transaction,
    transaction_url: `https://sepolia.basescan.org/tx/${transaction}`,
    final: true,
    created_at: expect.any(String),
    settled_at: '2026-01-31T12:00:02.000Z',
    delivered_at: '2026-01-31T12:00:02.000Z',
    request: { q: 'zk rollups', type: 'all', limit: 10, page: 1 },
  });
  expect(data.payments[1]).toMatchObject({ status: 'released', transaction: null, transaction_url: null });
});

test('pages follow each other without gaps or duplicates', async () => {
  const first = (await alice.get('payments?limit=2')).data;
  expect(first.next).toBe(ids[1]);
  const second = (await alice.get(`payments?limit=2&before=${first.next}`)).data;
  expect([...first.payments, ...second.payments].map(({ id }) => id)).toEqual(ids.toReversed());
  expect(second.next).toBeNull();
  for (const wrong of ['limit=0', 'limit=101', 'before=0', 'before=x', 'payer=0x']) {
    expect((await alice.get(`payments?${wrong}`)).status).toBe(400);
  }
});

test('a receipt is a file for bookkeeping', async () => {
  const { status, headers, body } = await alice.get(`payments/${ids[0]}/receipt`);
  expect(status).toBe(200);
  expect(headers.get('content-disposition')).toBe(`attachment; filename="receipt-${ids[0]}.json"`);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(body).toMatchObject({
    payment: ids[0],
    amount_usd: '0.01',
    token: { symbol: 'USDC', address: localAsset.address, decimals: 6 },
    network: { name: 'eip155:84532', title: 'Base Sepolia', chain_id: 84_532, testnet: true },
    from: wallet('a'),
    transaction_url: `https://sepolia.basescan.org/tx/${transaction}`,
    final: true,
    request: { q: 'zk rollups', type: 'all', limit: 10, page: 1 },
  });
  expect((await alice.get(`payments/${ids[1]}/receipt`)).status).toBe(404);
});

test('payments of a removed wallet are not listed', async () => {
  const dave = await stage.signIn('Dave');
  await addWallets(dave, wallet('e'));
  const id = await pay(wallet('e'), {});
  expect((await dave.get(`payments/${id}/receipt`)).status).toBe(200);
  expect((await dave.get('payments')).data.payments).toHaveLength(1);
  await stage.pool.query('delete from account_wallets where address = $1', [wallet('e')]);
  expect((await dave.get('payments')).data.payments).toEqual([]);
});
