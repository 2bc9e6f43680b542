import fc from 'fast-check';
import type { DocumentChunk, ReadDocument } from '../../../indexer/read/read-by-id.ts';
import { BatchBuffers, type BufferShare } from '../../../indexer/write/batch-buffers.ts';
import { type Batch, documentText, splitBatch, subBatch } from '../../../indexer/write/batches.ts';
import { cutBatches, type HeldBatch } from '../../../indexer/write/send-documents.ts';

const never = new AbortController().signal;

const drawnAt = { wallMs: 0, steadyMs: 0 };

async function* chunksOf(
  ...chunks: readonly (Omit<DocumentChunk, 'drawnAt'> & Partial<DocumentChunk>)[]
): AsyncGenerator<DocumentChunk> {
  for (const chunk of chunks) yield { drawnAt, ...chunk };
}

async function cut(chunks: AsyncIterable<DocumentChunk>, batchBytes: number): Promise<readonly HeldBatch[]> {
  const batches: HeldBatch[] = [];
  const buffers = new BatchBuffers(1_000_000_000, batchBytes);
  const reserve = (bytes: number) => buffers.take(bytes, never);
  for await (const batch of cutBatches(chunks, { batchBytes, reserve })) batches.push(batch);
  return batches;
}

const linesOf = (batch: Batch): readonly string[] => batch.body.toString('utf8').split('\n');
const idsOf = (batch: Batch): readonly number[] => batch.items.map((item) => item.id);

test('a batch is NDJSON: an action with id and version, then the unchanged document', async () => {
  const [batch] = await cut(
    chunksOf({ version: 7, documents: [[1, '{"a":"ü"}']] }, { version: 9, documents: [[2, '{"b":2}']] }),
    1_000,
  );
  expect(linesOf(batch as Batch)).toEqual([
    '{"index":{"_id":"1","version":7,"version_type":"external_gte"}}',
    '{"a":"ü"}',
    '{"index":{"_id":"2","version":9,"version_type":"external_gte"}}',
    '{"b":2}',
    '',
  ]);
});

test('a line break between tokens of a document does not end its line', async () => {
  const [batch] = await cut(chunksOf({ version: 1, documents: [[1, '[{"a":1}, \n {"a":"x\\ny"}]']] }), 1_000);
  expect(JSON.parse(linesOf(batch as Batch)[1] ?? '')).toEqual([{ a: 1 }, { a: 'x\ny' }]);
});

test('batches stay within the size limit, none is empty, and each row is in exactly one, in order', async () => {
  const documents = fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(documents, fc.integer({ min: 200, max: 900 }), async (texts, batchBytes) => {
      const documents: readonly ReadDocument[] = texts.map((text, at) => [at + 1, JSON.stringify(text)]);
      const batches = await cut(chunksOf({ version: 1, documents }), batchBytes);
      expect(batches.flatMap(idsOf)).toEqual(documents.map(([id]) => id));
      const bodies = batches.flatMap((batch) => batch.items.map((item) => JSON.parse(documentText(batch, item))));
      expect(bodies).toEqual(texts);
      for (const batch of batches) {
        expect(batch.items.length).toBeGreaterThan(0);
        if (batch.items.length > 1) expect(batch.body.length).toBeLessThanOrEqual(batchBytes);
      }
    }),
    { numRuns: 50 },
  );
});

test('a document larger than a batch is a batch of its own', async () => {
  const large = JSON.stringify('x'.repeat(5_000));
  const documents: readonly ReadDocument[] = ['{}', large, '{}'].map((text, at) => [at + 1, text]);
  expect((await cut(chunksOf({ version: 1, documents }), 1_000)).map(idsOf)).toEqual([[1], [2], [3]]);
});

test("a batch's memory is reserved before it is built and held until released, even if reading stops early", async () => {
  const buffers = new BatchBuffers(600, 300);
  const documents: readonly ReadDocument[] = Array.from({ length: 20 }, (_, at) => [at + 1, '{"a":1}']);
  const reserve = (bytes: number) => buffers.take(bytes, never);
  for await (const batch of cutBatches(chunksOf({ version: 1, documents }), { batchBytes: 300, reserve })) {
    expect(buffers.heldBytes).toBe(300);
    batch.release(true);
    break;
  }
  expect(buffers.heldBytes).toBe(0);
});

test('open buffers are released if reading fails', async () => {
  async function* failing(): AsyncGenerator<DocumentChunk> {
    yield { version: 1, drawnAt, documents: [[1, '{}']] };
    throw new Error('the connection broke');
  }
  const buffers = new BatchBuffers(600, 300);
  const reserve = (bytes: number) => buffers.take(bytes, never);
  const reading = cutBatches(failing(), { batchBytes: 300, reserve }).next();
  await expect(reading).rejects.toThrow('the connection broke');
  expect(buffers.heldBytes).toBe(0);
});

test('a buffer is reused only after its release', async () => {
  const buffers = new BatchBuffers(600, 300);
  const first = await buffers.take(300, never);
  first.release(true);
  first.release(true);
  const second = await buffers.take(300, never);
  expect(second.buffer).toBe(first.buffer);
  expect((await buffers.take(300, never)).buffer).not.toBe(first.buffer);
  second.release(false);
  expect((await buffers.take(300, never)).buffer).not.toBe(first.buffer);
});

test('a batch is as old as its oldest version, and so are its parts', async () => {
  const earlier = { ...drawnAt, steadyMs: -5 };
  const [batch] = await cut(
    chunksOf({ version: 2, documents: [[1, '{}']] }, { version: 1, drawnAt: earlier, documents: [[2, '{}']] }),
    1_000,
  );
  const parts = splitBatch(batch as Batch) ?? [];
  expect([batch, ...parts].map((each) => each?.drawnAt)).toEqual([earlier, earlier, earlier]);
});

test('halves and subsets of a batch contain the same lines', async () => {
  const documents: readonly ReadDocument[] = [1, 2, 3, 4, 5].map((id) => [id, `{"id":${id},"name":"é"}`]);
  const [batch] = await cut(chunksOf({ version: 3, documents }), 10_000);
  if (batch === undefined) throw new Error('no batch');
  const [first, second] = splitBatch(batch) ?? [];
  if (first === undefined || second === undefined) throw new Error('no halves');
  expect([idsOf(first), idsOf(second)].join(' and ')).toBe('1,2,3 and 4,5');
  expect(Buffer.concat([first.body, second.body])).toEqual(Buffer.from(batch.body));
  const some = subBatch(
    batch,
    batch.items.filter((item) => item.id % 2 === 0),
  );
  expect(some.items.map((item) => documentText(some, item))).toEqual(['{"id":2,"name":"é"}', '{"id":4,"name":"é"}']);
  expect(splitBatch(subBatch(batch, batch.items.slice(0, 1)))).toBeUndefined();
});

const batch = 100;

/** Takes batches until none is immediately available. Returns their number. */
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

test('a share that releases nothing leaves the others their part of the budget', async () => {
  const buffers = new BatchBuffers(12 * batch, batch);
  const [first, second, third] = [buffers.share(), buffers.share(), buffers.share()];
  expect([await takeAll(first), await takeAll(second), await takeAll(third)]).toEqual([4, 4, 4]);
});

test('a single share gets the whole budget unless more shares are expected', async () => {
  expect(await takeAll(new BatchBuffers(12 * batch, batch).share())).toBe(12);
  expect(await takeAll(new BatchBuffers(12 * batch, batch, 2).share())).toBe(6);
});

test('a later share finds its part free, and a closed share returns its part to the others', async () => {
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

test('each share has at least one batch, however small the budget', async () => {
  const buffers = new BatchBuffers(2 * batch, batch);
  const shares = [buffers.share(), buffers.share(), buffers.share()];
  expect(await Promise.all(shares.map(takeAll))).toEqual([1, 1, 1]);
});

test('a document larger than a share gets its memory once the share is free', async () => {
  const buffers = new BatchBuffers(4 * batch, batch);
  const [mine, other] = [buffers.share(), buffers.share()];
  const held = await mine.take(batch, never);
  const large = mine.take(3 * batch, never);
  held.release(true);
  (await large).release(false);
  expect(await takeAll(other)).toBe(2);
  expect(await takeAll(mine)).toBe(2);
});
