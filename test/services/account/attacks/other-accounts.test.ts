import { randomBytes } from 'node:crypto';
import { accountEndpoints } from '../../../../src/http/account/account-endpoints.ts';
import { refusalOf } from '../../../support/account/browser.ts';
import { signInWith } from '../../../support/account/wallets.ts';
import { forFile } from '../../../support/for-file.ts';
import { setMembersStage } from '../../../support/stages/account/members.ts';

// Every route with every id of another account: nothing is shown or changed, or reveals that the id exists.

const api = '/account/api/';
const endpoints = accountEndpoints
  .filter(({ path }) => path.startsWith(api))
  .map(({ method, path, gates }) => ({
    method: method.toUpperCase(),
    path: path.slice(api.length),
    forOperators: gates.includes('operator'),
    forMembers: gates.includes('session') && !gates.includes('operator'),
  }));
const withIds = endpoints.filter(({ path }) => path.includes('{id}'));

/** A well-formed body for each change, so that only its owner is a reason to refuse it. */
const bodies: Readonly<Record<string, object>> = {
  'keys/{id}/rotation': { overlap_hours: 1 },
  'keys/{id}/name': { name: 'another name' },
  'operator/accounts/{id}/suspension': { suspended: true },
  'operator/accounts/{id}/plan': { plan: 'starter' },
};

const tables = ['account_wallets', 'account_passkeys', 'account_sessions', 'api_keys', 'x402_payments'] as const;

const stage = await forFile(setMembersStage());
const { pool } = stage.access;
// So that no id of the one is an id of the other by chance.
for (const table of tables) await pool.query(`alter table ${table} alter column id restart with 1000`);
const victim = await stage.member();
await victim.client.post('keys', { name: 'the key of the victim', environment: 'live' });
await pool.query(
  `insert into account_passkeys (account_id, credential_id, public_key, sign_count, backed_up, name)
   values ($1, $2, $2, 0, false, 'the passkey of the victim')`,
  [victim.accountId, randomBytes(32)],
);
await pool.query(
  `insert into x402_payments (network, asset, pay_to, payer, nonce, amount, valid_before, status, request, request_hash,
     signature_hash, body, header, tx_hash, from_block, settled_at, delivered_at)
   values ('eip155:84532', '0x036cbd53842c5426634e7929541ec2318f3dcf7e', '0xbb', $1, '0x01', 10000, 1, 'settled',
     '{"q":"the search of the victim","type":"all","limit":10,"page":1}', repeat('a', 64), repeat('b', 64), '{}', 'h',
     '0x' || repeat('c', 64), 0, now(), now())`,
  [victim.wallet.address.toLowerCase()],
);
const ids = await Promise.all(tables.map((table) => pool.query<{ id: number }>(`select id from ${table}`)));
const idsOfVictim = [...new Set(ids.flatMap(({ rows }) => rows.map(({ id }) => Number(id))))];
for (const table of tables) await pool.query(`alter table ${table} alter column id restart with 5000`);
const attacker = await stage.member();

async function stateOfVictim(): Promise<unknown> {
  const { pool } = stage.access;
  const owned = await Promise.all(
    tables.map((table) =>
      pool.query(
        table === 'x402_payments'
          ? 'select * from x402_payments where payer = $1 order by id'
          : `select * from ${table} where account_id = $1 order by id`,
        [table === 'x402_payments' ? victim.wallet.address.toLowerCase() : victim.accountId],
      ),
    ),
  );
  const { rows } = await pool.query('select id, name, plan, active, role from accounts where id = $1', [
    victim.accountId,
  ]);
  return { rows, owned: owned.map((result) => result.rows) };
}

test('the test covers every route with an id, and has a valid request for each', () => {
  expect(withIds.map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      'wallets/{id}',
      'passkeys/{id}',
      'sessions/{id}',
      'keys/{id}',
      'keys/{id}/rotation',
      'keys/{id}/name',
    ]),
  );
  expect(withIds.map(({ path }) => path)).toContain('payments/{id}/receipt');
  const posts = withIds.filter(({ method }) => method === 'POST').map(({ path }) => path);
  expect(Object.keys(bodies).toSorted()).toEqual(posts.toSorted());
  expect(idsOfVictim.length).toBeGreaterThanOrEqual(1);
});

describe.each(withIds.filter(({ forMembers }) => forMembers))('$method $path', ({ method, path }) => {
  const ask = async (id: number | string) => {
    expect((await attacker.confirm()).status).toBe(200);
    const body = bodies[path];
    return attacker.client.request(method, path.replace('{id}', String(id)), body === undefined ? {} : { body });
  };

  test('of another account is answered like a missing one, and changes nothing', async () => {
    const before = await stateOfVictim();
    const missing = await ask(999_999_999);
    expect(missing.status).toBe(404);
    for (const id of idsOfVictim) {
      const answer = await ask(id);
      expect({ id, ...refusalOf(answer) }).toEqual({ id, ...refusalOf(missing) });
      expect(sentence(answer.body)).toBe(sentence(missing.body));
    }
    expect(await stateOfVictim()).toEqual(before);
  });

  test.each([
    '0',
    '-1',
    '1.5',
    '1e3',
    'x',
    '%00',
    '9223372036854775808',
    "1'--",
    '1;drop table accounts',
    ' 1',
    '%2e%2e',
  ])('refuses the id %j', async (id) => {
    const { status, text } = await ask(encodeURIComponent(id));
    expect([400, 404]).toContain(status);
    expect(text).not.toMatch(/syntax|postgres|column|bigint/i);
  });
});

function sentence(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'error' in body ? body.error : null;
}

test.each(endpoints.filter(({ forOperators }) => forOperators))(
  "an operator's $method $path is refused to members and visitors, without effect",
  async ({ method, path }) => {
    const before = await stateOfVictim();
    const at = path.replace('{id}', String(victim.accountId));
    const body = bodies[path];
    const options = body === undefined ? {} : { body };
    expect(refusalOf(await attacker.client.request(method, at, options))).toEqual({
      status: 403,
      code: 'operator_only',
    });
    expect(refusalOf(await stage.visitor().request(method, at, options))).toEqual({
      status: 401,
      code: 'not_signed_in',
    });
    expect(await stateOfVictim()).toEqual(before);
  },
);

test.each(endpoints.filter(({ method, forMembers, path }) => method === 'GET' && forMembers && !path.includes('{')))(
  '$method $path shows no data of another account',
  async ({ path }) => {
    const theirs = [
      victim.wallet.address.toLowerCase(),
      'of the victim',
      `0x${'c'.repeat(64)}`,
      ...idsOfVictim.map((id) => `"id":${id}`),
    ];
    for (const query of ['', '?limit=100', `?account=${victim.accountId}`, `?account_id=${victim.accountId}`]) {
      const { status, text } = await attacker.client.get(`${path}${query}`);
      expect([200, 400]).toContain(status);
      for (const secret of theirs) expect(text.toLowerCase()).not.toContain(secret);
    }
  },
);

test('no cursor leads to pages of other accounts', async () => {
  for (const path of ['payments', 'events']) {
    for (const before of [...idsOfVictim.map((id) => String(id + 1)), '999999999']) {
      const { status, text } = await attacker.client.get(`${path}?before=${before}`);
      expect([200, 400]).toContain(status);
      expect(text).not.toContain('of the victim');
      expect(text.toLowerCase()).not.toContain(victim.wallet.address.toLowerCase());
    }
  }
});

test('members see all of this in their own account, so the tests above do not pass on empty answers', async () => {
  const keys = await victim.client.get('keys');
  expect(keys.text).toContain('the key of the victim');
  expect((await victim.client.get('payments')).text).toContain('the search of the victim');
  const { text } = await victim.client.get('security');
  expect(text).toContain('the passkey of the victim');
  expect(text.toLowerCase()).toContain(victim.wallet.address.toLowerCase());
  const [payment] = (await victim.client.get('payments')).data.payments;
  expect((await victim.client.get(`payments/${payment?.id}/receipt`)).status).toBe(200);
});

test('a request cannot change a role', async () => {
  const fields = { role: 'operator', account_id: victim.accountId, account: { role: 'operator' }, active: true };
  await attacker.client.post('keys', { name: 'x', environment: 'live', ...fields });
  await attacker.client.post('sign-out', fields);
  await signInWith(attacker.client, attacker.wallet);
  expect(refusalOf(await attacker.client.get('operator/accounts'))).toEqual({ status: 403, code: 'operator_only' });
  const { rows } = await stage.access.pool.query(`select from accounts where role = 'operator'`);
  expect(rows).toEqual([]);
});
