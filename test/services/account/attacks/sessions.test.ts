import { randomBytes } from 'node:crypto';
import type { AccountAnswer } from '../../../../dev/lib/account-client.ts';
import { accountEndpoints } from '../../../../src/http/account/account-endpoints.ts';
import { forFile } from '../../../support/for-file.ts';
import { dataOf, refusalOf, type SignedIn, setAccountProcessStage } from '../../../support/stages/account/process.ts';

const stage = await forFile(setAccountProcessStage());

const session = 'entity_search_session';
const newToken = (): string => randomBytes(32).toString('base64url');
const notSignedIn = { status: 401, code: 'not_signed_in' };

const cookieLines = ({ headers }: AccountAnswer, name: string): readonly string[] =>
  headers.getSetCookie().filter((line) => line.startsWith(`${name}=`) || line.startsWith(`__Host-${name}=`));

describe('fixation', () => {
  test('a session cookie planted before signing in is not the one afterwards, and opens nothing', async () => {
    const { client, wallet } = await stage.member();
    const planted = newToken();
    client.cookies.set(session, planted);
    await client.signIn(wallet);
    expect(client.cookies.get(session)).not.toBe(planted);
    const attacker = stage.visitor();
    attacker.cookies.set(session, planted);
    expect(refusalOf(await attacker.get('keys'))).toEqual(notSignedIn);
  });

  test("the attacker's own session, planted, is not the victim's after signing in", async () => {
    const attacker = await stage.member();
    const victim = await stage.member();
    const planted = attacker.client.cookies.get(session) ?? '';
    victim.client.cookies.set(session, planted);
    await victim.client.signIn(victim.wallet);
    expect(victim.client.cookies.get(session)).not.toBe(planted);
    const seen = dataOf<SignedIn>(await attacker.client.get('session'));
    expect(seen.account?.id).not.toBe(victim.accountId);
  });
});

describe('cookies', () => {
  test('over https, behind a proxy: Secure, with the prefix __Host-, and those without it open nothing', async () => {
    const origin = await stage.startApi({ PUBLIC_URL: 'https://search.example.com' });
    const client = stage.visitor(origin);
    const headers = { origin: 'https://search.example.com' };
    const { wallet } = await stage.member();
    const body = { address: wallet.address, purpose: 'sign-in' };
    const challenge = await client.request('POST', 'wallets/challenge', { body, headers });
    const { message } = dataOf<{ message: string }>(challenge);
    expect(message).toMatch(/^search\.example\.com wants you to sign in/);
    const signature = await wallet.signMessage({ message });
    const answer = await client.request('POST', 'sign-in/wallet', { body: { message, signature }, headers });
    const [line = ''] = cookieLines(answer, session);
    expect(line).toMatch(/^__Host-entity_search_session=/);
    for (const attribute of ['; secure', '; httponly', '; samesite=strict', '; path=/']) {
      expect(line.toLowerCase()).toContain(attribute);
    }
    expect((await client.get('keys')).status).toBe(200);
    const planted = stage.visitor(origin);
    planted.cookies.set(session, client.cookies.get(`__Host-${session}`) ?? '');
    expect(refusalOf(await planted.get('keys'))).toEqual(notSignedIn);
  });

  test.each<[string, (token: string) => string]>([
    ['two session cookies, a bad one first', (token) => `${session}=${newToken()}; ${session}=${token}`],
    ['two session cookies, a bad one last', (token) => `${session}=${token}; ${session}=${newToken()}`],
  ])('%s: never more than one session is believed, and nothing breaks', async (_, cookie) => {
    const { client } = await stage.member();
    const { status } = await client.request('GET', 'keys', {
      headers: { cookie: cookie(client.cookies.get(session) ?? '') },
    });
    expect([200, 401]).toContain(status);
  });

  test.each([
    '',
    'x',
    'x'.repeat(43),
    `${'x'.repeat(42)}%00`,
    '../../etc/passwd',
    "' or 1=1 --",
    'x'.repeat(200),
    '"quoted"',
  ])('the session cookie %j opens nothing', async (value) => {
    const client = stage.visitor();
    client.cookies.set(session, value);
    expect(refusalOf(await client.get('keys'))).toEqual(notSignedIn);
  });

  test('the stored part of a session does not open it', async () => {
    const { client } = await stage.member();
    const { rows } = await stage.access.pool.query<{ hash: Buffer }>('select hash from account_sessions');
    const stored = rows.flatMap(({ hash }) => [
      hash.toString('base64url'),
      hash.toString('hex'),
      hash.toString('base64'),
    ]);
    expect(stored).not.toContain(client.cookies.get(session));
    for (const value of stored) {
      const thief = stage.visitor();
      thief.cookies.set(session, value);
      expect(refusalOf(await thief.get('keys'))).toEqual(notSignedIn);
    }
  });
});

describe('the end of a session', () => {
  test("a suspended account's session does nothing any more", async () => {
    const member = await stage.member();
    await stage.access.pool.query('update accounts set active = false where id = $1', [member.accountId]);
    expect(refusalOf(await member.client.get('keys'))).toEqual({ status: 403, code: 'account_suspended' });
    const body = { name: 'x', environment: 'live' };
    expect(refusalOf(await member.client.post('keys', body))).toEqual({ status: 403, code: 'account_suspended' });
  });
});

describe('sessions and keys open different doors', () => {
  test('a session opens no route of the API', async () => {
    const { client } = await stage.member();
    const cookie = `${session}=${client.cookies.get(session)}`;
    const token = client.cookies.get(session) ?? '';
    for (const path of ['search?type=all', 'suggest?q=x', 'companies/8', 'usage']) {
      for (const headers of [{ cookie }, { authorization: `Bearer ${token}` }, { cookie, origin: stage.origin }]) {
        const response = await fetch(`${stage.origin}/api/v1/${path}`, { headers });
        await response.arrayBuffer();
        expect({ path, status: response.status }).toEqual({ path, status: 401 });
      }
    }
  });

  test('a key opens no route of the account', async () => {
    const { client } = await stage.member();
    const { key } = dataOf<{ key: string }>(await client.post('keys', { name: 'x', environment: 'live' }));
    const visitor = stage.visitor();
    visitor.cookies.set(session, key);
    const closed = accountEndpoints.filter(({ gates }) => gates.includes('session'));
    expect(closed.length).toBeGreaterThan(15);
    for (const { method, path } of closed) {
      const answer = await visitor.request(
        method.toUpperCase(),
        path.replace('/account/api/', '').replaceAll(/\{\w+\}/g, '1'),
        { ...(method === 'post' ? { body: {} } : {}), headers: { authorization: `Bearer ${key}`, 'x-api-key': key } },
      );
      expect({ path, ...refusalOf(answer) }).toEqual({ path, ...notSignedIn });
    }
  });
});
