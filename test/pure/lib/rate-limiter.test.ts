import { createRateLimiter } from '../../../src/lib/rate-limiter.ts';

function limiterAt(limits: Partial<Parameters<typeof createRateLimiter>[0]> = {}) {
  const clock = { ms: 1_000 };
  const limiter = createRateLimiter({ max: 3, perMs: 60_000, keysMax: 10, ...limits }, () => clock.ms);
  return { clock, take: (key = 'a') => limiter.take(key) };
}

describe('a rate limiter', () => {
  test('admits the configured burst immediately, and returns the time of the next call', () => {
    const { take } = limiterAt();
    expect([take(), take(), take()]).toEqual(Array(3).fill({ ok: true }));
    expect(take()).toEqual({ ok: false, waitMs: 20_000 });
  });

  test('admits a caller who waited the full time, and not a millisecond earlier', () => {
    const { clock, take } = limiterAt({ max: 7 });
    for (let turn = 0; turn < 50; turn += 1) {
      let refused = take();
      while (refused.ok) refused = take();
      clock.ms += refused.waitMs - 1;
      expect(take()).toEqual({ ok: false, waitMs: 1 });
      clock.ms += 1;
      expect(take()).toEqual({ ok: true });
    }
  });

  test('does not count refused calls', () => {
    const { clock, take } = limiterAt();
    for (let turn = 0; turn < 100; turn += 1) take();
    clock.ms += 60_000;
    expect([take(), take(), take(), take().ok]).toEqual([{ ok: true }, { ok: true }, { ok: true }, false]);
  });

  test('saves up at most one burst', () => {
    const { clock, take } = limiterAt();
    clock.ms += 3_600_000;
    expect([take().ok, take().ok, take().ok, take().ok]).toEqual([true, true, true, false]);
  });

  test('counts each key separately', () => {
    const { take } = limiterAt({ max: 1 });
    expect(take('a').ok).toBe(true);
    expect(take('a').ok).toBe(false);
    expect(take('b').ok).toBe(true);
  });

  test('drops the least recently used key, so that its memory is bounded', () => {
    const { take } = limiterAt({ max: 1, keysMax: 2 });
    for (const key of ['a', 'b', 'c']) expect(take(key).ok).toBe(true);
    expect(take('c').ok).toBe(false);
    expect(take('a').ok).toBe(true);
  });
});
