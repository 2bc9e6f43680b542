import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { AccountClient } from '../../../../dev/lib/account-client.ts';
import { entitySearch } from '../../../../dev/lib/command-line.ts';
import {
  type AccountProcessStage,
  dataOf,
  refusalOf,
  setAccountProcessStage,
  signChallenge,
} from '../../../support/stages/account/process.ts';

let stage: AccountProcessStage;

beforeAll(async () => {
  stage = await setAccountProcessStage();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

const invalid = { status: 404, code: 'invitation_invalid' };
const newToken = (): string => randomBytes(32).toString('base64url');
const newWallet = () => privateKeyToAccount(generatePrivateKey());

/** An invitation as an operator makes it: its token. */
async function invite(name: string): Promise<string> {
  const { code, out, err } = await entitySearch(['accounts', 'invite', name, '--plan', 'starter'], {
    DATABASE_URL: stage.access.databaseUrl,
    PUBLIC_URL: stage.origin,
  });
  if (code !== 0) throw new Error(err);
  const [, token] = /#([\w-]{43})/.exec(out) ?? [];
  if (token === undefined) throw new Error(`No token in: ${out}`);
  return token;
}

async function accept(client: AccountClient, token: string, wallet = newWallet()) {
  return client.post('invitations/accept', { token, wallet: await signChallenge(client, wallet, 'invitation') });
}

test('unknown, used and expired invitations are refused alike, to the byte', async () => {
  const used = await invite('Used');
  expect((await accept(stage.visitor(), used)).status).toBe(200);
  const expired = await invite('Expired');
  await stage.access.pool.query(
    `update account_invitations set expires_at = now() - interval '1 s'
     where account_id = (select id from accounts where name = 'Expired')`,
  );
  const client = stage.visitor();
  const answers = [];
  for (const token of [newToken(), used, expired]) {
    const read = await client.post('invitations/read', { token });
    expect(refusalOf(read)).toEqual(invalid);
    const accepted = await accept(client, token);
    expect(refusalOf(accepted)).toEqual(invalid);
    answers.push(...[read, accepted].map(({ body }) => body));
  }
  const said = answers.map((body) =>
    Object.entries(body as Record<string, unknown>).filter(([name]) => name !== 'meta'),
  );
  expect(new Set(said.map((entries) => JSON.stringify(entries))).size).toBe(1);
});

test('an invitation that is accepted by many at once makes one member', async () => {
  const token = await invite('Raced');
  const clients = Array.from({ length: 6 }, () => stage.visitor());
  const answers = await Promise.all(clients.map((client) => accept(client, token)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const answer of answers.filter(({ status }) => status !== 200)) expect(refusalOf(answer)).toEqual(invalid);
  const { rows } = await stage.access.pool.query<{ n: number }>(
    `select count(*)::int as n from account_wallets w join accounts a on a.id = w.account_id where a.name = 'Raced'`,
  );
  expect(rows).toEqual([{ n: 1 }]);
});

test('an invitation whose signature is wrong is not used up', async () => {
  const token = await invite('Patient');
  const client = stage.visitor();
  const { message } = await signChallenge(client, newWallet(), 'invitation');
  const wrong = await newWallet().signMessage({ message });
  const refused = await client.post('invitations/accept', { token, wallet: { message, signature: wrong } });
  expect(refusalOf(refused)).toEqual({ status: 401, code: 'sign_in_failed' });
  expect((await accept(client, token)).status).toBe(200);
});

test("a wallet of one account cannot be taken into another by an invitation, which isn't used up", async () => {
  const { wallet } = await stage.member();
  const token = await invite('Second');
  expect(refusalOf(await accept(stage.visitor(), token, wallet))).toEqual({ status: 409, code: 'already_registered' });
  expect((await accept(stage.visitor(), token)).status).toBe(200);
});

test('the token is stored nowhere: not in the database, not in the log', async () => {
  const token = await invite('Secret');
  await stage.visitor().post('invitations/read', { token });
  const { rows } = await stage.access.pool.query<{ text: string }>(
    `select row_to_json(i)::text as text from account_invitations i
     union all select row_to_json(e)::text from account_events e`,
  );
  expect(rows.filter(({ text }) => text.includes(token))).toEqual([]);
});

test('guessing is throttled by address, for good tokens as for bad', async () => {
  const token = await invite('Guessed');
  const origin = await stage.startApi({ TRUST_PROXY: '1' }, { console: { attempts: { perMinute: 10 } } });
  const client = stage.visitor(origin);
  const read = async (guess: string, ip: string) =>
    client.request('POST', 'invitations/read', { body: { token: guess }, headers: { 'x-forwarded-for': ip } });
  const statuses: number[] = [];
  for (let n = 0; n < 15; n += 1) statuses.push((await read(newToken(), '203.0.113.1')).status);
  expect(statuses[0]).toBe(404);
  expect(statuses.at(-1)).toBe(429);
  const limited = await read(token, '203.0.113.1');
  expect(refusalOf(limited)).toEqual({ status: 429, code: 'rate_limited' });
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(dataOf<{ account: string }>(await read(token, '203.0.113.2')).account).toBe('Guessed');
});

test('where signing up is closed, a good invitation is refused', async () => {
  const token = await invite('Closed');
  const origin = await stage.startApi({ SIGN_UP: 'closed' });
  expect(refusalOf(await accept(stage.visitor(origin), token))).toEqual({ status: 403, code: 'sign_up_closed' });
});

test.each(['', 'x', 'x'.repeat(44), `${'x'.repeat(42)}=`, '../../../..', `${'x'.repeat(42)}\u0000`])(
  'the token %j is refused without a look into the database',
  async (token) => {
    const answer = await stage.visitor().post('invitations/read', { token });
    expect([400, 404]).toContain(answer.status);
  },
);
