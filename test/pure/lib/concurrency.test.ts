import { setImmediate as turn } from 'node:timers/promises';
import { createBatcher } from '../../../src/lib/concurrency/batcher.ts';
import { createLimiter } from '../../../src/lib/concurrency/limiter.ts';

/** A run that ends on request. */
function heldRuns() {
  const runs: { readonly key: string; readonly items: readonly number[]; end(): void; fail(): void }[] = [];
  const run = (key: string, items: readonly number[]): Promise<readonly number[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly number[]>();
    runs.push({
      key,
      items,
      end: () => resolve(items.map((item) => item * 10)),
      fail: () => reject(new Error('failed')),
    });
    return promise;
  };
  return { runs, run };
}

test('items that arrive while a batch runs share the next batch', async () => {
  const { runs, run } = heldRuns();
  const batch = createBatcher(run, 10);
  const first = batch('a', 1);
  const others = [batch('a', 2), batch('a', 3)];
  expect(runs.map(({ items }) => items)).toEqual([[1]]);
  runs[0]?.end();
  await turn();
  expect(await first).toBe(10);
  expect(runs.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  runs[1]?.end();
  await turn();
  expect(await Promise.all(others)).toEqual([20, 30]);
});

test('keys do not wait for each other', () => {
  const { runs, run } = heldRuns();
  const batch = createBatcher(run, 10);
  void batch('a', 1);
  void batch('b', 2);
  expect(runs.map(({ key }) => key)).toEqual(['a', 'b']);
});

test('a batch has at most the maximum number of items', async () => {
  const { runs, run } = heldRuns();
  const batch = createBatcher(run, 2);
  const first = batch('a', 0);
  const rest = [1, 2, 3].map((item) => batch('a', item));
  runs[0]?.end();
  await turn();
  await first;
  runs[1]?.end();
  await turn();
  await rest[1];
  runs[2]?.end();
  await Promise.all(rest);
  expect(runs.map(({ items }) => items)).toEqual([[0], [1, 2], [3]]);
});

test('a failed batch fails only its own items', async () => {
  const { runs, run } = heldRuns();
  const batch = createBatcher(run, 10);
  const first = batch('a', 1);
  const second = batch('a', 2);
  runs[0]?.fail();
  await expect(first).rejects.toThrow('failed');
  await turn();
  runs[1]?.end();
  await turn();
  expect(await second).toBe(20);
  const third = batch('a', 3);
  runs[2]?.end();
  expect(await third).toBe(30);
});

test('a batch that returns fewer outcomes than items fails, and leaves no caller waiting', async () => {
  const batch = createBatcher(async (_key: string, _items: readonly number[]) => [], 10);
  await expect(batch('a', 1)).rejects.toThrow('0 of 1');
});

const limiter = (limits: Partial<Parameters<typeof createLimiter>[0]> = {}) =>
  createLimiter({ slotsMax: 2, waitingMax: 1, waitMs: 500, stallMs: 500, ...limits });

describe('A concurrency limiter', () => {
  test('grants a number of slots, and passes a released slot to a waiting caller', async () => {
    const searches = limiter();
    const release = await searches.acquire();
    await searches.acquire();
    const third = searches.acquire();
    expect(searches.counts()).toEqual({ active: 2, waiting: 1, refused: 0 });
    release?.();
    expect(await third).not.toBeNull();
    expect(searches.counts()).toEqual({ active: 2, waiting: 0, refused: 0 });
  });

  test('refuses immediately if its queue is full', async () => {
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

  test('refuses callers who waited too long, and removes them from the queue', async () => {
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

  test('removes callers who stop waiting, and does not count them as refused', async () => {
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

  test('lets no caller wait if waiting is disabled', async () => {
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
