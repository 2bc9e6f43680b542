import { SpanStatusCode, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { SettingsError } from '../../../src/config/settings.ts';
import { tracingConfig } from '../../../src/config/tracing.ts';
import { withoutSecrets } from '../../../src/tracing/without-secrets.ts';

async function exported(attributes: Readonly<Record<string, string | number>>) {
  const memory = new InMemorySpanExporter();
  const provider = new TracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter: withoutSecrets(memory) })],
  });
  const span = provider.getTracer('tests').startSpan('search', { attributes });
  span.recordException(new Error('failed to parse [what was asked]'));
  span.setStatus({ code: SpanStatusCode.ERROR, message: 'failed to parse [what was asked]' });
  span.end();
  await provider.forceFlush();
  const [found] = memory.getFinishedSpans();
  if (found === undefined) throw new Error('nothing was exported');
  return found;
}

test('a span has only attributes that are known to be harmless', async () => {
  const span = await exported({
    'http.request.method': 'GET',
    'http.route': '/api/v1/search',
    'url.path': '/api/v1/companies/slug',
    'url.query': 'q=asked',
    'url.full': 'http://a:b@c/',
    'server.address': 'whatever the caller wrote',
    'client.address': '192.0.2.1',
    'user_agent.original': 'agent',
    'http.request.header.authorization': 'Bearer key',
    'db.query.text': '{"query":"asked"}',
    'something.new': 'x',
  });
  expect(span.attributes).toEqual({ 'http.request.method': 'GET', 'http.route': '/api/v1/search' });
  expect(span.status).toEqual({ code: SpanStatusCode.ERROR });
  expect(span.events).toEqual([{ name: 'exception', time: expect.anything() }]);
  expect(trace.isSpanContextValid(span.spanContext())).toBe(true);
});

test('an engine is named by its address; a span has the text of its SQL, and not the body of a search', async () => {
  const sql = { 'db.system.name': 'postgresql', 'db.query.text': 'select $1', 'server.address': 'db' };
  expect((await exported(sql)).attributes).toEqual(sql);
  const body = { 'db.system': 'elasticsearch', 'db.operation.name': 'search', 'server.port': 9200 };
  expect((await exported({ ...body, 'db.query.text': '{}' })).attributes).toEqual(body);
});

test("OpenTelemetry's variables switch tracing on and off", () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  const on = { json: false, ratio: 1, delayMs: 5_000, timeoutMs: 10_000 };
  for (const [env, config] of [
    [{}, null],
    [endpoint, on],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' }, on],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, null],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, null],
    [{ ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }, null],
    [{ ...endpoint, OTEL_SDK_DISABLED: 'false' }, on],
    [
      { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
      { ...on, json: true },
    ],
    [
      { ...endpoint, OTEL_TRACES_SAMPLER_ARG: '0.25' },
      { ...on, ratio: 0.25 },
    ],
  ] as const) {
    expect({ env, config: tracingConfig(env) }).toEqual({ env, config });
  }
  for (const wrong of [
    { OTEL_TRACES_SAMPLER_ARG: '2' },
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' },
  ]) {
    expect(() => tracingConfig(wrong)).toThrow(SettingsError);
  }
});
