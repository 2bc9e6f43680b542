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

test('vectors come back in the order of the texts, whatever the order of the response', async () => {
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
  'the address may have the path "%s"',
  async (path) => {
    await expect(providerOf({ url: `${server.url}${path}` }).embed(['a'], request)).resolves.toHaveLength(1);
  },
);

const faults: readonly (readonly [EmbeddingError['reason'], readonly EmbeddingFault[]])[] = [
  ['unreachable', ['down', 'reset']],
  ['invalid', ['dimension', 'nan', 'null', 'overflow', 'zero', 'count', 'index', 'garbage', 'huge']],
  ['refused', ['html', 429, 500, 503]],
  ['misconfigured', ['redirect', 403, 405]],
  ['rejected', [400, 413, 422]],
];

test.each(faults.flatMap(([reason, each]) => each.map((fault) => [fault, reason] as const)))(
  'a server fault "%s" is an error: %s',
  async (fault, reason) => {
    await server.fail(fault);
    const error = await failureOf(providerOf().embed(['a', 'b'], request));
    expect(error.reason).toBe(reason);
    // An error of a server may quote a text or a key.
    expect(error.message).not.toMatch(/10\.0\.0\.7|key-of/);
    await server.fail(null);
    await expect(providerOf().embed(['a', 'b'], request)).resolves.toHaveLength(2);
  },
);

test.each<[string, Partial<ServedEmbeddings>, EmbeddingError['reason'], string]>([
  ['the key', { apiKey: 'other' }, 'misconfigured', 'status 401: correct EMBEDDINGS_API_KEY'],
  [
    'the model',
    { model: embeddingModel('other-model', dimension) },
    'misconfigured',
    'status 404: correct EMBEDDINGS or EMBEDDINGS_MODEL',
  ],
  [
    'the dimension',
    { model: embeddingModel('some-model', 17) },
    'invalid',
    'of 16 numbers and not 17: correct EMBEDDINGS_DIM',
  ],
])('%s that is wrong is reported with the name of its setting', async (_title, change, reason, words) => {
  const error = await failureOf(providerOf(change).embed(['a'], request));
  expect([error.reason, error.message]).toEqual([reason, expect.stringContaining(words)]);
});

test('a request ends at its timeout, or when its caller aborts it', async () => {
  await server.fail('hang');
  const late = await failureOf(providerOf().embed(['a'], { ...request, timeoutMs: 49.5 }));
  expect(late.reason).toBe('timeout');
  const controller = new AbortController();
  const given = failureOf(providerOf().embed(['a'], { ...request, signal: controller.signal }));
  controller.abort();
  expect((await given).reason).toBe('aborted');
});

test('more texts than a batch allows are a bug of the caller', async () => {
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
