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
  source = createTermVectorSource(provider, { list: terms.map(concept), queries, offTopic: [] }, () => 0);
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
