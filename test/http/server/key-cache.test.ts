import type { KeyLookup } from '../../../src/access/keys.ts';
import { cacheKeys, type KeyCacheSettings } from '../../../src/postgres/access/key-cache.ts';
import { handClock, livingKey } from '../../support/api/in-process.ts';

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

describe('Keys held in memory', () => {
  test('a found key is asked for again after its time, not before', async () => {
    const { clock, world, directory } = build();
    await directory.find(hash);
    clock.move(4_999);
    await directory.find(hash);
    expect(world.lookups).toBe(1);
    clock.move(1);
    expect(await directory.find(hash)).toEqual(found);
    expect(world.lookups).toBe(2);
  });

  test('a revocation is effective within 5 s, counted from before the look-up', async () => {
    const { clock, world, directory } = build();
    await directory.find(hash);
    const revoked: KeyLookup = { ok: true, key: { ...livingKey, revokedAtMs: 1 } };
    world.now = revoked;
    clock.move(5_000);
    expect(await directory.find(hash)).toEqual(revoked);
  });

  test('the time counts from the beginning of a slow look-up', async () => {
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

  test('many callers with one key are one look-up', async () => {
    const { world, directory } = build();
    await Promise.all(Array.from({ length: 50 }, () => directory.find(hash)));
    expect(world.lookups).toBe(1);
  });

  test('a hash that no key has is held for a second, and never pushes a good key out', async () => {
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

describe('Keys while Postgres can not be asked', () => {
  test('a key found before goes on being served for a minute, then no more', async () => {
    const { clock, world, directory } = build();
    await directory.find(hash);
    world.now = down;
    clock.move(64_000);
    expect(await directory.find(hash)).toEqual(found);
    clock.move(1_000);
    expect(await directory.find(hash)).toEqual(down);
  });

  test('Postgres is asked once a second at most for a key that can be served without', async () => {
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

  test('an unknown key can not be checked', async () => {
    const { world, directory } = build();
    world.now = down;
    expect(await directory.find(hash)).toEqual(down);
  });

  test('once Postgres is back, its answer counts at once', async () => {
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
