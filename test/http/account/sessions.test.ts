import { memberSession, oneSession } from '../../support/api/fake-sessions.ts';
import { type ErrorBody, json, startApi } from '../../support/api/in-process.ts';

// Postgres is down, or fails after it has returned the session.

const wallet = `0x${'1'.repeat(40)}`;
const known = oneSession({ ...memberSession, account: { ...memberSession.account, role: 'operator' } });

async function ask(url: string, method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${url}/account/api/${path}`, {
    method,
    headers: {
      cookie: known.cookie,
      ...(method === 'GET' ? {} : { origin: url }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

const requests: readonly Asked[] = [
  { method: 'POST', path: 'wallets/challenge', body: { address: wallet, purpose: 'sign-in' } },
  { method: 'POST', path: 'wallets/challenge', body: { address: wallet, purpose: 'confirm' } },
  {
    method: 'POST',
    path: 'wallets/challenge',
    body: { address: wallet, purpose: 'invitation', invitation: 'x'.repeat(43) },
  },
  { method: 'POST', path: 'invitations/read', body: { token: 'x'.repeat(43) } },
  { method: 'POST', path: 'sign-out', body: {} },
  { method: 'POST', path: 'sign-out-everywhere', body: {} },
  { method: 'GET', path: 'security' },
  { method: 'GET', path: 'events' },
  { method: 'DELETE', path: 'wallets/1' },
  { method: 'DELETE', path: 'passkeys/1' },
  { method: 'DELETE', path: 'sessions/1' },
  { method: 'POST', path: 'keys', body: { name: 'production', environment: 'live' } },
  { method: 'POST', path: 'keys/7/rotation', body: { overlap_hours: 1 } },
  { method: 'POST', path: 'keys/7/name', body: { name: 'another name' } },
  { method: 'DELETE', path: 'keys/7' },
  { method: 'POST', path: 'operator/accounts/7/suspension', body: { suspended: true } },
  { method: 'POST', path: 'operator/accounts/7/plan', body: { plan: 'growth' } },
  { method: 'DELETE', path: 'operator/keys/7' },
  ...[
    ...['keys', 'usage', 'payments', 'payments/7/receipt'],
    ...['accounts', 'accounts/7', 'index', 'payments'].map((name) => `operator/${name}`),
  ].map((path) => ({ method: 'GET', path })),
];

test.each(requests)(
  '$method $path answers 503 with the time to wait when Postgres is down, and signs no one out',
  async ({ method, path, body }) => {
    await using api = await startApi({ account: { sessions: known.sessions } });
    const response = await ask(api.url, method, path, body);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(response.headers.get('content-disposition')).toBeNull();
    expect(response.headers.getSetCookie().filter((cookie) => cookie.startsWith('entity_search_session='))).toEqual([]);
    expect(await json<ErrorBody>(response)).toMatchObject({ code: 'service_unavailable' });
    expect(api.log).toContainEqual(expect.objectContaining({ msg: 'postgres unavailable' }));
  },
);

test.each(['session', 'security', 'keys'])(
  'without Postgres, %s answers 503, because the session cannot be read',
  async (path) => {
    await using api = await startApi({ account: {} });
    expect((await ask(api.url, 'GET', path)).status).toBe(503);
  },
);

test('a visitor without a cookie still gets the sign-in options', async () => {
  await using api = await startApi({ account: {} });
  const response = await fetch(`${api.url}/account/api/session`);
  expect(response.status).toBe(200);
  expect(await json<{ data: object }>(response)).toMatchObject({ data: { signed_in: false } });
});
