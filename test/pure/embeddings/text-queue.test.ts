import { TextQueue } from '../../../src/embeddings/local/local-provider.ts';
import { EmbeddingError } from '../../../src/embeddings/provider.ts';

const messages = (...texts: readonly string[]) => texts.map((text) => ({ text, tokensMax: 64 }));
const gone = new EmbeddingError('aborted', 'gone');

test('queries come before documents, each in the order of arrival', () => {
  const queue = new TextQueue();
  queue.add('document', messages('d1', 'd2'));
  queue.add('query', messages('q1'));
  queue.add('document', messages('d3'));
  queue.add('query', messages('q2'));
  const order = Array.from({ length: 6 }, () => queue.next()?.message.text);
  expect(order).toEqual(['q1', 'q2', 'd1', 'd2', 'd3', undefined]);
});

test('a dropped text fails and is not taken; one taken before is left alone', async () => {
  const queue = new TextQueue();
  const added = queue.add('query', messages('a', 'b'));
  const taken = queue.next();
  queue.drop(added, gone);
  await expect(added[1]?.promise).rejects.toBe(gone);
  expect(queue.next()).toBeUndefined();
  taken?.resolve(Float32Array.of(1));
  await expect(added[0]?.promise).resolves.toEqual(Float32Array.of(1));
});

test('too many are refused together, and those of the other role are not', async () => {
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
