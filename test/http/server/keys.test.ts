import { randomBytes } from 'node:crypto';
import { generateApiKey } from '../../../src/access/api-key.ts';
import type { KeyRecord } from '../../../src/access/keys.ts';
import { apiForFile, expectError, handClock, livingKey, startApi } from '../../support/api/in-process.ts';

const api = await apiForFile();
const path = '/api/v1/search?type=all';

const refusal = {
  error: 'The API key is missing or invalid: send a valid one as "Authorization: Bearer <API_KEY>".',
  code: 'invalid_api_key',
};

function known(key: Partial<KeyRecord>) {
  return async () => ({ ok: true as const, key: { ...livingKey, ...key } });
}

describe('Keyed endpoints: the bearer key (sections 5 and 7)', () => {
  test.each(['bearer', 'BEARER', 'Bearer ', 'bEaReR  '])('the scheme "%s" is understood', async (scheme) => {
    const response = await fetch(`${api.url}${path}`, { headers: { authorization: `${scheme} ${api.key}` } });
    expect(response.status).toBe(200);
  });

  test('Content-Type: application/json on a GET does no harm', async () => {
    expect((await api.keyed(path, { headers: { 'content-type': 'application/json' } })).status).toBe(200);
  });

  const other = generateApiKey('live', randomBytes);
  const tampered = `${other.slice(0, -1)}${other.endsWith('0') ? '1' : '0'}`;
  test.each([
    ['no Authorization header', undefined],
    ['an empty Authorization header', ''],
    ['another scheme', `Basic ${other}`],
    ['no scheme', other],
    ['no key', 'Bearer '],
    ['two keys', `Bearer ${other} ${other}`],
    ['a malformed key', 'Bearer hello'],
    ['a key with a typing error', `Bearer ${tampered}`],
    ['an unknown key', `Bearer ${other}`],
  ])('%s is 401 in one wording, with WWW-Authenticate: Bearer', async (_title, authorization) => {
    const init = authorization === undefined ? {} : { headers: { authorization } };
    const response = await fetch(`${api.url}${path}`, init);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await response.json()).toEqual(refusal);
    expect(api.asked).toHaveLength(0);
  });

  test.each<[string, Partial<KeyRecord>]>([
    ['a revoked key', { revokedAtMs: 1_000 }],
    ['an expired key', { expiresAtMs: 1_000 }],
    ['a revoked key of an inactive account', { revokedAtMs: 1_000, accountActive: false }],
  ])('%s is the same 401', async (_title, key) => {
    await using api = await startApi({ find: known(key) });
    const response = await api.keyed(path);
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual(refusal);
  });

  test('a key expires while it is held', async () => {
    const clock = handClock();
    await using api = await startApi({ clock, find: known({ expiresAtMs: clock.now() + 10 }) });
    expect((await api.keyed(path)).status).toBe(200);
    clock.move(10);
    expect((await api.keyed(path)).status).toBe(401);
  });

  const inactivePlan = { ...livingKey.plan, active: false };
  test.each<[string, Partial<KeyRecord>, RegExp]>([
    ['an inactive account', { accountActive: false }, /its account is not active: ask the operator/],
    ['an inactive plan', { plan: inactivePlan }, /its account's plan is not active: renew it/],
    ['an account and a plan that are not active', { accountActive: false, plan: inactivePlan }, /its account is not/],
  ])('a good key of %s is 403, and says who can help', async (_title, key, sentence) => {
    await using api = await startApi({ find: known(key) });
    expect((await expectError(api.keyed(path), 403, 'plan_inactive')).error).toMatch(sentence);
  });

  test('a malformed key is refused without a look-up', async () => {
    let lookups = 0;
    await using api = await startApi({
      find: async () => {
        lookups += 1;
        return { ok: true, key: null };
      },
    });
    await fetch(`${api.url}${path}`, { headers: { authorization: `Bearer ${tampered}` } });
    expect(lookups).toBe(0);
  });

  test('the key is looked at before the parameters', async () => {
    expect((await fetch(`${api.url}/api/v1/search?nonsense=1`)).status).toBe(401);
  });

  test('a key that can not be checked is 503 with Retry-After', async () => {
    await using api = await startApi({ find: async () => ({ ok: false, cause: new Error('connect ECONNREFUSED') }) });
    const response = await api.keyed(path);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(await response.json()).toEqual({
      error: 'The service is temporarily unavailable: retry in a few seconds.',
      code: 'service_unavailable',
    });
  });
});
