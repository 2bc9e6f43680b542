import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { startApiProcess } from '../../support/api/process.ts';
import { startEmbeddingServer } from '../../support/embeddings/embedding-server.ts';
import { localEmbeddings, testWithLocalModel } from '../../support/embeddings/local-model.ts';
import { closedAfterFile } from '../../support/for-file.ts';
import { until } from '../../support/until.ts';

// The API's process with a provider of embeddings. No engine is needed, because only what works without one is tested.

const testWithModel = await testWithLocalModel('the API with the local model of embeddings');
const engines = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', ELASTICSEARCH_URL: 'http://127.0.0.1:1' };
const report = z.object({ diagnostics: z.object({ embeddings: z.object({ state: z.string(), model: z.string() }) }) });

const server = await closedAfterFile(
  startEmbeddingServer({ dimension: 8, model: 'some-model', apiKey: 'good-key' }),
  (opened) => opened.close(),
);

const settings = () => ({
  ...engines,
  EMBEDDINGS: server.url,
  EMBEDDINGS_MODEL: 'some-model',
  EMBEDDINGS_DIMENSION: '8',
  EMBEDDINGS_API_KEY: 'good-key',
});

async function embeddingsOf(url: string) {
  const response = await fetch(`${url}/api/health?detailed=true`);
  return report.parse(await response.json()).diagnostics.embeddings;
}

test('the API reports in its log, health and metrics that queries get vectors', async () => {
  await using api = startApiProcess({ ...settings(), METRICS_PORT: '0' }, { checked: false });
  const url = await api.url;
  expect(await embeddingsOf(url)).toMatchObject({ model: 'some-model' });
  await until(async () => (await embeddingsOf(url)).state === 'ready', 'queries get vectors');
  expect(api.log).toContainEqual(expect.objectContaining({ msg: 'queries get vectors', model: 'some-model' }));
  expect(JSON.stringify(api.log)).not.toContain('good-key');
  const port = api.log.find(({ msg }) => msg === 'offering metrics')?.port;
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(metrics).toContain('entity_search_embedding_available 1');
  expect(metrics).toMatch(/^entity_search_embedding_requests_total\{outcome="ok"\} [1-9]/m);
});

test('the API starts while the provider is down, and finds it later', async () => {
  await server.fail('down');
  await using api = startApiProcess(settings());
  const url = await api.url;
  expect(api.log).toContainEqual(
    expect.objectContaining({ msg: 'the provider of embeddings does not answer yet', reason: 'unreachable' }),
  );
  expect((await embeddingsOf(url)).state).toBe('unavailable');
  await server.fail(null);
  await until(async () => (await embeddingsOf(url)).state === 'ready', 'the provider is back');
});

test('SIGTERM while the API waits for the provider ends it with 0, before it listens', async () => {
  await server.fail('hang');
  const before = server.requests.length;
  await using api = startApiProcess(settings());
  await until(() => server.requests.length > before, 'the provider is asked');
  api.child.kill('SIGTERM');
  expect((await api.ended).code).toBe(0);
  await server.fail(null);
  const said = api.log.map(({ msg }) => msg);
  expect(said).toEqual(expect.arrayContaining(['draining', 'stopped']));
  expect(said).not.toContain('listening');
});

test('the API does not start if a setting of the provider is wrong, and names it', async () => {
  await using api = startApiProcess({ ...settings(), EMBEDDINGS_API_KEY: 'bad-key' });
  const ended = await api.ended;
  expect(ended).toEqual({ code: 1, words: expect.stringMatching(/status 401: correct EMBEDDINGS_API_KEY/) });
  expect(ended.words).not.toMatch(/good-key|bad-key/);
});

test('the API does not start without the files of the local model, and explains how to fetch them', async () => {
  const missing = join(tmpdir(), 'no-such-model');
  await using api = startApiProcess({ ...engines, EMBEDDINGS: 'local', EMBEDDINGS_MODEL_PATH: missing });
  expect(await api.ended).toEqual({ code: 1, words: expect.stringMatching(/no-such-model.*npm run embeddings:model/) });
});

testWithModel('an API with a local model exits with 0 on SIGTERM', async () => {
  const local = { EMBEDDINGS: 'local', EMBEDDINGS_MODEL_PATH: localEmbeddings.modelPath };
  await using api = startApiProcess({ ...engines, ...local });
  const url = await api.url;
  // Loading a model takes long on a busy machine.
  await until(async () => (await embeddingsOf(url)).state === 'ready', 'the local model is ready');
  api.child.kill('SIGTERM');
  expect((await api.ended).code).toBe(0);
});
