import { memberSession, oneSession } from '../../support/api/fake-sessions.ts';
import { type ErrorBody, json, startApi } from '../../support/api/in-process.ts';

// Postgres knew the session a moment ago, and is away when the endpoint asks it.

const changes: Readonly<Record<string, object | null>> = {
  'POST keys': { name: 'production', environment: 'live' },
  'POST keys/7/rotation': { overlap_hours: 1 },
  'DELETE keys/7': null,
  'POST operator/accounts/7/suspension': { suspended: true },
  'POST operator/accounts/7/plan': { plan: 'growth' },
  'DELETE operator/keys/7': null,
};
const reads = [
  'keys',
  'usage',
  'usage.csv',
  'payments',
  'payments.csv',
  'payments/7/receipt',
  'operator/accounts',
  'operator/accounts/7',
  'operator/plans',
  'operator/index',
  'operator/payments',
];

const account = { ...memberSession.account, role: 'operator' } as const;

test.each([...reads.map((path) => `GET ${path}`), ...Object.keys(changes)])(
  '%s is 503 with Retry-After',
  async (request) => {
    const { sessions, cookie } = oneSession({ ...memberSession, account });
    await using api = await startApi({ account: { sessions } });
    const [method = '', path = ''] = request.split(' ');
    const body = changes[request];
    const response = await fetch(`${api.url}/account/api/${path}`, {
      method,
      headers: { cookie, origin: api.url, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(response.headers.get('content-disposition')).toBeNull();
    expect(await json<ErrorBody>(response)).toMatchObject({ code: 'service_unavailable' });
  },
);
