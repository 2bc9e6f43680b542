import { setImmediate as turn } from 'node:timers/promises';
import { readAhead } from '../../../../src/lib/concurrency/read-ahead.ts';

async function turns(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) await turn();
}

/** Numbers from 1 up, and how many were asked for. */
function numbers(upTo: number, failure?: Error) {
  const seen = { read: 0, closed: false };
  async function* source(): AsyncGenerator<number> {
    try {
      for (let number = 1; number <= upTo; number += 1) {
        seen.read = number;
        await turn();
        yield number;
      }
      if (failure !== undefined) throw failure;
    } finally {
      seen.closed = true;
    }
  }
  return { seen, source };
}

const sizeOf = (): number => 1;

test('everything is given out once, in order, and together where it came meanwhile', async () => {
  const { source } = numbers(10);
  const groups: (readonly number[])[] = [];
  for await (const group of readAhead(source(), { room: 4, sizeOf })) {
    groups.push(group);
    await turns(20);
  }
  expect(groups.flat()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(groups.length).toBeLessThan(6);
});

test('no more is held than there is room for', async () => {
  const { source, seen } = numbers(100);
  const reading = readAhead(source(), { room: 3, sizeOf });
  await reading.next();
  await turns(50);
  expect(seen.read).toBe(4);
  await reading.return();
  expect(seen).toEqual({ read: 4, closed: true });
});

test('a failure comes after what was read before it', async () => {
  const { source } = numbers(3, new Error('The source is broken.'));
  const given: number[] = [];
  const all = async (): Promise<void> => {
    for await (const group of readAhead(source(), { room: 2, sizeOf })) {
      given.push(...group);
      await turns(10);
    }
  };
  await expect(all()).rejects.toThrow('The source is broken.');
  expect(given).toEqual([1, 2, 3]);
});

test('an empty source gives out nothing', async () => {
  const { source } = numbers(0);
  expect((await readAhead(source(), { room: 2, sizeOf }).next()).done).toBe(true);
});
