import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { type Changes, merged, withApiLimits } from '../../../dev/lib/limits.ts';
import { startOnFreePort } from '../../../dev/lib/ports.ts';
import { startFaultProxy } from '../../../dev/torture/fault-proxy.ts';
import type { Config } from '../../../src/config/api.ts';
import { kindNames } from '../../../src/kinds/kind.ts';
import { type HealthBody, json } from '../../support/api/in-process.ts';
import { type ApiProcess, startApiProcess } from '../../support/api/process.ts';
import { forFile } from '../../support/for-file.ts';
import { setSyncStage } from '../../support/stages/sync.ts';
import { type Sample, sumOf } from '../../support/telemetry/metrics.ts';
import { scrape, scrapeUntil } from '../../support/telemetry/scrape.ts';
import { until } from '../../support/until.ts';

// Both processes as they run, on real engines, seen through what they offer to Prometheus.

const stage = await forFile(setSyncStage());
const env = stage.env;
const key = await createKey('Watched', 'scale');

async function createKey(account: string, plan: string): Promise<string> {
  expect(await entitySearch(['accounts', 'create', account, '--plan', plan], env)).toMatchObject({ code: 0 });
  const made = await entitySearch(['keys', 'create', '--account', account, '--name', 'tests'], env);
  const [found] = /es_(?:live|test)_\w+/.exec(made.out) ?? [];
  if (found === undefined) throw new Error(`no key was made: ${made.err}`);
  return found;
}

interface Watched extends AsyncDisposable {
  readonly api: ApiProcess;
  readonly url: string;
  readonly metricsPort: number;
  get(path: string, withKey?: string): Promise<Response>;
}

async function startWatched(
  more: Readonly<Record<string, string>> = {},
  limits: Changes<Config> = {},
): Promise<Watched> {
  const startOn = async (metricsPort: number): Promise<Watched> => {
    const api = startApiProcess(
      withApiLimits(
        { ...env, ...more, METRICS_PORT: String(metricsPort) },
        merged<Changes<Config>>({ lag: { everyMs: 100 } }, limits),
      ),
    );
    const url = await api.url;
    return {
      api,
      url,
      metricsPort,
      get: (path, withKey = key) => fetch(`${url}${path}`, { headers: { authorization: `Bearer ${withKey}` } }),
      [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
    };
  };
  return startOnFreePort(startOn);
}

const { get, metricsPort } = await forFile(startWatched({}, { health: { holdMs: 0 } }));

test("the API's metrics count requests by route, engines, keys and limits, without request contents", async () => {
  const starter = await createKey('Small', 'starter');
  await get('/api/v1/search?type=companies&query=unlikelyword');
  await get('/api/v1/suggest?q=unlikelyword');
  await get('/api/v1/companies/unlikely-slug');
  await get('/api/v1/search?type=companies', 'es_live_wrong');
  await get('/unlikely/path');
  for (let call = 1; call <= 61; call += 1) await get('/api/v1/companies/1', starter);
  // On a busy machine a smoke check may be too slow once.
  let checks = 0;
  for (let well = false; !well && checks < 20; checks += 1) {
    well = (await json<HealthBody>(get('/api/health?detailed=true'))).diagnostics.apiRoutes.operational;
  }
  // An answer is counted when it has left, which is after it was read here.
  const total = 'entity_search_http_request_duration_seconds_count';
  const samples = await scrapeUntil(metricsPort, (found) => sumOf(found, total) === 66 + checks);

  expect(sumOf(samples, total, { method: 'GET', route: '/api/v1/search', status: '200' })).toBe(1);
  expect(sumOf(samples, total, { route: '/api/v1/search', status: '401' })).toBe(1);
  expect(sumOf(samples, total, { route: '/api/v1/companies/:identifier', status: '404' })).toBe(1);
  expect(sumOf(samples, total, { route: 'unmatched', status: '404' })).toBe(1);
  expect(sumOf(samples, total, { route: '/api/v1/companies/:identifier', status: '429' })).toBe(1);
  expect(sumOf(samples, 'entity_search_http_requests_in_flight')).toBe(0);
  expect(sumOf(samples, 'entity_search_key_refusals_total', { reason: 'invalid' })).toBe(1);
  for (const check of ['database', 'companies', 'people', 'investors', 'search']) {
    expect(sumOf(samples, 'entity_search_health_check_success', { check })).toBe(1);
  }
  const asked = 'entity_search_elasticsearch_request_duration_seconds_count';
  expect(sumOf(samples, asked, { operation: 'search', outcome: 'ok' })).toBeGreaterThan(4);
  for (const pool of ['entities', 'access', 'health']) {
    expect(
      sumOf(samples, 'entity_search_postgres_query_duration_seconds_count', { pool, outcome: 'ok' }),
    ).toBeGreaterThan(0);
    expect(sumOf(samples, 'entity_search_postgres_pool_connections', { pool })).toBeGreaterThan(0);
    expect(sumOf(samples, 'entity_search_postgres_pool_waiting', { pool })).toBe(0);
  }
  expect(sumOf(samples, 'process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
  const { text } = await scrape(metricsPort);
  expect(text.split('\n').filter((line) => /unlikely|es_live|es_test/.test(line))).toEqual([]);
});

test('responses, the health report and the metrics show the lag of the indices', async () => {
  const lag = async (path = '/api/v1/search?type=companies') => (await get(path)).headers.get('x-index-lag');
  const seconds = (found: readonly Sample[]) => sumOf(found, 'entity_search_index_lag_seconds', { kind: 'companies' });
  await scrapeUntil(metricsPort, (found) => seconds(found) === 0);
  expect(await lag()).toBe('0.0');
  expect(await lag('/api/v1/suggest?q=a')).toBe('0.0');

  await stage.pool.query(`update companies set overview = 'behind' where id <= 3`);
  await scrapeUntil(metricsPort, (found) => (seconds(found) ?? 0) >= 0.2);
  expect(Number(await lag())).toBeGreaterThan(0.1);
  expect(Number(await lag('/api/v1/search?type=all'))).toBeGreaterThan(0.1);
  expect(await lag('/api/v1/search?type=events')).toBe('0.0');
  const health = await (await get('/api/health?detailed=true')).json();
  expect(health).toMatchObject({ diagnostics: { indexLag: { companies: expect.any(Number), events: 0 } } });

  expect((await entitySearch(['sync', '--once'], env)).code).toBe(0);
  await scrapeUntil(metricsPort, (found) => seconds(found) === 0);
  expect(await lag()).toBe('0.0');

  // Later pages show what the walk's beginning froze.
  const first = await json<{ data: { nextCursor: string } }>(get('/api/v1/search?type=companies&limit=1'));
  expect(await lag(`/api/v1/search?type=companies&limit=1&cursor=${first.data.nextCursor}`)).toBeNull();

  // A halted index may contain anything, so its lag is unknown.
  await stage.pool.query(`update search_generations set halted = 'tests' where kind = 'companies' and state = 'live'`);
  await scrapeUntil(metricsPort, (found) => seconds(found) === undefined);
  expect(await lag()).toBeNull();
  expect(await lag('/api/v1/search?type=people')).toBe('0.0');
  await stage.pool.query(`update search_generations set halted = null where kind = 'companies'`);
});

test('while Postgres is down, the lag of the indices is unknown, and failures are counted', async () => {
  await using proxy = await startFaultProxy(stage.databaseUrl);
  // A search does without Postgres once the lookup of its key has timed out.
  const limits = {
    postgres: { connectTimeoutMs: 2_000 },
    keys: { lookupTimeoutMs: 2_000 },
    limits: { timeoutMs: 1_000 },
    lag: { timeoutMs: 1_000 },
  };
  await using watched = await startWatched({ DATABASE_URL: proxy.url }, limits);
  const known = (found: readonly Sample[]) => sumOf(found, 'entity_search_index_lag_seconds') !== undefined;
  await scrapeUntil(watched.metricsPort, known);
  expect((await watched.get('/api/v1/search?type=people')).headers.get('x-index-lag')).toBe('0.0');
  for (const fault of ['hang', 'refuse'] as const) {
    await proxy.set(fault);
    await scrapeUntil(watched.metricsPort, (found) => !known(found));
    const answer = await watched.get('/api/v1/search?type=people');
    expect({ status: answer.status, lag: answer.headers.get('x-index-lag') }).toEqual({ status: 200, lag: null });
    await proxy.set('pass');
    await scrapeUntil(watched.metricsPort, known);
  }
  const samples = await scrapeUntil(watched.metricsPort, known);
  const failed = { pool: 'lag', outcome: 'error' };
  expect(sumOf(samples, 'entity_search_postgres_query_duration_seconds_count', failed)).toBeGreaterThan(0);
  const told = watched.api.log.filter(({ msg }) => msg === 'the lag of the indices could not be read');
  // A busy machine may log more absences: `index-lag.test.ts` expects one line for each.
  expect(told.length).toBeGreaterThanOrEqual(2);
});

/** Reads the port that the operating system chose for METRICS_PORT 0 in the log of a process. */
async function offeredPort(log: Readable): Promise<number> {
  for await (const line of createInterface({ input: log })) {
    const entry = JSON.parse(line);
    if (entry.msg === 'offering metrics') return Number(entry.port);
  }
  throw new Error('sync ended before it offered metrics');
}

test('sync exports its indices, their progress and lag, and the state of its engines', async () => {
  const child = spawn(process.execPath, ['cli/main.ts', 'sync'], {
    env: { PATH: process.env.PATH, ...env, METRICS_PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  using _ended = { [Symbol.dispose]: () => void child.kill('SIGKILL') };
  const closed = once(child, 'close');
  const port = await offeredPort(child.stderr);
  child.stderr.resume();
  await scrapeUntil(port, (found) => sumOf(found, 'entity_search_sync_following') === kindNames.length);
  await stage.pool.query(`update companies set overview = 'followed' where id between 11 and 210`);
  const applied = 'entity_search_sync_changes_applied_total';
  // Each kind is followed in its own rounds, so people may have their first after the companies are done.
  const samples = await scrapeUntil(
    port,
    (found) =>
      (sumOf(found, applied, { kind: 'companies' }) ?? 0) >= 200 &&
      (sumOf(found, 'entity_search_sync_rounds_total', { kind: 'people' }) ?? 0) > 0 &&
      sumOf(found, 'entity_search_generation_lag_rows', { kind: 'companies' }) === 0,
  );
  expect(sumOf(samples, 'entity_search_sync_documents_total', { kind: 'companies' })).toBeGreaterThanOrEqual(200);
  expect(sumOf(samples, 'entity_search_generation_lag_seconds', { kind: 'companies', state: 'live' })).toBe(0);
  expect(sumOf(samples, 'entity_search_generation_dead_letters', { kind: 'companies' })).toBe(0);
  expect(sumOf(samples, 'entity_search_bulk_requests_allowed')).toBe(4);
  expect(sumOf(samples, 'entity_search_bulk_retries_total')).toBe(0);
  const asked = 'entity_search_elasticsearch_request_duration_seconds_count';
  expect(sumOf(samples, asked, { operation: 'bulk', outcome: 'ok' })).toBeGreaterThan(0);
  expect(sumOf(samples, 'entity_search_postgres_pool_connections', { pool: 'sync' })).toBeGreaterThan(0);

  // Its connections are cut: that is counted, and it recovers.
  await stage.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name like 'entity-search sync%'`,
  );
  const after = await scrapeUntil(port, (found) => (sumOf(found, 'entity_search_sync_reconnects_total') ?? 0) > 0);
  expect(sumOf(after, 'entity_search_sync_troubles_total')).toBeGreaterThan(0);
  const ageSeconds = Date.now() / 1_000 - (sumOf(after, 'entity_search_sync_last_error_timestamp_seconds') ?? 0);
  expect(ageSeconds).toBeLessThan(60);

  child.kill('SIGTERM');
  expect(await closed).toEqual([0, null]);
  await expect(scrape(port)).rejects.toThrow();
});

test('a metrics port that is taken stops either process at its start, with a message', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const METRICS_PORT = String((taken.address() as AddressInfo).port);
  await using api = startApiProcess({ ...env, METRICS_PORT }, { checked: false });
  const { code, words } = await api.ended;
  expect({ code, words }).toEqual({
    code: 1,
    words: expect.stringContaining(`Can't serve metrics on 127.0.0.1:${METRICS_PORT}`),
  });
  expect(words).toContain('METRICS_PORT to a free address');
  const sync = await entitySearch(['sync'], { ...env, METRICS_PORT });
  expect(sync).toMatchObject({ code: 64, err: expect.stringContaining('METRICS_PORT to a free address') });
  await new Promise((resolve) => taken.close(resolve));
});

test('scrapers that hold connections or never read do not disturb the service', async () => {
  let closed = 0;
  const open = async () => {
    const socket = connect(metricsPort, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.on('close', () => {
      closed += 1;
    });
    await once(socket, 'connect');
    return socket;
  };
  const held: Socket[] = [];
  for (let count = 0; count < 16; count += 1) {
    const socket = await open();
    socket.pause().write('GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n');
    held.push(socket);
  }
  for (let count = 0; count < 44; count += 1) held.push((await open()).resume());
  // All except the sixteen that are served are closed immediately, while searches continue.
  await until(async () => {
    expect((await get('/api/v1/search?type=companies')).status).toBe(200);
    return closed === 44;
  }, 'the end of all but sixteen connections');
  for (const socket of held) socket.destroy();
  await scrapeUntil(metricsPort, (samples) => samples.length > 0);
  for (const [path, init, status] of [
    ['/', {}, 404],
    ['/metrics', { method: 'POST' }, 405],
    ['/metrics', { method: 'HEAD' }, 200],
  ] as const) {
    expect((await fetch(`http://127.0.0.1:${metricsPort}${path}`, init)).status).toBe(status);
  }
});
