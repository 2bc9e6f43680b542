import { readEmbeddings } from '../../../src/config/embeddings.ts';
import { problemsOf } from '../../support/settings-read.ts';

const served = { EMBEDDINGS: 'http://127.0.0.1:11434', EMBEDDINGS_MODEL: 'all-minilm', EMBEDDINGS_DIMENSION: '384' };

const refusalsOf = (env: Readonly<Record<string, string>>) => problemsOf(() => readEmbeddings(env));

test('embeddings are off by default', () => {
  expect(readEmbeddings({})).toBeNull();
  expect(readEmbeddings({ ...served, EMBEDDINGS: 'off', EMBEDDINGS_API_KEY: 'x' })).toBeNull();
});

test('a server needs a model and a dimension, and may have a key', () => {
  expect(readEmbeddings({ ...served, EMBEDDINGS_API_KEY: 'secret' })).toEqual({
    provider: 'url',
    url: 'http://127.0.0.1:11434',
    apiKey: 'secret',
    model: { name: 'all-minilm', dimension: 384, key: expect.stringMatching(/^[0-9a-f]{8}$/) },
    batchSize: 32,
  });
  expect(refusalsOf({ EMBEDDINGS: served.EMBEDDINGS })).toEqual([
    expect.stringMatching(/^EMBEDDINGS_MODEL: is not set/),
    expect.stringMatching(/^EMBEDDINGS_DIMENSION: is not set/),
  ]);
});

test('the local model has a fixed dimension, and a folder independent of the working directory', () => {
  expect(readEmbeddings({ EMBEDDINGS: 'local' })).toMatchObject({
    provider: 'local',
    model: { name: 'bge-small-en-v1.5', dimension: 384 },
    modelPath: expect.stringMatching(/^\/.*\/\.local\/embeddings\/bge-small-en-v1\.5$/),
  });
  expect(
    readEmbeddings({ EMBEDDINGS: 'local', EMBEDDINGS_MODEL: 'bge-small-en-v1.5', EMBEDDINGS_MODEL_PATH: '/models' }),
  ).toMatchObject({ modelPath: '/models' });
  expect(refusalsOf({ ...served, EMBEDDINGS: 'local' })).toEqual([
    'EMBEDDINGS_MODEL: the local model is bge-small-en-v1.5; unset it',
    expect.stringMatching(/^EMBEDDINGS_DIMENSION: .*unset it$/),
  ]);
});

test.each([
  ['an unknown word', { EMBEDDINGS: 'on' }],
  ['another protocol', { EMBEDDINGS: 'ftp://127.0.0.1/' }],
  ['credentials in the address', { EMBEDDINGS: 'https://user:secret@example.com' }],
  ['a key in the address', { EMBEDDINGS: 'https://example.com/?key=secret' }],
])('%s is refused without being printed', (_, change) => {
  const problems = refusalsOf({ ...served, ...change });
  expect(problems).toEqual([expect.stringMatching(/^EMBEDDINGS: must be off, local, or an address/)]);
  expect(problems.join()).not.toContain('secret');
});

test.each(['secret\nx', 'secret x', 'secret\u00e9'])(
  'a key that no header can contain is refused without being printed: %j',
  (key) => {
    const problems = refusalsOf({ ...served, EMBEDDINGS_API_KEY: key });
    expect(problems).toEqual([expect.stringMatching(/^EMBEDDINGS_API_KEY: must consist of visible ASCII characters/)]);
    expect(problems.join()).not.toContain('secret');
  },
);

test.each([
  ['EMBEDDINGS_DIMENSION', ['0', '-1', '4097', '1.5', '10000', 'many']],
  ['EMBEDDINGS_MODEL', ['m'.repeat(201)]],
])('%s has limits', (name, values) => {
  for (const value of values) {
    expect(refusalsOf({ ...served, [name]: value })).toEqual([expect.stringContaining(`${name}: `)]);
  }
});
