import { createRoom } from '../../../src/lib/limiter.ts';

const room = (limits: Partial<Parameters<typeof createRoom>[0]> = {}) =>
  createRoom({ placesMax: 2, waitingMax: 1, waitMs: 500, stallMs: 500, ...limits });

describe('A room', () => {
  test('has so many places, and a freed one goes to who waits', async () => {
    const searches = room();
    const leave = await searches.enter();
    await searches.enter();
    const third = searches.enter();
    expect(searches.counts()).toEqual({ inside: 2, waiting: 1, refused: 0 });
    leave?.();
    expect(await third).not.toBeNull();
    expect(searches.counts()).toEqual({ inside: 2, waiting: 0, refused: 0 });
  });

  test('refuses at once whom its queue has no place for', async () => {
    const searches = room();
    for (let at = 0; at < 3; at += 1) void searches.enter();
    expect(await searches.enter()).toBeNull();
    expect(searches.counts()).toEqual({ inside: 2, waiting: 1, refused: 1 });
  });

  test('lets in first who came first', async () => {
    const searches = room({ placesMax: 1, waitingMax: 3 });
    const leave = await searches.enter();
    const order: number[] = [];
    const waiting = [1, 2, 3].map(async (name) => {
      const next = await searches.enter();
      order.push(name);
      next?.();
    });
    leave?.();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
    expect(searches.counts()).toEqual({ inside: 0, waiting: 0, refused: 0 });
  });

  test('refuses who waited for too long, and keeps nothing of him', async () => {
    const searches = room({ placesMax: 1, waitMs: 5 });
    const leave = await searches.enter();
    expect(await searches.enter()).toBeNull();
    leave?.();
    expect(searches.counts()).toEqual({ inside: 0, waiting: 0, refused: 1 });
  });

  test('lets nobody wait while no place is left, until one is', async () => {
    const searches = room({ placesMax: 1, waitingMax: 3, waitMs: 5_000, stallMs: 5 });
    const leave = await searches.enter();
    expect(await Promise.all([searches.enter(), searches.enter()])).toEqual([null, null]);
    const askedMs = performance.now();
    expect(await searches.enter()).toBeNull();
    expect(performance.now() - askedMs).toBeLessThan(5);
    leave?.();
    expect(await searches.enter()).not.toBeNull();
    expect(searches.counts()).toEqual({ inside: 1, waiting: 0, refused: 3 });
  });

  test('forgets who goes away while he waits, and does not count him as refused', async () => {
    const searches = room({ placesMax: 1 });
    const leave = await searches.enter();
    const gone = new AbortController();
    const waiting = searches.enter(gone.signal);
    gone.abort();
    expect(await waiting).toBeNull();
    expect(await searches.enter(gone.signal)).toBeNull();
    leave?.();
    expect(searches.counts()).toEqual({ inside: 0, waiting: 0, refused: 0 });
  });

  test('lets nobody wait where that is not wanted', async () => {
    for (const limits of [{ waitMs: 0 }, { waitingMax: 0 }]) {
      const searches = room({ placesMax: 1, ...limits });
      await searches.enter();
      expect(await searches.enter()).toBeNull();
    }
  });

  test('frees a place once, however often it is left', async () => {
    const searches = room();
    const leave = await searches.enter();
    await searches.enter();
    leave?.();
    leave?.();
    expect(searches.counts().inside).toBe(1);
  });
});
