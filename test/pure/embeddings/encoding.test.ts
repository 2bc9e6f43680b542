import { localModels, pooled, shortened, truncated } from '../../../src/embeddings/local/models.ts';

test('a text that is too long is cut, and its last token marks the end', () => {
  expect(truncated([101, 1, 2, 102], 4)).toEqual([101, 1, 2, 102]);
  expect(truncated([101, 1, 2, 3, 4, 102], 4)).toEqual([101, 1, 2, 102]);
  expect(truncated([], 4)).toEqual([]);
  expect(shortened('x'.repeat(100_000), 64)).toHaveLength(1_024);
});

const states = Float32Array.of(3, 4, 0, 9, 0, 2);

test('a vector is that of the first token, or the mean of all, of length 1', () => {
  const first = pooled(states, { dimension: 2, pooling: 'first', queryPrefix: '' });
  expect(first).toEqual(Float32Array.of(0.6, 0.8));
  const mean = pooled(states, { dimension: 2, pooling: 'mean', queryPrefix: '' });
  expect(mean).toEqual(Float32Array.of(3, 15).map((number) => number / Math.hypot(3, 15)));
  expect(pooled(new Float32Array(4), { dimension: 2, pooling: 'mean', queryPrefix: '' })).toEqual(
    Float32Array.of(0, 0),
  );
});

test('bge wants its sentence before a query', () => {
  expect(localModels['bge-small-en-v1.5'].queryPrefix).toMatch(/^Represent this sentence .* passages: $/);
});
