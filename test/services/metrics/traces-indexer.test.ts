import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { forFile } from '../../support/for-file.ts';
import { companyCount, setReindexStage } from '../../support/stages/reindex.ts';
import { type Receiver, spansOf, startReceiver } from '../../support/telemetry/trace-receiver.ts';
import { until } from '../../support/until.ts';

// Traces of the command line, which is run as a process of its own, as a real receiver gets them.

const stage = await forFile(setReindexStage());

const root = join(import.meta.dirname, '..', '..', '..');

type Variables = Readonly<Record<string, string>>;

/** A running `entity-search`, with just these variables. */
function start(args: readonly string[], env: Variables) {
  const child = spawn(process.execPath, ['cli/main.ts', ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, ...stage.env, OTEL_BSP_SCHEDULE_DELAY: '50', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
    ([[code], out, err]) => ({ code: code as number | null, out, err }),
  );
  return {
    child,
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const to = ({ url }: Pick<Receiver, 'url'>): Variables => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
});

type SentSpan = ReturnType<typeof spansOf>[number];

function factsOf(span: SentSpan | undefined): Record<string, unknown> {
  return Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** Returns the instrumentations below a span, at any depth. */
function scopesBelow(spans: readonly SentSpan[], top: SentSpan | undefined): readonly string[] {
  const below = spans.filter(({ parentSpanId }) => parentSpanId !== undefined && parentSpanId === top?.spanId);
  return [...new Set(below.flatMap((span) => [span.scope, ...scopesBelow(spans, span)]))].sort();
}

const pg = '@opentelemetry/instrumentation-pg';
const elastic = '@elastic/transport';

/** Every span is one of ours or below one; nothing of the data and no password is in what was sent. */
function expectWhole(receiver: Receiver): readonly SentSpan[] {
  const spans = spansOf(receiver.bodies);
  const known = new Set(spans.map(({ spanId }) => spanId));
  const strays = spans.filter(
    ({ scope, parentSpanId = '' }) => scope !== 'entity-search-indexer' && !known.has(parentSpanId),
  );
  expect(strays.map(({ name }) => name)).toEqual([]);
  const sent = Buffer.concat(receiver.bodies).toString('utf8');
  expect(sent).toContain('entity-search-indexer');
  const { password } = new URL(stage.databaseUrl);
  expect([secret, 'Company 17', password].filter((one) => one !== '' && sent.includes(one))).toEqual([]);
  return spans;
}

const secret = 'Unlikely Holdings';

test('a reindex is a trace of its steps, with what each asks of Postgres and Elasticsearch', async () => {
  await using receiver = await startReceiver();
  expect(await start(['reindex', 'companies'], to(receiver)).ended).toMatchObject({ code: 0 });
  const spans = expectWhole(receiver);
  const ours = spans.filter(({ scope }) => scope === 'entity-search-indexer');
  const named = (name: string): SentSpan | undefined => ours.find((span) => span.name === name);
  expect(ours.map(({ name }) => name).filter((name) => name !== 'sync round')).toEqual([
    'reindex planned',
    'reindex created',
    'reindex loading',
    'reindex catching-up',
    'reindex verifying',
    'reindex ready',
    'reindex',
  ]);
  const top = named('reindex');
  expect(top?.parentSpanId).toBeUndefined();
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([top?.traceId]));
  for (const step of ['planned', 'ready']) expect(scopesBelow(spans, named(`reindex ${step}`))).toContain(elastic);
  for (const step of ['loading', 'verifying']) {
    expect(scopesBelow(spans, named(`reindex ${step}`))).toEqual(expect.arrayContaining([elastic, pg]));
  }
  expect(factsOf(named('reindex loading'))).toEqual({
    'entity_search.kind': 'companies',
    'entity_search.state': 'loading',
    'entity_search.rows': companyCount,
    'entity_search.dead_letters': 0,
  });
  expect(factsOf(top)).toMatchObject({ 'entity_search.state': 'live', 'entity_search.rows': companyCount });
});

test('a round of sync that applied changes is a trace; rounds that found nothing are none', async () => {
  await stage.run({ kinds: ['people'] });
  await using receiver = await startReceiver();
  await using sync = start(['sync', 'people'], to(receiver));
  const rounds = () => spansOf(receiver.bodies).filter(({ name }) => name === 'sync round');
  const applied = () => rounds().reduce((sum, round) => sum + Number(factsOf(round)['entity_search.documents']), 0);
  await stage.pool.query('update people set name = $1 where id = 17', [secret]);
  await until(() => applied() === 1, 'the span of the first round');
  await stage.pool.query('update people set name = $1 where id = 18', [secret]);
  await until(() => applied() === 2, 'the span of the second round');
  sync.child.kill('SIGTERM');
  expect(await sync.ended).toMatchObject({ code: 0 });
  const spans = expectWhole(receiver);
  expect(rounds().map(({ parentSpanId }) => parentSpanId)).toEqual([undefined, undefined]);
  for (const round of rounds()) {
    expect(factsOf(round)).toMatchObject({ 'entity_search.kind': 'people', 'entity_search.documents': 1 });
    expect(scopesBelow(spans, round)).toEqual(expect.arrayContaining([elastic, pg]));
  }
  expect(spans.filter(({ scope }) => scope === 'entity-search-indexer')).toHaveLength(2);
});

test('other commands are one span each; what was not sent yet is sent at the end, also when stopped', async () => {
  await using receiver = await startReceiver();
  const late = { ...to(receiver), OTEL_BSP_SCHEDULE_DELAY: '60000', OTEL_SERVICE_NAME: 'moving' };
  expect(await start(['verify', 'people'], late).ended).toMatchObject({ code: 0 });
  expect(await start(['verify', '--nonsense'], late).ended).toMatchObject({ code: 64 });
  await using sync = start(['sync', 'people'], late);
  await stage.pool.query('update people set name = $1 where id = 19', [secret]);
  const { client, prefix } = stage.indices;
  const nameOf19 = async () =>
    (await client.get<{ name: string }>({ index: `${prefix}people`, id: '19' }))._source?.name;
  // It is applied, but not sent: the process is asked to end first.
  while ((await nameOf19()) !== secret) await new Promise(setImmediate);
  sync.child.kill('SIGTERM');
  expect(await sync.ended).toMatchObject({ code: 0 });
  const spans = spansOf(receiver.bodies);
  const names = spans.filter(({ scope }) => scope === 'entity-search-indexer').map(({ name }) => name);
  expect(names).toEqual(['entity-search verify', 'entity-search verify', 'sync round']);
  expect(
    scopesBelow(
      spans,
      spans.find(({ name }) => name === 'entity-search verify'),
    ),
  ).toEqual(expect.arrayContaining([elastic, pg]));
  expect(Buffer.concat(receiver.bodies).toString('utf8')).toContain('moving');
});

test('a receiver that is away, or never answers, neither fails a command nor holds it up for longer than set', async () => {
  await using hanging = await startHanging();
  for (const url of ['http://127.0.0.1:9', hanging.url]) {
    const env = { ...to({ url }), OTEL_EXPORTER_OTLP_TIMEOUT: '500' };
    const { code, out, err } = await start(['status'], env).ended;
    expect({ url, code, err }).toEqual({ url, code: 0, err: expect.stringContaining('could not be sent') });
    expect(out).toContain('companies');
  }
});

test('nothing is sent or loaded where no receiver is named; nonsense is refused, and shown settings have all', async () => {
  const telling = `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (/sdk-trace|import-in-the-middle/.test(name)) process.stderr.write('loaded ' + name + '\\n');
      return next(name, context);
    } });`)}`;
  await using receiver = await startReceiver();
  for (const [given, loads] of [
    [{}, false],
    [{ ...to(receiver), OTEL_SDK_DISABLED: 'true' }, false],
    [{ ...to(receiver), OTEL_TRACES_SAMPLER_ARG: '0' }, true],
  ] as const) {
    const { code, err } = await start(['status'], { NODE_OPTIONS: `--import=${telling}`, ...given }).ended;
    expect({ given, code, loads: err.includes('loaded ') }).toEqual({ given, code: 0, loads });
  }
  expect(receiver.bodies).toEqual([]);
  expect(await start(['status'], { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }).ended).toMatchObject({
    code: 64,
    err: expect.stringContaining('OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf or http/json'),
  });
  const { out } = await start(['--print-config'], to(receiver)).ended;
  expect(JSON.parse(out)).toMatchObject({
    given: { OTEL_EXPORTER_OTLP_ENDPOINT: expect.stringContaining(receiver.url) },
    effective: { tracing: { json: true, timeoutMs: 10_000 } },
  });
});

/** Takes what is sent, and never answers. */
async function startHanging() {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
