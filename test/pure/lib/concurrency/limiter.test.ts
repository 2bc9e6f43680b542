import { createLimiter } from '../../../../src/lib/concurrency/limiter.ts';

const limiter = (limits: Partial<Parameters<typeof createLimiter>[0]> = {}) =>
  createLimiter({ slotsMax: 2, waitingMax: 1, waitMs: 500, stallMs: 500, ...limits });

describe('A concurrency limiter', () => {
  test('grants a number of slots, and gives a released one to a waiting caller', async () => {
    const searches = limiter();
    const release = await searches.acquire();
    await searches.acquire();
    const third = searches.acquire();
    expect(searches.counts()).toEqual({ active: 2, waiting: 1, refused: 0 });
    release?.();
    expect(await third).not.toBeNull();
    expect(searches.counts()).toEqual({ active: 2, waiting: 0, refused: 0 });
  });

  test('refuses at once when its queue is full', async () => {
    const searches = limiter();
    for (let at = 0; at < 3; at += 1) void searches.acquire();
    expect(await searches.acquire()).toBeNull();
    expect(searches.counts()).toEqual({ active: 2, waiting: 1, refused: 1 });
  });

  test('is first come, first served', async () => {
    const searches = limiter({ slotsMax: 1, waitingMax: 3 });
    const release = await searches.acquire();
    const order: number[] = [];
    const waiting = [1, 2, 3].map(async (name) => {
      const next = await searches.acquire();
      order.push(name);
      next?.();
    });
    release?.();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
    expect(searches.counts()).toEqual({ active: 0, waiting: 0, refused: 0 });
  });

  test('refuses callers who waited too long, and forgets them', async () => {
    const searches = limiter({ slotsMax: 1, waitMs: 5 });
    const release = await searches.acquire();
    expect(await searches.acquire()).toBeNull();
    release?.();
    expect(searches.counts()).toEqual({ active: 0, waiting: 0, refused: 1 });
  });

  test('lets no caller wait after a stall until a slot is released', async () => {
    const searches = limiter({ slotsMax: 1, waitingMax: 3, waitMs: 5_000, stallMs: 5 });
    const release = await searches.acquire();
    expect(await Promise.all([searches.acquire(), searches.acquire()])).toEqual([null, null]);
    const asked = searches.acquire();
    expect(await Promise.race([asked, new Promise(setImmediate)])).toBeNull();
    release?.();
    expect(await searches.acquire()).not.toBeNull();
    expect(searches.counts()).toEqual({ active: 1, waiting: 0, refused: 3 });
  });

  test('forgets callers who leave while waiting, and does not count them as refused', async () => {
    const searches = limiter({ slotsMax: 1 });
    const release = await searches.acquire();
    const gone = new AbortController();
    const waiting = searches.acquire(gone.signal);
    gone.abort();
    expect(await waiting).toBeNull();
    expect(await searches.acquire(gone.signal)).toBeNull();
    release?.();
    expect(searches.counts()).toEqual({ active: 0, waiting: 0, refused: 0 });
  });

  test('lets no caller wait if waiting is switched off', async () => {
    for (const limits of [{ waitMs: 0 }, { waitingMax: 0 }]) {
      const searches = limiter({ slotsMax: 1, ...limits });
      await searches.acquire();
      expect(await searches.acquire()).toBeNull();
    }
  });

  test('frees a slot once, however often it is released', async () => {
    const searches = limiter();
    const release = await searches.acquire();
    await searches.acquire();
    release?.();
    release?.();
    expect(searches.counts().active).toBe(1);
  });
});
