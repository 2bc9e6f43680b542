import { newToken } from '../../../src/account/tokens.ts';
import { memberSession, oneSession, sessionsOf } from '../../support/api/fake-sessions.ts';
import { startApi } from '../../support/api/in-process.ts';
import { until } from '../../support/until.ts';

// Cookies that look like sessions and are none. Each costs a query on the connections that keys and quotas need.

const ask = (url: string, cookie: string, address: string): Promise<Response> =>
  fetch(`${url}/account/api/session`, { headers: { cookie, 'x-forwarded-for': address } });
const madeUp = (): string => `entity_search_session=${newToken()}`;

test('made-up sessions from many addresses are looked up two at a time, while known ones are answered', async () => {
  const known = oneSession({ ...memberSession, expiresAtMs: 4_000_000_000_000 });
  const waiting: (() => void)[] = [];
  let lookups = 0;
  const sessions = sessionsOf(async (hash) => {
    const session = await known.sessions.find(hash);
    if (session !== null) return session;
    lookups += 1;
    await new Promise<void>((resolve) => waiting.push(resolve));
    return null;
  });
  await using api = await startApi({ env: { TRUST_PROXY: '1' }, account: { sessions } });
  expect((await ask(api.url, known.cookie, '192.0.2.1')).status).toBe(200);
  const strangers = Array.from({ length: 50 }, (_, at) => ask(api.url, madeUp(), `198.51.100.${at}`));
  await until(() => lookups === 2, 'the second look-up');
  expect((await ask(api.url, known.cookie, '192.0.2.1')).status).toBe(200);
  expect(lookups).toBe(2);
  for (let done = 0; done < strangers.length; done += 1) {
    await until(() => waiting.length > 0, 'the next look-up');
    expect(waiting.length).toBeLessThanOrEqual(2);
    waiting.shift()?.();
  }
  const answers = await Promise.all(strangers);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

test('an address that sends more than 120 made-up sessions in a minute is refused without a look-up', async () => {
  let lookups = 0;
  const sessions = sessionsOf(async () => {
    lookups += 1;
    return null;
  });
  await using api = await startApi({ env: { TRUST_PROXY: '1' }, account: { sessions } });
  const statuses: number[] = [];
  for (let sent = 0; sent < 125; sent += 1) statuses.push((await ask(api.url, madeUp(), '192.0.2.1')).status);
  expect(statuses.slice(0, 120)).toEqual(Array(120).fill(200));
  expect(statuses.at(-1)).toBe(429);
  expect(lookups).toBeLessThan(125);
  expect((await ask(api.url, madeUp(), '192.0.2.2')).status).toBe(200);
});
