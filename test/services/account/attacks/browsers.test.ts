import { randomBytes } from 'node:crypto';
import { accountEndpoints } from '../../../../src/http/account/account-endpoints.ts';
import type { Answered } from '../../../support/account/browser.ts';
import { refusalOf } from '../../../support/account/browser.ts';
import { forFile } from '../../../support/for-file.ts';
import { setMembersStage } from '../../../support/stages/account/members.ts';

// A page of another origin can neither act through a signed-in browser nor learn anything from it, and no cookie but a
// session's own opens it.

const api = '/account/api/';
const endpoints = accountEndpoints
  .filter(({ path }) => path.startsWith(api))
  .map(({ method, path }) => ({ method: method.toUpperCase(), path: path.slice(api.length) }));
const unsafe = endpoints.filter(({ method }) => method !== 'GET');
const safe = endpoints.filter(({ method }) => method === 'GET');
const filled = (path: string): string =>
  path
    .replaceAll('{kind}', 'companies')
    .replaceAll('{identifier}', 'eight')
    .replaceAll(/\{\w+\}/g, '1');

const stage = await forFile(setMembersStage());
const member = await stage.member();

test('the routes of the test have methods that are refused across sites', () => {
  expect(unsafe.length).toBeGreaterThan(15);
  expect(unsafe.filter(({ method }) => method !== 'POST' && method !== 'DELETE')).toEqual([]);
});

const crossSite: readonly (readonly [string, Readonly<Record<string, string | undefined>>])[] = [
  ['from another origin', { origin: 'https://evil.example' }],
  ['from a site whose name begins alike', { origin: 'http://localhost.evil.example' }],
  ['from another port of this machine', { origin: 'http://localhost:1' }],
  ['from this host by another scheme', { origin: 'https://localhost' }],
  ['from a sandboxed frame', { origin: 'null' }],
  ['without an origin', { origin: undefined, 'sec-fetch-site': undefined }],
  ['that the browser calls cross-site', { 'sec-fetch-site': 'cross-site' }],
  ['that the browser calls same-site', { 'sec-fetch-site': 'same-site' }],
  ['that the browser calls typed', { 'sec-fetch-site': 'none' }],
];

describe.each(unsafe)('$method $path', ({ method, path }) => {
  test('is refused except from our own pages', async () => {
    for (const [what, headers] of crossSite) {
      const answer = await member.client.request(method, filled(path), { body: {}, headers });
      expect({ what, ...refusalOf(answer) }).toEqual({ what, status: 403, code: 'foreign_origin' });
    }
  });
});

test('the attacks above leave the session unchanged', async () => {
  expect(refusalOf(await member.client.get('session')).status).toBe(200);
  expect((await member.client.get('keys')).status).toBe(200);
});

test.each(endpoints)('$method $path: no answer may be cached, shared, framed or sniffed', async ({ method, path }) => {
  const options = method === 'POST' ? { body: {} } : {};
  for (const client of [stage.visitor(), (await stage.member()).client]) {
    const { headers } = await client.request(method, filled(path), {
      ...options,
      headers: method === 'GET' ? { origin: 'https://evil.example' } : {},
    });
    expect(headers.get('cache-control')).toBe(caching(path, headers));
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toMatch(/^(no-referrer|same-origin)$/);
    expect(headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'|default-src 'none'/);
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(crossOriginHeaders(headers)).toEqual([]);
  }
});

/** Nothing of an account is kept. A browser may ask whether an entity's record has changed; documentation is everybody's. */
function caching(path: string, headers: Headers): string {
  if (path === 'openapi.json') return 'public, max-age=3600';
  return path.startsWith('records/') && headers.has('etag') ? 'private, no-cache' : 'no-store';
}

function crossOriginHeaders(headers: Headers): readonly string[] {
  return [...headers.keys()].filter((name) => name.startsWith('access-control-'));
}

test('no other origin may read the account, whatever CORS_ORIGINS allows for the API', async () => {
  const origin = await stage.startApi({ CORS_ORIGINS: '*,https://evil.example' });
  const client = stage.visitor(origin);
  const cross = { origin: 'https://evil.example' };
  for (const { method, path } of endpoints) {
    const asked = await client.request('OPTIONS', filled(path), {
      headers: { ...cross, 'access-control-request-method': method, 'access-control-request-headers': 'content-type' },
    });
    expect({ path, headers: crossOriginHeaders(asked.headers) }).toEqual({ path, headers: [] });
  }
  for (const { path } of safe) {
    const { headers } = await client.request('GET', filled(path), { headers: cross });
    expect({ path, headers: crossOriginHeaders(headers) }).toEqual({ path, headers: [] });
  }
});

test.each(['X-HTTP-Method-Override', 'X-Method-Override', 'X-HTTP-Method'])(
  '%s does not turn a GET into a change',
  async (name) => {
    const { client, sessionId } = await stage.member();
    for (const path of [
      `sessions/${sessionId}`,
      'sign-out',
      'sign-out-everywhere',
      `sessions/${sessionId}?_method=DELETE`,
    ]) {
      const { status } = await client.request('GET', path, { headers: { [name]: 'DELETE' } });
      expect([404, 405]).toContain(status);
    }
    expect((await client.get('keys')).status).toBe(200);
  },
);

test('a foreign domain that resolves to this host gets no session, because its Host is refused', async () => {
  const { hostname, port } = new URL(stage.origin);
  const host = `evil.example:${port}`;
  // fetch sets Host by itself.
  const { request } = await import('node:http');
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const body = JSON.stringify({ address: member.wallet.address, purpose: 'sign-in' });
    const headers = { host, origin: `http://${host}`, 'content-type': 'application/json' };
    request({ hostname, port, method: 'POST', path: `${api}wallets/challenge`, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end(body);
  });
  expect(status).toBe(403);
});

const pages = [
  '/',
  '/search',
  '/account',
  '/account/sign-in',
  '/account/invitation',
  '/account/keys',
  '/companies/eight',
];

describe.each(pages)('the page %s', (page) => {
  test.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    'javascript:alert(1)',
    '%2f%2fevil.example',
  ])('does not redirect to next=%s', async (next) => {
    for (const name of ['next', 'redirect', 'return_to', 'continue']) {
      const url = `${stage.origin}${page}?${new URLSearchParams({ [name]: next })}`;
      const response = await fetch(url, { redirect: 'manual' });
      const body = await response.text();
      const to = response.headers.get('location');
      if (to !== null) expect(new URL(to, stage.origin).origin).toBe(stage.origin);
      expect(body).not.toMatch(/(?:href|action|src|content)="[^"]*evil\.example/);
    }
  });
});

test.each([
  '//evil.example',
  '//evil.example/..',
  '/account//evil.example',
  '/%2f%2fevil.example',
  '/account/',
  '/\\evil.example/',
])('the path %s redirects to no other site', async (path) => {
  const response = await fetch(`${stage.origin}${path}`, { redirect: 'manual' });
  await response.arrayBuffer();
  const to = response.headers.get('location');
  if (to !== null) expect(new URL(to, stage.origin).origin).toBe(stage.origin);
  expect(response.status).toBeLessThan(500);
});

const session = 'entity_search_session';
const newToken = (): string => randomBytes(32).toString('base64url');
const notSignedIn = { status: 401, code: 'not_signed_in' };

const cookieLines = ({ headers }: Answered, name: string): readonly string[] =>
  headers.getSetCookie().filter((line) => line.startsWith(`${name}=`) || line.startsWith(`__Host-${name}=`));

describe('cookies', () => {
  test('over https behind a proxy are Secure with the prefix __Host-, and without the prefix are ignored', async () => {
    const origin = await stage.startApi({ PUBLIC_URL: 'https://search.example.com' });
    const client = stage.visitor(origin);
    const headers = { origin: 'https://search.example.com' };
    const { wallet } = await stage.member();
    const body = { address: wallet.address, purpose: 'sign-in' };
    const challenge = await client.request('POST', 'wallets/challenge', { body, headers });
    const { message } = challenge.data;
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
  ])('%s: at most one session is accepted', async (_, cookie) => {
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
  ])('the session cookie %j is ignored', async (value) => {
    const client = stage.visitor();
    client.cookies.set(session, value);
    expect(refusalOf(await client.get('keys'))).toEqual(notSignedIn);
  });

  test('the stored part of a session is not a valid cookie', async () => {
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

describe('sessions and keys', () => {
  test('a session gives access to no route of the API', async () => {
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

  test('a key gives access to no route of the account', async () => {
    const { client } = await stage.member();
    const { key } = (await client.post('keys', { name: 'x', environment: 'live' })).data;
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
