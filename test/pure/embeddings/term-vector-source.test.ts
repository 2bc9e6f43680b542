import { createTermVectorSource, type TermVectorSource } from '../../../src/embeddings/term-vectors.ts';
import type { TermPhrase } from '../../../src/search/meaning/term-vectors.ts';
import {
  createTestProvider,
  failWith,
  rejectTexts,
  type TestProvider,
} from '../../support/embeddings/test-provider.ts';
import { until } from '../../support/until.ts';

const concept = (term: string): TermPhrase => ({ term, phrase: term });
const queries = ['what people ask', 'something else'];

let provider: TestProvider;
let source: TermVectorSource;

function begin(terms: readonly string[]): void {
  provider = createTestProvider();
  source = createTermVectorSource(
    provider,
    { list: terms.map(concept), queries, offTopic: [] },
    { random: () => 0, elapsed: () => 0 },
  );
}

afterEach(() => source.close());

const terms = () => source.latest().terms.map(({ term }) => term);

test('terms are empty until the background run has embedded them', async () => {
  begin(['a', 'b', 'c']);
  expect(terms()).toEqual([]);
  source.start();
  expect(terms()).toEqual([]);
  await until(() => terms().length > 0, 'that there are terms');
  expect(terms()).toEqual(['a', 'b', 'c']);
  expect(source.latest()).toMatchObject({ ofQueries: { length: 8 } });
  expect(provider.asked).toEqual([queries, ['a', 'b', 'c']]);
});

test('after each batch but the last, it waits for as long as the batch took', async () => {
  provider = createTestProvider();
  const list = Array.from({ length: provider.batchSize * 2 }, (_, at) => concept(`concept ${at}`));
  const calls: number[] = [];
  const elapsed = () => calls.push(0) * 3_600_000;
  source = createTermVectorSource(provider, { list, queries, offTopic: [] }, { random: () => 0, elapsed });
  source.start();
  await until(() => provider.asked.length === 2, 'that the queries and a batch of concepts are embedded');
  for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
  expect(provider.asked).toHaveLength(2);
});

test('a text that the provider rejects is left out, and the others get their vectors', async () => {
  begin(['a', 'b', 'unreadable', 'd', 'e']);
  provider.before = rejectTexts((text) => text === 'unreadable');
  source.start();
  await until(() => terms().length > 0, 'that there are terms');
  expect(terms()).toEqual(['a', 'b', 'd', 'e']);
});

test('a provider that is down is called again later', async () => {
  begin(['a']);
  provider.before = failWith('unreachable');
  source.start();
  await until(() => provider.asked.length === 1, 'that it is asked');
  expect(terms()).toEqual([]);
  provider.before = () => undefined;
  await until(() => terms().length > 0, 'that there are terms');
  expect(terms()).toEqual(['a']);
});

test('closing stops the source, whatever it waits for', async () => {
  begin(['a']);
  provider.before = () => new Promise((resolve) => setTimeout(resolve, 20));
  source.start();
  await source.close();
  expect(terms()).toEqual([]);
  const asked = provider.asked.length;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(provider.asked.length).toBe(asked);
});
