import { setImmediate as turn } from 'node:timers/promises';
import { createBatcher } from '../../../../src/lib/concurrency/batcher.ts';

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

test('items that arrive while a batch runs share the next one', async () => {
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

test('a batch takes no more items than its maximum', async () => {
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

test('a failed batch fails its own items and no later ones', async () => {
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

test('a batch that answers fewer outcomes than items fails, and leaves no caller waiting', async () => {
  const batch = createBatcher(async (_key: string, _items: readonly number[]) => [], 10);
  await expect(batch('a', 1)).rejects.toThrow('0 of 1');
});
