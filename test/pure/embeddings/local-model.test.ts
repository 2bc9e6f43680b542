import { firstVector, shortened, truncated } from '../../../src/embeddings/local/local-model.ts';
import { TextQueue } from '../../../src/embeddings/local/local-provider.ts';
import { ModelThread } from '../../../src/embeddings/local/model-thread.ts';
import { EmbeddingError } from '../../../src/embeddings/provider.ts';
import { until } from '../../support/until.ts';

test('a text that is too long is truncated, and its last token marks the end', () => {
  expect(truncated([101, 1, 2, 102], 4)).toEqual([101, 1, 2, 102]);
  expect(truncated([101, 1, 2, 3, 4, 102], 4)).toEqual([101, 1, 2, 102]);
  expect(truncated([], 4)).toEqual([]);
  expect(shortened('x'.repeat(100_000), 64)).toHaveLength(1_024);
});

test('a vector is that of the first token, normalized to length 1', () => {
  expect(firstVector(Float32Array.of(3, 4, 0, 9, 0, 2), 2)).toEqual(Float32Array.of(0.6, 0.8));
  expect(firstVector(new Float32Array(4), 2)).toEqual(Float32Array.of(0, 0));
});

const messages = (...texts: readonly string[]) => texts.map((text) => ({ text, tokensMax: 64 }));
const gone = new EmbeddingError('aborted', 'gone');

test('queries precede documents, each in order of arrival', () => {
  const queue = new TextQueue();
  queue.add('document', messages('d1', 'd2'));
  queue.add('query', messages('q1'));
  queue.add('document', messages('d3'));
  queue.add('query', messages('q2'));
  const order = Array.from({ length: 6 }, () => queue.next()?.message.text);
  expect(order).toEqual(['q1', 'q2', 'd1', 'd2', 'd3', undefined]);
});

test('dropped texts are rejected and not processed; a text in progress is unaffected', async () => {
  const queue = new TextQueue();
  const added = queue.add('query', messages('a', 'b'));
  const taken = queue.next();
  queue.drop(added, gone);
  await expect(added[1]?.promise).rejects.toBe(gone);
  expect(queue.next()).toBeUndefined();
  taken?.resolve(Float32Array.of(1));
  await expect(added[0]?.promise).resolves.toEqual(Float32Array.of(1));
});

test('texts over the limit are refused together, and the other role is unaffected', async () => {
  const queue = new TextQueue();
  const added = queue.add('query', messages(...Array.from({ length: 60 }, () => 'q')));
  expect(() => queue.add('query', messages('1', '2', '3', '4', '5'))).toThrow(
    expect.objectContaining({ reason: 'busy' }),
  );
  const more = queue.add('query', messages('1', '2', '3', '4'));
  const documents = queue.add('document', messages('d'));
  const all = Promise.allSettled([...added, ...more, ...documents].map(({ promise }) => promise));
  queue.clear(gone);
  expect(new Set((await all).map(({ status }) => status))).toEqual(new Set(['rejected']));
  expect(queue.next()).toBeUndefined();
});

const data = { modelPath: '', isBackground: false };
const script = new URL('../../support/embeddings/scripted-thread.ts', import.meta.url);

let thread: ModelThread;

beforeEach(() => {
  thread = new ModelThread({ data, stuckMs: 10_000, script });
});

afterEach(() => thread.stop());

const embed = (text: string) => thread.embed({ text, tokensMax: 64 });

test('one thread serves all texts, and a text that the model rejects does not end it', async () => {
  const first = await embed('any');
  await expect(embed('refuse')).rejects.toMatchObject({
    reason: 'rejected',
    message: expect.stringContaining('refused'),
  });
  await expect(embed('any')).resolves.toEqual(first);
});

test.each([
  ['crash', 'unreachable'],
  ['end', 'unreachable'],
  ['lack a file', 'misconfigured'],
])('after the thread fails by "%s", the text is rejected and another thread is started', async (text, reason) => {
  const first = await embed('any');
  await expect(embed(text)).rejects.toMatchObject({ reason });
  await thread.stop();
  await expect(embed('any')).resolves.not.toEqual(first);
});

test('no other thread is started before a stuck one has ended', async () => {
  thread = new ModelThread({ data, stuckMs: 250, script });
  const stuck = { reason: 'unreachable', message: 'The local model is stuck for 250 ms.' };
  // A thread that starts slowly, on a busy machine, counts as stuck as well.
  const succeeds = () => embed('any').then(Boolean, () => false);
  await until(succeeds, 'the start of a thread');
  await expect(embed('stick')).rejects.toMatchObject(stuck);
  await expect(embed('any')).rejects.toMatchObject(stuck);
  await thread.stop();
  await until(succeeds, 'the start of another thread');
});
