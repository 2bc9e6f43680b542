import { startApiProcess } from '../../support/api/process.ts';
import { forFile } from '../../support/for-file.ts';
import { setStage } from '../../support/stages/api.ts';
import { spansOf, startReceiver } from '../../support/telemetry/trace-receiver.ts';
import { until } from '../../support/until.ts';

// Traces as a receiver gets them: a real one, which speaks OTLP over HTTP.

const stage = await forFile(setStage());

const secrets = ['unlikelyword', 'unlikely-host', 'unlikely-slug', 'unlikely-agent', 'unlikely-header'];

/** A search and a record, with something to hide wherever a caller can put it. */
async function ask(url: string, key: string, headers: Readonly<Record<string, string>> = {}) {
  const given = {
    authorization: `Bearer ${key}`,
    'user-agent': 'unlikely-agent',
    'x-forwarded-host': 'unlikely-host',
    cookie: 'a=unlikely-header',
    ...headers,
  };
  expect((await fetch(`${url}/api/v1/companies/unlikely-slug`, { headers: given })).status).toBe(404);
  const found = await fetch(`${url}/api/v1/search?type=companies&query=unlikelyword`, { headers: given });
  expect(found.status).toBe(200);
  await found.arrayBuffer();
}

function environment(more: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return {
    DATABASE_URL: stage.databaseUrl,
    ELASTICSEARCH_URL: stage.elasticsearchUrl,
    INDEX_PREFIX: stage.indexPrefix,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    ...more,
  };
}

test('a search is one trace of HTTP, Postgres and Elasticsearch, which joins the caller and the log', async () => {
  await using receiver = await startReceiver();
  const key = await stage.createKey();
  await using api = startApiProcess(
    environment({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }),
  );
  const url = await api.url;
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  await ask(url, key, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
  const ours = () => spansOf(receiver.bodies).filter((span) => span.traceId === traceId);
  await until(() => ours().some(({ name }) => name === 'GET /api/v1/search'), 'the span of the search');

  const root = ours().find(({ name }) => name === 'GET /api/v1/search');
  expect(root).toMatchObject({ scope: '@opentelemetry/instrumentation-http', parentSpanId: '00f067aa0ba902b7' });
  const byId = new Map(ours().map((span) => [span.spanId, span]));
  const isBelow = (id: string | undefined): boolean =>
    id !== undefined && (id === root?.spanId || isBelow(byId.get(id)?.parentSpanId));
  const below = ours().filter(({ parentSpanId }) => isBelow(parentSpanId));
  expect(below.filter(({ scope }) => scope === '@elastic/transport').map(({ name }) => name)).toContain('search');
  expect(below.map(({ scope }) => scope)).toContain('@opentelemetry/instrumentation-pg');
  expect(below.map(({ scope }) => scope)).toContain('@opentelemetry/instrumentation-koa');
  expect(ours().map(({ name }) => name)).toContain('GET /api/v1/companies/:identifier');

  const lines = () => api.log.filter(({ msg }) => msg === 'request');
  await until(() => lines().length === 2, 'the lines of both requests');
  expect(lines().map((line) => line.traceId)).toEqual([traceId, traceId]);
  // SQL is there as it was written; nothing that a caller sent is.
  const text = Buffer.concat(receiver.bodies).toString('utf8');
  expect(text).toContain('from api_keys k join accounts');
  expect(text).toContain('entity-search-api');
  expect([...secrets, key, new URL(stage.databaseUrl).password].filter((secret) => text.includes(secret))).toEqual([]);
});

test('by default traces are written as protobuf; what was not sent yet is sent at the end', async () => {
  await using receiver = await startReceiver();
  const key = await stage.createKey();
  await using api = startApiProcess(
    environment({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_SERVICE_NAME: 'searching',
      OTEL_BSP_SCHEDULE_DELAY: '60000',
    }),
  );
  await ask(await api.url, key);
  expect(receiver.bodies).toEqual([]);
  api.child.kill('SIGTERM');
  expect((await api.ended).code).toBe(0);
  expect(new Set(receiver.types)).toEqual(new Set(['application/x-protobuf']));
  const text = Buffer.concat(receiver.bodies).toString('latin1');
  for (const word of ['GET /api/v1/search', '@elastic/transport', 'searching']) expect(text).toContain(word);
  expect([...secrets, key].filter((secret) => text.includes(secret))).toEqual([]);
});

test('an absent receiver, or sampling, disturbs no request', async () => {
  const key = await stage.createKey();
  await using api = startApiProcess(environment({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }));
  await ask(await api.url, key);
  api.child.kill('SIGTERM');
  expect((await api.ended).code).toBe(0);

  await using receiver = await startReceiver();
  await using sampled = startApiProcess(
    environment({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_TRACES_SAMPLER_ARG: '0' }),
  );
  await ask(await sampled.url, key);
  sampled.child.kill('SIGTERM');
  expect((await sampled.ended).code).toBe(0);
  expect(receiver.bodies).toEqual([]);
});

test('nothing of tracing is loaded while no receiver is named, or it is switched off; nonsense is refused', async () => {
  const telling = `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (/sdk-trace|import-in-the-middle/.test(name)) process.stderr.write('loaded ' + name + '\\n');
      return next(name, context);
    } });`)}`;
  for (const [given, loads] of [
    [{}, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_TRACES_EXPORTER: 'none' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, true],
  ] as const) {
    await using api = startApiProcess(environment({ NODE_OPTIONS: `--import=${telling}`, ...given }));
    await api.url;
    api.child.kill('SIGTERM');
    expect({ given, loads: (await api.ended).words.includes('loaded ') }).toEqual({ given, loads });
  }
  await using wrong = startApiProcess(environment({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }));
  expect(await wrong.ended).toMatchObject({
    code: 1,
    words: expect.stringContaining('OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf or http/json'),
  });
});
