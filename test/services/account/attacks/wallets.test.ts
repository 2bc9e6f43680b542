import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  type AccountProcessStage,
  dataOf,
  refusalOf,
  setAccountProcessStage,
  signChallenge,
} from '../../../support/stages/account/process.ts';

// An attacker who has a signature of a wallet, or can make its owner sign something, must not get into its account.

let stage: AccountProcessStage;

beforeAll(async () => {
  stage = await setAccountProcessStage();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

const newWallet = () => privateKeyToAccount(generatePrivateKey());
const failed = { status: 401, code: 'sign_in_failed' };

async function sessionsOf(address: string): Promise<number> {
  const { rows } = await stage.access.pool.query<{ n: number }>(
    `select count(*)::int as n from account_sessions s join account_wallets w using (account_id) where w.address = $1`,
    [address.toLowerCase()],
  );
  return rows[0]?.n ?? 0;
}

test('a signed message works once, also for who signed it', async () => {
  const client = stage.visitor();
  const signed = await signChallenge(client, newWallet(), 'sign-in');
  expect((await client.post('sign-in/wallet', signed)).status).toBe(200);
  expect(refusalOf(await client.post('sign-in/wallet', signed))).toEqual(failed);
});

test('a signed message is of no use to another browser, with or without a challenge of its own', async () => {
  const wallet = newWallet();
  const signed = await signChallenge(stage.visitor(), wallet, 'sign-in');
  const thief = stage.visitor();
  expect(refusalOf(await thief.post('sign-in/wallet', signed))).toEqual(failed);
  await signChallenge(thief, newWallet(), 'sign-in');
  expect(refusalOf(await thief.post('sign-in/wallet', signed))).toEqual(failed);
  expect(await sessionsOf(wallet.address)).toBe(0);
});

test.each<[string, (message: string) => string]>([
  ['another domain', (message) => message.replace(/^\S+/, 'evil.example')],
  ['another URI', (message) => message.replace(/^URI: .*$/m, 'URI: https://evil.example/')],
  ['another chain', (message) => message.replace(/^Chain ID: .*$/m, 'Chain ID: 1')],
  ['another nonce', (message) => message.replace(/^Nonce: .*$/m, 'Nonce: aaaaaaaaaaaaaaaaaaaaaaaa')],
  ['a later end', (message) => message.replace(/^Expiration Time: .*$/m, 'Expiration Time: 2999-01-01T00:00:00.000Z')],
  ['an earlier beginning', (message) => message.replace(/^Issued At: .*$/m, 'Issued At: 2020-01-01T00:00:00.000Z')],
  ['a line more', (message) => `${message}\nResources:\n- https://evil.example/`],
  ['another statement', (message) => message.replace(/\n\n.+\n\nURI/, '\n\nSend me your money.\n\nURI')],
  ['nothing of ours', () => 'I agree.'],
])('a message with %s is refused though the wallet has signed it', async (_, change) => {
  const client = stage.visitor();
  const wallet = newWallet();
  const { message } = await signChallenge(client, wallet, 'sign-in');
  const changed = change(message);
  expect(changed).not.toBe(message);
  const signature = await wallet.signMessage({ message: changed });
  expect(refusalOf(await client.post('sign-in/wallet', { message: changed, signature }))).toEqual(failed);
  expect(await sessionsOf(wallet.address)).toBe(0);
});

test("a message with the victim's address, signed by the attacker, is refused, and so is the reverse", async () => {
  const victim = await stage.member();
  const attacker = newWallet();
  const client = stage.visitor();
  const { message } = dataOf<{ message: string }>(
    await client.post('wallets/challenge', { address: victim.wallet.address, purpose: 'sign-in' }),
  );
  const signature = await attacker.signMessage({ message });
  expect(refusalOf(await client.post('sign-in/wallet', { message, signature }))).toEqual(failed);
  const own = await signChallenge(client, attacker, 'sign-in');
  const swapped = own.message.replace(attacker.address, victim.wallet.address);
  const swappedSignature = await attacker.signMessage({ message: swapped });
  expect(refusalOf(await client.post('sign-in/wallet', { message: swapped, signature: swappedSignature }))).toEqual(
    failed,
  );
  expect(await sessionsOf(victim.wallet.address)).toBe(1);
});

test('an expired message is refused', async () => {
  const origin = await stage.startApi({}, { console: { challenges: { validMs: 1 } } });
  const client = stage.visitor(origin);
  expect(refusalOf(await client.post('sign-in/wallet', await signChallenge(client, newWallet(), 'sign-in')))).toEqual(
    failed,
  );
});

test('a message of one address of the service is refused at another', async () => {
  const other = await stage.startApi();
  const client = stage.visitor();
  const signed = await signChallenge(client, newWallet(), 'sign-in');
  const elsewhere = stage.visitor(other);
  // The browser's cookie is sent to every port of a host.
  for (const [name, value] of client.cookies) elsewhere.cookies.set(name, value);
  expect(refusalOf(await elsewhere.post('sign-in/wallet', signed))).toEqual(failed);
});

describe('a signature for one purpose', () => {
  test.each(['confirm', 'add'] as const)('to %s does not sign in', async (purpose) => {
    const { client, wallet } = await stage.member();
    const signed = await signChallenge(client, wallet, purpose);
    expect(refusalOf(await client.post('sign-in/wallet', signed))).toEqual(failed);
  });

  test('to sign in neither confirms nor adds', async () => {
    const member = await stage.member();
    const signed = await signChallenge(member.client, member.wallet, 'sign-in');
    const confirmation = await member.client.post('session/confirmation', { wallet: signed });
    expect(refusalOf(confirmation)).toEqual(failed);
    await member.confirm();
    const forAnother = await signChallenge(member.client, newWallet(), 'sign-in');
    expect(refusalOf(await member.client.post('wallets', forAnother))).toEqual(failed);
  });

  test('to accept an invitation does not sign in', async () => {
    const client = stage.visitor();
    const { wallet } = await stage.member();
    const signed = await signChallenge(client, wallet, 'invitation');
    expect(refusalOf(await client.post('sign-in/wallet', signed))).toEqual(failed);
  });

  test('to confirm does not add, and to add does not confirm', async () => {
    const member = await stage.member();
    const { client, wallet } = member;
    const toAdd = await signChallenge(client, wallet, 'add');
    expect(refusalOf(await client.post('session/confirmation', { wallet: toAdd }))).toEqual(failed);
    await member.confirm();
    const toConfirm = await signChallenge(client, newWallet(), 'confirm');
    expect(refusalOf(await client.post('wallets', toConfirm))).toEqual(failed);
  });

  test('for one account does not change another that has signed in to the same browser since', async () => {
    const { client } = await stage.member();
    const signed = await signChallenge(client, newWallet(), 'add');
    const other = newWallet();
    await client.signIn(other);
    await client.post('session/confirmation', { wallet: await signChallenge(client, other, 'confirm') });
    expect(refusalOf(await client.post('wallets', signed))).toEqual(failed);
  });

  test("by a stranger's wallet does not confirm", async () => {
    const { client } = await stage.member();
    const signed = await signChallenge(client, newWallet(), 'confirm');
    expect(refusalOf(await client.post('session/confirmation', { wallet: signed }))).toEqual(failed);
  });
});

test('of many sign-ins that race with one message exactly one wins', async () => {
  const client = stage.visitor();
  const wallet = newWallet();
  const signed = await signChallenge(client, wallet, 'sign-in');
  const cookies = new Map(client.cookies);
  const racers = Array.from({ length: 8 }, () => {
    const racer = stage.visitor();
    for (const [name, value] of cookies) racer.cookies.set(name, value);
    return racer.post('sign-in/wallet', signed);
  });
  const statuses = (await Promise.all(racers)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 401)]);
  expect(await sessionsOf(wallet.address)).toBe(1);
});

test('of many browsers that open an account with one wallet at once, all get the same one', async () => {
  const wallet = newWallet();
  const clients = Array.from({ length: 6 }, () => stage.visitor());
  const answers = await Promise.all(clients.map((client) => client.signIn(wallet)));
  const ids = answers.map((answer) => dataOf<{ account: { id: number } }>(answer).account.id);
  expect(new Set(ids).size).toBe(1);
});

test('a malformed signature is refused like a wrong one', async () => {
  const client = stage.visitor();
  const signatures = ['0x', '0x00', `0x${'0'.repeat(130)}`, `0x${'f'.repeat(130)}`, `0x${'11'.repeat(66)}`];
  for (const signature of signatures) {
    const { message } = await signChallenge(client, newWallet(), 'sign-in');
    const { status } = refusalOf(await client.post('sign-in/wallet', { message, signature }));
    expect([400, 401]).toContain(status);
  }
});

test('without permission to sign up, a wallet without an account gets none, and one with an account gets in', async () => {
  const { wallet } = await stage.member();
  for (const mode of ['closed', 'invited']) {
    const origin = await stage.startApi({ SIGN_UP: mode });
    const client = stage.visitor(origin);
    const stranger = newWallet();
    expect(refusalOf(await client.post('sign-in/wallet', await signChallenge(client, stranger, 'sign-in')))).toEqual({
      status: 403,
      code: 'sign_up_closed',
    });
    await client.signIn(wallet);
  }
});

test('accounts that one address opens are throttled; wallets that have one still get in', async () => {
  const origin = await stage.startApi(
    { TRUST_PROXY: '1' },
    { console: { attempts: { perMinute: 1_000, newAccountsPerHour: 2 } } },
  );
  const open = async (ip: string) => {
    const client = stage.visitor(origin);
    const headers = { 'x-forwarded-for': ip };
    const wallet = newWallet();
    const body = { address: wallet.address, purpose: 'sign-in' };
    const { message } = dataOf<{ message: string }>(
      await client.request('POST', 'wallets/challenge', { body, headers }),
    );
    const signature = await wallet.signMessage({ message });
    return client.request('POST', 'sign-in/wallet', { body: { message, signature }, headers });
  };
  const first = [await open('203.0.113.1'), await open('203.0.113.1')];
  expect(first.map(({ status }) => status)).toEqual([200, 200]);
  const third = await open('203.0.113.1');
  expect(refusalOf(third)).toEqual({ status: 429, code: 'rate_limited' });
  expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await open('203.0.113.2')).status).toBe(200);
});

test('tries to sign in are throttled by address', async () => {
  const origin = await stage.startApi({ TRUST_PROXY: '1' }, { console: { attempts: { perMinute: 5 } } });
  const client = stage.visitor(origin);
  const attempt = async (ip: string) => {
    const body = { message: 'x', signature: '0x11' };
    return refusalOf(await client.request('POST', 'sign-in/wallet', { body, headers: { 'x-forwarded-for': ip } }));
  };
  const answers = [];
  for (let n = 0; n < 8; n += 1) answers.push((await attempt('203.0.113.7')).status);
  expect(answers.at(-1)).toBe(429);
  expect((await attempt('203.0.113.8')).status).not.toBe(429);
});
