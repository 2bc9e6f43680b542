import { randomBytes } from 'node:crypto';
import { generateApiKey } from '../../../src/access/api-key.ts';
import type { KeyLookup, KeyRecord } from '../../../src/access/keys.ts';
import { cacheKeys, type KeyCacheSettings } from '../../../src/postgres/access/key-cache.ts';
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
  test.each(['bearer', 'BEARER', 'Bearer ', 'bEaReR  '])('the scheme "%s" is accepted', async (scheme) => {
    const response = await fetch(`${api.url}${path}`, { headers: { authorization: `${scheme} ${api.key}` } });
    expect(response.status).toBe(200);
  });

  test('Content-Type: application/json on a GET is harmless', async () => {
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
  ])('%s is 401 with one message and WWW-Authenticate: Bearer', async (_title, authorization) => {
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

  test('a cached key expires on time', async () => {
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
  ])('a valid key of %s is 403, which says who can help', async (_title, key, sentence) => {
    await using api = await startApi({ find: known(key) });
    expect((await expectError(api.keyed(path), 403, 'plan_inactive')).error).toMatch(sentence);
  });

  test('a malformed key is refused without a lookup', async () => {
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

  test('the key is checked before the parameters', async () => {
    expect((await fetch(`${api.url}/api/v1/search?nonsense=1`)).status).toBe(401);
  });

  test('a key that cannot be checked is 503 with Retry-After', async () => {
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

const settings: KeyCacheSettings = { cacheMs: 5_000, staleMs: 60_000, cacheSize: 10 };
const found: KeyLookup = { ok: true, key: livingKey };
const missing: KeyLookup = { ok: true, key: null };
const down: KeyLookup = { ok: false, cause: new Error('down') };
const hash = Buffer.alloc(32, 1);

function build(options: Partial<KeyCacheSettings> = {}) {
  const clock = handClock();
  const world = { now: found, lookups: 0 };
  const directory = cacheKeys(
    {
      find: async () => {
        world.lookups += 1;
        return world.now;
      },
    },
    { ...settings, ...options },
    clock,
  );
  return { clock, world, directory };
}

describe('Cached keys', () => {
  test('a cached key is looked up again once its time is over, and not before', async () => {
    const { clock, world, directory } = build();
    await directory.find(hash);
    clock.move(4_999);
    await directory.find(hash);
    expect(world.lookups).toBe(1);
    clock.move(1);
    expect(await directory.find(hash)).toEqual(found);
    expect(world.lookups).toBe(2);
  });

  test('a revocation is effective within 5 s, counted from before the lookup', async () => {
    const { clock, world, directory } = build();
    await directory.find(hash);
    const revoked: KeyLookup = { ok: true, key: { ...livingKey, revokedAtMs: 1 } };
    world.now = revoked;
    clock.move(5_000);
    expect(await directory.find(hash)).toEqual(revoked);
  });

  test('cache time counts from the start of a slow lookup', async () => {
    const clock = handClock();
    let lookups = 0;
    const directory = cacheKeys(
      {
        find: async () => {
          lookups += 1;
          clock.move(2_000);
          return found;
        },
      },
      settings,
      clock,
    );
    await directory.find(hash);
    clock.move(3_000);
    await directory.find(hash);
    expect(lookups).toBe(2);
  });

  test('many callers with one key share one lookup', async () => {
    const { world, directory } = build();
    await Promise.all(Array.from({ length: 50 }, () => directory.find(hash)));
    expect(world.lookups).toBe(1);
  });

  test('an unknown hash is cached for a second, and never evicts a valid key', async () => {
    const { clock, world, directory } = build({ cacheSize: 2 });
    await directory.find(hash);
    world.now = missing;
    for (let place = 2; place < 50; place += 1) await directory.find(Buffer.alloc(32, place));
    const before = world.lookups;
    expect(await directory.find(hash)).toEqual(found);
    expect(await directory.find(Buffer.alloc(32, 49))).toEqual(missing);
    expect(world.lookups).toBe(before);
    clock.move(1_000);
    await directory.find(Buffer.alloc(32, 49));
    expect(world.lookups).toBe(before + 1);
  });
});

describe('Keys while Postgres is unavailable', () => {
  test('a key found earlier is served for another minute, and not longer', async () => {
    const { clock, world, directory } = build();
    await directory.find(hash);
    world.now = down;
    clock.move(64_000);
    expect(await directory.find(hash)).toEqual(found);
    clock.move(1_000);
    expect(await directory.find(hash)).toEqual(down);
  });

  test('Postgres is queried at most once a second for a key that is served from the cache', async () => {
    const { clock, world, directory } = build();
    await directory.find(hash);
    world.now = down;
    clock.move(5_000);
    for (let call = 0; call < 20; call += 1) await directory.find(hash);
    expect(world.lookups).toBe(2);
    clock.move(1_000);
    await directory.find(hash);
    expect(world.lookups).toBe(3);
  });

  test('an unknown key cannot be checked', async () => {
    const { world, directory } = build();
    world.now = down;
    expect(await directory.find(hash)).toEqual(down);
  });

  test('once Postgres is back, its answer applies immediately', async () => {
    const { clock, world, directory } = build();
    await directory.find(hash);
    world.now = down;
    clock.move(5_000);
    await directory.find(hash);
    world.now = missing;
    clock.move(1_000);
    expect(await directory.find(hash)).toEqual(missing);
  });
});
