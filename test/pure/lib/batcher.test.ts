import { setImmediate as turn } from 'node:timers/promises';
import { shareRuns } from '../../../src/lib/batcher.ts';

/** A run that ends when it is told to. */
function heldRuns() {
  const runs: { readonly lane: string; readonly items: readonly number[]; end(): void; fail(): void }[] = [];
  const run = (lane: string, items: readonly number[]): Promise<readonly number[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly number[]>();
    runs.push({
      lane,
      items,
      end: () => resolve(items.map((item) => item * 10)),
      fail: () => reject(new Error('failed')),
    });
    return promise;
  };
  return { runs, run };
}

test('whoever comes while a run is under way shares the next one', async () => {
  const { runs, run } = heldRuns();
  const share = shareRuns(run, 10);
  const first = share('a', 1);
  const others = [share('a', 2), share('a', 3)];
  expect(runs.map(({ items }) => items)).toEqual([[1]]);
  runs[0]?.end();
  await turn();
  expect(await first).toBe(10);
  expect(runs.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  runs[1]?.end();
  await turn();
  expect(await Promise.all(others)).toEqual([20, 30]);
});

test('lanes do not wait for each other', () => {
  const { runs, run } = heldRuns();
  const share = shareRuns(run, 10);
  void share('a', 1);
  void share('b', 2);
  expect(runs.map(({ lane }) => lane)).toEqual(['a', 'b']);
});

test('a run takes along no more than it may', async () => {
  const { runs, run } = heldRuns();
  const share = shareRuns(run, 2);
  const first = share('a', 0);
  const rest = [1, 2, 3].map((item) => share('a', item));
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

test('a failed run fails those whom it took along, and nobody after', async () => {
  const { runs, run } = heldRuns();
  const share = shareRuns(run, 10);
  const first = share('a', 1);
  const second = share('a', 2);
  runs[0]?.fail();
  await expect(first).rejects.toThrow('failed');
  await turn();
  runs[1]?.end();
  await turn();
  expect(await second).toBe(20);
  const third = share('a', 3);
  runs[2]?.end();
  expect(await third).toBe(30);
});

test('a run that answers for fewer than it was given fails, and strands nobody', async () => {
  const share = shareRuns(async (_lane: string, _items: readonly number[]) => [], 10);
  await expect(share('a', 1)).rejects.toThrow('0 of 1');
});
