import type { ServedEmbeddings } from '../../../src/config/embeddings.ts';
import { embeddingModel } from '../../../src/embeddings/model.ts';
import {
  checkProvider,
  EmbeddingError,
  type EmbeddingProvider,
  isWrongSetting,
} from '../../../src/embeddings/provider.ts';
import { createUrlProvider } from '../../../src/embeddings/url-provider.ts';
import { type EmbeddingFault, startEmbeddingServer } from '../../support/embeddings/embedding-server.ts';
import { wordVector } from '../../support/embeddings/word-vectors.ts';
import { closedAfterFile } from '../../support/for-file.ts';

const dimension = 16;
const apiKey = 'key-of-the-provider';
const request = { role: 'document', timeoutMs: 5_000 } as const;

const server = await closedAfterFile(startEmbeddingServer({ dimension, apiKey, model: 'some-model' }), (opened) =>
  opened.close(),
);

afterEach(async () => {
  await server.fail(null);
  server.reject(null);
});

function providerOf(change: Partial<ServedEmbeddings> = {}): EmbeddingProvider {
  return createUrlProvider({
    provider: 'url',
    url: server.url,
    apiKey,
    model: embeddingModel('some-model', dimension),
    batchSize: 4,
    ...change,
  });
}

async function failureOf(work: Promise<unknown>): Promise<EmbeddingError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof EmbeddingError) return error;
  throw new Error(`There is no EmbeddingError, but ${String(error)}.`);
}

test('the vectors come in the order of the texts, whatever the order of the answer', async () => {
  const texts = ['lending market', 'hardware wallet', 'lending protocol'];
  expect(await providerOf().embed(texts, request)).toEqual(texts.map((text) => wordVector(text, dimension)));
  expect(await providerOf().embed([], request)).toEqual([]);
  expect(server.requests.at(-1)).toEqual({
    model: 'some-model',
    input: texts,
    encoding_format: 'float',
    authorization: `Bearer ${apiKey}`,
  });
});

test.each(['', '/', '/v1', '/v1/', '/v1/embeddings', '/v1/embeddings/'])(
  'the address may be given with the path "%s"',
  async (path) => {
    await expect(providerOf({ url: `${server.url}${path}` }).embed(['a'], request)).resolves.toHaveLength(1);
  },
);

test.each<[EmbeddingFault, EmbeddingError['reason']]>([
  ['down', 'unreachable'],
  ['reset', 'unreachable'],
  ['dimension', 'invalid'],
  ['nan', 'invalid'],
  ['null', 'invalid'],
  ['overflow', 'invalid'],
  ['zero', 'invalid'],
  ['count', 'invalid'],
  ['index', 'invalid'],
  ['garbage', 'invalid'],
  ['huge', 'invalid'],
  ['html', 'refused'],
  [429, 'refused'],
  [500, 'refused'],
  [503, 'refused'],
  ['redirect', 'misconfigured'],
  [403, 'misconfigured'],
  [405, 'misconfigured'],
  [400, 'rejected'],
  [413, 'rejected'],
  [422, 'rejected'],
])('a server that fails with "%s" is an error: %s', async (fault, reason) => {
  await server.fail(fault);
  const error = await failureOf(providerOf().embed(['a', 'b'], request));
  expect(error.reason).toBe(reason);
  // An error of a server may quote a text or a key.
  expect(error.message).not.toMatch(/10\.0\.0\.7|key-of/);
  await server.fail(null);
  await expect(providerOf().embed(['a', 'b'], request)).resolves.toHaveLength(2);
});

test('a wrong setting is reported with its name', async () => {
  const wrongKey = await failureOf(providerOf({ apiKey: 'other' }).embed(['a'], request));
  expect([wrongKey.reason, wrongKey.message]).toEqual(['misconfigured', expect.stringContaining('EMBEDDINGS_API_KEY')]);
  const unknownModel = embeddingModel('other-model', dimension);
  const wrongModel = await failureOf(providerOf({ model: unknownModel }).embed(['a'], request));
  expect([wrongModel.reason, wrongModel.message]).toEqual([
    'misconfigured',
    expect.stringContaining('EMBEDDINGS_MODEL'),
  ]);
  const longer = embeddingModel('some-model', dimension + 1);
  const wrongDimension = await failureOf(providerOf({ model: longer }).embed(['a'], request));
  expect([wrongDimension.reason, wrongDimension.message]).toEqual([
    'invalid',
    expect.stringContaining('vectors of 16 numbers and not 17: correct EMBEDDINGS_DIMENSION'),
  ]);
});

test('a request ends with its time, and with the wish of who asked', async () => {
  await server.fail('hang');
  const late = await failureOf(providerOf().embed(['a'], { ...request, timeoutMs: 49.5 }));
  expect(late.reason).toBe('timeout');
  const controller = new AbortController();
  const given = failureOf(providerOf().embed(['a'], { ...request, signal: controller.signal }));
  controller.abort();
  expect((await given).reason).toBe('aborted');
});

test('more texts at once than were agreed are a bug of the caller', async () => {
  await expect(providerOf().embed(['a', 'b', 'c', 'd', 'e'], request)).rejects.toThrow('5 texts at once');
});

test('a check distinguishes a wrong setting from a provider that is down', async () => {
  await checkProvider(providerOf(), 5_000);
  const longer = providerOf({ model: embeddingModel('some-model', dimension + 1) });
  expect(isWrongSetting(await failureOf(checkProvider(longer, 5_000)))).toBe(true);
  await server.fail(404);
  expect(isWrongSetting(await failureOf(checkProvider(providerOf(), 5_000)))).toBe(true);
  for (const fault of ['down', 'hang', 503] as const) {
    await server.fail(fault);
    expect(isWrongSetting(await failureOf(checkProvider(providerOf(), 100)))).toBe(false);
  }
});
