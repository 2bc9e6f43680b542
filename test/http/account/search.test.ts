import { countInMemory } from '../../support/api/fake-access.ts';
import { memberSession, oneSession } from '../../support/api/fake-sessions.ts';
import {
  type ErrorBody,
  elasticsearchAnswer,
  handClock,
  json,
  type SearchBody,
  startApi,
} from '../../support/api/in-process.ts';

const search = '/account/api/search?type=all&query=plover';
const suggest = '/account/api/suggest?q=plov';
const found = async () =>
  ({ ok: true, body: elasticsearchAnswer([{ kind: 'companies', source: { name: 'Plover' } }]) }) as const;

describe('Visitors', () => {
  test('search without an account as often as the setting allows, then get the time to wait', async () => {
    const clock = handClock();
    await using api = await startApi({ clock, search: found, env: { VISITOR_SEARCHES_PER_MINUTE: '2' } });
    const first = await fetch(`${api.url}${search}`);
    expect(first.status).toBe(200);
    expect((await json<SearchBody>(first)).data.totalResults).toBe(1);
    expect((await fetch(`${api.url}${search}`)).status).toBe(200);
    const refused = await fetch(`${api.url}${search}`);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('30');
    expect(await json<ErrorBody>(refused)).toMatchObject({ code: 'rate_limited' });
    clock.move(30_000);
    expect((await fetch(`${api.url}${search}`)).status).toBe(200);
  });

  test('are charged one search for ten suggestions', async () => {
    await using api = await startApi({ clock: handClock(), env: { VISITOR_SEARCHES_PER_MINUTE: '2' } });
    const statuses = [];
    for (let at = 0; at < 21; at += 1) statuses.push((await fetch(`${api.url}${suggest}`)).status);
    expect(statuses).toEqual([...Array(20).fill(200), 429]);
    expect((await fetch(`${api.url}${search}`)).status).toBe(429);
  });

  test('are counted per address', async () => {
    await using api = await startApi({ env: { VISITOR_SEARCHES_PER_MINUTE: '1', TRUST_PROXY: '1' } });
    const from = async (address: string) =>
      (await fetch(`${api.url}${search}`, { headers: { 'x-forwarded-for': address } })).status;
    expect([await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.2')]).toEqual([200, 429, 200]);
    // One customer has a network of 64 bits.
    expect([await from('2001:db8::1'), await from('2001:db8::2')]).toEqual([200, 429]);
  });

  test.each([search, suggest, '/account/api/search.csv?type=companies', '/account/api/search.ics?type=events'])(
    'must sign in when visitor searches are off: %s',
    async (path) => {
      await using api = await startApi({ env: { VISITOR_SEARCHES_PER_MINUTE: '0' } });
      const response = await fetch(`${api.url}${path}`);
      expect(response.status).toBe(401);
      expect(await json<ErrorBody>(response)).toMatchObject({ code: 'not_signed_in' });
      expect(api.asked).toEqual([]);
    },
  );

  test('cannot use cursors, because each cursor holds resources', async () => {
    await using api = await startApi({ search: found });
    const response = await fetch(`${api.url}${search}&cursor=abc`);
    expect(response.status).toBe(401);
    expect(await json<ErrorBody>(response)).toMatchObject({ error: expect.stringContaining('sign in') });
  });

  test('get wrong parameters named, as API callers do', async () => {
    await using api = await startApi();
    const response = await fetch(`${api.url}/account/api/search?type=planets`);
    expect(response.status).toBe(400);
    expect(await json<ErrorBody>(response)).toMatchObject({ details: [{ path: 'type' }] });
  });
});

describe('Signed-in users', () => {
  test('are charged one call of their plan per search, and one per ten suggestions', async () => {
    const quotas = countInMemory();
    const { sessions, cookie } = oneSession(memberSession);
    await using api = await startApi({ access: { quotas }, account: { sessions }, search: found });
    const ask = (path: string) => fetch(`${api.url}${path}`, { headers: { cookie } });
    const response = await ask(search);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-request-cost')).toBe('1');
    expect(response.headers.get('ratelimit')).toMatch(/"minute";r=59/);
    for (let at = 0; at < 10; at += 1) expect((await ask(suggest)).status).toBe(200);
    expect(await quotas.used(42)).toMatchObject({ used: { month: 2 } });
  });

  test('are not charged when the server fails', async () => {
    const quotas = countInMemory();
    const { sessions, cookie } = oneSession(memberSession);
    await using api = await startApi({
      access: { quotas },
      account: { sessions },
      search: async () => ({ ok: false, reason: 'timeout', cause: new Error('slow') }),
    });
    for (const path of [search, suggest]) {
      const response = await fetch(`${api.url}${path}`, { headers: { cookie } });
      expect(response.status).toBe(500);
      expect(response.headers.get('x-request-cost')).toBe('0');
    }
    expect(await quotas.used(42)).toMatchObject({ used: { month: 0 } });
  });

  test('are not subject to the limit for visitors', async () => {
    const { sessions, cookie } = oneSession(memberSession);
    await using api = await startApi({ account: { sessions }, env: { VISITOR_SEARCHES_PER_MINUTE: '0' } });
    expect((await fetch(`${api.url}${search}`, { headers: { cookie } })).status).toBe(200);
  });

  test.each([
    ['a suspended account', { active: false }, 'account_suspended'],
    ['a plan that is not active', { plan: { ...memberSession.account.plan, active: false } }, 'plan_inactive'],
  ])('are refused if they have %s', async (_title, change, code) => {
    const account = { ...memberSession.account, ...change };
    const { sessions, cookie } = oneSession({ ...memberSession, account });
    await using api = await startApi({ account: { sessions } });
    const response = await fetch(`${api.url}${search}`, { headers: { cookie } });
    expect(response.status).toBe(403);
    expect(await json<ErrorBody>(response)).toMatchObject({ code, error: expect.not.stringContaining('key') });
  });
});
