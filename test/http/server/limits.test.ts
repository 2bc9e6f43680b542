import { countInMemory, noEntities } from '../../support/api/fake-access.ts';
import { type ErrorBody, expectError, json, livingKey, startApi } from '../../support/api/in-process.ts';

const path = '/api/v1/search?type=all';

function onPlan(callsPerMinute: number | null, callsPerMonth: number | null) {
  const plan = { ...livingKey.plan, callsPerMinute, callsPerMonth };
  return async () => ({ ok: true as const, key: { ...livingKey, plan } });
}

describe('The headers of keyed answers', () => {
  test('report the cost and what is left of both limits, in both header families', async () => {
    await using api = await startApi({ access: { quotas: countInMemory() }, find: onPlan(60, 1_000) });
    await api.keyed(path);
    const { headers } = await api.keyed(path);
    expect(headers.get('x-request-cost')).toBe('1');
    expect(headers.get('ratelimit-policy')).toBe('"minute";q=60;w=60, "month";q=1000');
    expect(headers.get('ratelimit')).toBe('"minute";r=58;t=60, "month";r=998;t=864000');
    expect(headers.get('x-ratelimit-limit')).toBe('60');
    expect(headers.get('x-ratelimit-remaining')).toBe('58');
    expect(headers.get('x-ratelimit-reset')).toBe('60');
  });

  test('report the limit that is closer to exhaustion in X-RateLimit-*', async () => {
    await using api = await startApi({ access: { quotas: countInMemory() }, find: onPlan(60, 5) });
    const { headers } = await api.keyed(path);
    expect(headers.get('x-ratelimit-limit')).toBe('5');
    expect(headers.get('x-ratelimit-remaining')).toBe('4');
    expect(headers.get('x-ratelimit-reset')).toBe('864000');
  });

  test.each([
    ['a wrong parameter', '/api/v1/search?type=none', 400, '1'],
    ['a missing record', '/api/v1/companies/%00', 404, '1'],
    ['usage', '/api/v1/usage', 200, '0'],
  ])('are sent with %s', async (_title, where, status, cost) => {
    await using api = await startApi({ access: { quotas: countInMemory() } });
    const response = await api.keyed(where);
    expect(response.status).toBe(status);
    expect(response.headers.get('x-request-cost')).toBe(cost);
    expect(response.headers.get('x-ratelimit-limit')).toBe('60');
  });

  test('report only the cost for a plan without limits', async () => {
    await using api = await startApi({ find: onPlan(null, null) });
    const { headers } = await api.keyed(path);
    expect(headers.get('x-request-cost')).toBe('1');
    expect(headers.get('ratelimit-policy')).toBeNull();
    expect(headers.get('x-ratelimit-limit')).toBeNull();
  });
});

describe('429', () => {
  test('rate_limited names the time to try again and is not charged', async () => {
    await using api = await startApi({ access: { quotas: countInMemory() }, find: onPlan(1, 50) });
    expect((await api.keyed(path)).status).toBe(200);
    const response = await api.keyed(path);
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('60');
    expect(response.headers.get('x-request-cost')).toBe('0');
    expect(await json<ErrorBody>(response)).toEqual({
      error: 'Too many calls: this one costs 1, and 0 of 1 a minute are left. Please retry in 60 s.',
      code: 'rate_limited',
    });
    expect(api.asked).toHaveLength(1);
  });

  test.each([
    [1, 3, null, null],
    [30, 3, null, null],
    [31, 3, null, 'it costs 4 calls, and the plan has 3 a minute'],
    [100, 9, 10, 'it costs 10 calls, and the plan has 9 a minute'],
    [100, null, 9, 'it costs 10 calls, and the plan has 9 a month'],
    [100, 60, 9, 'it costs 10 calls, and the plan has 9 a month'],
    [11, 1, 1, 'it costs 2 calls, and the plan has 1 a minute'],
    [100, 10, 10, null],
  ])('%i identifiers on a plan of %s a minute and %s a month: %s', async (sent, perMinute, perMonth, why) => {
    const calls = countInMemory();
    await using api = await startApi({
      access: { quotas: calls, entities: { ...noEntities, existing: async () => ({ ok: true, value: [] }) } },
      find: onPlan(perMinute, perMonth),
    });
    const body = { operation: 'count', entity_type: 'people', identifiers: Array(sent).fill(1) };
    const ask = () => api.post('/api/v1/bulk', body);
    const response = await ask();
    if (why === null) {
      expect(response.status).toBe(200);
      return;
    }
    // With calls left and without: waiting as requested is always enough.
    await api.post('/api/v1/bulk', { ...body, identifiers: [1] });
    for (const refused of [response, await ask()]) {
      expect(refused.headers.get('retry-after')).toBeNull();
      expect(refused.headers.get('x-request-cost')).toBe('0');
      expect(refused.headers.get('ratelimit')).toMatch(/"m(?:inute|onth)";r=\d+/);
      expect((await expectError(refused, 400, 'exceeds_plan')).error).toBe(
        `This request is too large for the plan: ${why}. Send fewer identifiers at once, or change the plan.`,
      );
    }
    expect(await calls.used()).toMatchObject({ today: 1 });
  });
});

describe('Charging', () => {
  test('a search that its caller aborted is not charged', async () => {
    const calls = countInMemory();
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    await using api = await startApi({
      access: { quotas: calls },
      search: ({ signal }) => {
        begun.resolve();
        return new Promise((answer) => {
          signal?.addEventListener('abort', () => {
            answer({ ok: false, reason: 'timeout', cause: new Error('given up') });
            ended.resolve();
          });
        });
      },
    });
    const caller = new AbortController();
    const call = api.keyed(path, { signal: caller.signal });
    await begun.promise;
    caller.abort();
    await expect(call).rejects.toThrow();
    await ended.promise;
    // All refunds happen before the next request is answered.
    await api.keyed('/api/v1/usage');
    expect(await calls.used()).toMatchObject({ today: 1 });
  });
});

test('an accepted key is recorded as used; a refused key and a key of an inactive plan are not', async () => {
  const recorded: number[] = [];
  const keyUsage = { record: (keyId: number) => void recorded.push(keyId) };
  await using api = await startApi({ access: { keyUsage } });
  await api.keyed(path);
  await fetch(`${api.url}${path}`);
  await using inactive = await startApi({
    access: { keyUsage },
    find: async () => ({ ok: true, key: { ...livingKey, accountActive: false } }),
  });
  await inactive.keyed(path);
  expect(recorded).toEqual([livingKey.keyId]);
});
