import { BatchBuffers, type BufferShare } from '../../../indexer/write/batch-buffers.ts';

const never = new AbortController().signal;
const batch = 100;

/** Takes batches until none is given at once; answers how many were. */
async function takeAll(share: BufferShare): Promise<number> {
  for (let taken = 0; ; taken += 1) {
    const waiting = new AbortController();
    const held = share.take(batch, waiting.signal);
    const given = await Promise.race([held.then(() => true), new Promise((resolve) => setImmediate(resolve, false))]);
    if (given === true) continue;
    waiting.abort(new Error('The test does not wait.'));
    await expect(held).rejects.toThrow('does not wait');
    return taken;
  }
}

test('one that gives nothing back leaves the others their shares', async () => {
  const buffers = new BatchBuffers(12 * batch, batch);
  const [first, second, third] = [buffers.share(), buffers.share(), buffers.share()];
  expect([await takeAll(first), await takeAll(second), await takeAll(third)]).toEqual([4, 4, 4]);
});

test('a single user gets all, unless others are expected', async () => {
  expect(await takeAll(new BatchBuffers(12 * batch, batch).share())).toBe(12);
  expect(await takeAll(new BatchBuffers(12 * batch, batch, 2).share())).toBe(6);
});

test('a later user finds a share left, and one that leaves returns its own to the others', async () => {
  const buffers = new BatchBuffers(12 * batch, batch, 2);
  const first = buffers.share();
  expect(await takeAll(first)).toBe(6);
  const second = buffers.share();
  expect(await takeAll(second)).toBe(6);
  const third = new BatchBuffers(12 * batch, batch);
  const [staying, leaving] = [third.share(), third.share()];
  leaving[Symbol.dispose]();
  expect(await takeAll(staying)).toBe(12);
});

test('each has at least one batch, however small the budget', async () => {
  const buffers = new BatchBuffers(2 * batch, batch);
  const shares = [buffers.share(), buffers.share(), buffers.share()];
  expect(await Promise.all(shares.map(takeAll))).toEqual([1, 1, 1]);
});

test('a document larger than a share is given its memory when the share is free', async () => {
  const buffers = new BatchBuffers(4 * batch, batch);
  const [mine, other] = [buffers.share(), buffers.share()];
  const held = await mine.take(batch, never);
  const large = mine.take(3 * batch, never);
  held.release(true);
  (await large).release(false);
  expect(await takeAll(other)).toBe(2);
  expect(await takeAll(mine)).toBe(2);
});
