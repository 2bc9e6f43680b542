import {
  createTermVectorSource,
  type PhraseList,
  type TermVectorSource,
} from '../../../src/embeddings/term-vectors.ts';
import type { TermPhrase } from '../../../src/search/meaning/term-vectors.ts';
import {
  createTestProvider,
  failWith,
  rejectTexts,
  type TestProvider,
} from '../../support/embeddings/test-provider.ts';
import { until } from '../../support/until.ts';

const tag = (term: string): TermPhrase => ({ kind: 'tag', term, phrase: term });
const queries = ['what people ask', 'something else'];

let provider: TestProvider;
let source: TermVectorSource;
let list: PhraseList;

/** Looks again after two seconds as long as the list is not whole. */
function begin(terms: readonly string[], isWhole = false): void {
  provider = createTestProvider();
  list = { list: terms.map(tag), queries, offTopic: [], isWhole };
  source = createTermVectorSource(
    provider,
    () => list,
    () => 0,
  );
}

afterEach(() => source.close());

const terms = () => source.latest().terms.map(({ term }) => term);

test('There are none until they are made, in the background', async () => {
  begin(['a', 'b', 'c'], true);
  expect(terms()).toEqual([]);
  source.start();
  expect(terms()).toEqual([]);
  await until(() => terms().length > 0, 'that there are terms');
  expect(terms()).toEqual(['a', 'b', 'c']);
  expect(source.latest()).toMatchObject({ ofQueries: { length: 8 } });
  expect(provider.asked).toEqual([queries, ['a', 'b', 'c']]);
});

test('Only what is new is embedded, and as many tags as before are other tags all the same', async () => {
  begin(['a', 'b']);
  source.start();
  await until(() => terms().length > 0, 'that there are terms');
  list = { list: [tag('b'), tag('c')], queries, offTopic: [], isWhole: true };
  await until(() => terms().includes('c'), 'that the new tag is there');
  expect(terms()).toEqual(['b', 'c']);
  expect(provider.asked.slice(2)).toEqual([['c']]);
});

test('A text that the provider rejects is left out, and keeps no other from its vector', async () => {
  begin(['a', 'b', 'unreadable', 'd', 'e'], true);
  provider.before = rejectTexts((text) => text === 'unreadable');
  source.start();
  await until(() => terms().length > 0, 'that there are terms');
  expect(terms()).toEqual(['a', 'b', 'd', 'e']);
});

test('A provider that is away is asked again later', async () => {
  begin(['a'], true);
  provider.before = failWith('unreachable');
  source.start();
  await until(() => provider.asked.length === 1, 'that it is asked');
  expect(terms()).toEqual([]);
  provider.before = () => undefined;
  await until(() => terms().length > 0, 'that there are terms');
  expect(terms()).toEqual(['a']);
});

test('Closing ends it, whatever it waits for', async () => {
  begin(['a'], true);
  provider.before = () => new Promise((resolve) => setTimeout(resolve, 20));
  source.start();
  await source.close();
  expect(terms()).toEqual([]);
  const asked = provider.asked.length;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(provider.asked.length).toBe(asked);
});
