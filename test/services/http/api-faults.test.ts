import { withApiLimits } from '../../../dev/lib/limits.ts';
import { until } from '../../../dev/lib/processes.ts';
import { type Fault, startFaultProxy } from '../../../dev/torture/fault-proxy.ts';
import { type ErrorBody, json, realClock, type SearchBody } from '../../support/api/in-process.ts';
import { startApiProcess } from '../../support/api/process.ts';
import { forFile } from '../../support/for-file.ts';
import { setStage } from '../../support/stages/api.ts';

// The API as a process, on real engines, with proxies before them that fail.

const recoveryMs = 10_000;
const searchPath = '/api/v1/search?type=companies&query=quartz';

const stage = await forFile(setStage());
const postgres = await forFile(startFaultProxy(stage.databaseUrl));
const elasticsearch = await forFile(startFaultProxy(stage.elasticsearchUrl));
const key = await stage.createKey();
const api = await forFile(
  startApiProcess(
    withApiLimits(
      { DATABASE_URL: postgres.url, ELASTICSEARCH_URL: elasticsearch.url, INDEX_PREFIX: stage.indexPrefix },
      { health: { holdMs: 0 } },
    ),
  ),
);
const url = await api.url;

function search(withKey = key): Promise<Response> {
  return fetch(`${url}${searchPath}`, { headers: { authorization: `Bearer ${withKey}` } });
}

async function timed(call: () => Promise<Response>) {
  const startedMs = realClock.elapsed();
  const response = await call();
  const body = await json<ErrorBody>(response);
  return { status: response.status, body, ms: realClock.elapsed() - startedMs };
}

function untilOk(call: () => Promise<Response>): Promise<boolean> {
  return until(async () => (await call()).status === 200, { timeoutMs: recoveryMs });
}

test('a company in the index is found through the API', async () => {
  const response = await search();
  expect(response.status).toBe(200);
  const { data } = await json<SearchBody>(response);
  expect(data.totalResults).toBe(1);
  expect(data.results[0]).toMatchObject({ entity_type: 'companies', id: 1, name: 'Quartz Ledger', tags: ['Ledgers'] });
});

describe('500: the external search backend failed during keyed search', () => {
  const faults: readonly Fault[] = ['refuse', 'hang', 'cut', 'noise', 'page'];

  test.each(faults)('%s: the documented 500 within 5 s, and recovery without a restart', async (fault) => {
    expect((await search()).status).toBe(200);
    await elasticsearch.set(fault);
    const { status, body, ms } = await timed(() => search());
    await elasticsearch.set('pass');
    expect(status).toBe(500);
    expect(body).toEqual({
      error: expect.stringContaining('xternal search service error'),
      code: 'search_unavailable',
    });
    expect(ms).toBeLessThan(5_000);
    expect(await untilOk(() => search())).toBe(true);
  });

  test('detailed health reports it and stays 200, quick health does not query', async () => {
    await elasticsearch.set('refuse');
    const quick = await fetch(`${url}/api/health`);
    const detailed = await fetch(`${url}/api/health?detailed=true`);
    await elasticsearch.set('pass');
    expect(quick.status).toBe(200);
    expect(detailed.status).toBe(200);
    expect(await detailed.json()).toMatchObject({
      operational: true,
      diagnostics: { apiRoutes: { status: 'error', operational: false } },
    });
    expect(await untilOk(() => search())).toBe(true);
  });
});

describe('503: Postgres is not reachable', () => {
  test.each<Fault>(['refuse', 'hang'])('%s: health is 503 within 2 s and recovers', async (fault) => {
    expect((await fetch(`${url}/api/health`)).status).toBe(200);
    await postgres.set(fault);
    const { status, body, ms } = await timed(() => fetch(`${url}/api/health`));
    await postgres.set('pass');
    expect(status).toBe(503);
    expect(body).toMatchObject({ status: 'error', services: { database: 'error', api: 'operational' } });
    expect(ms).toBeLessThan(2_100);
    expect(await untilOk(() => fetch(`${url}/api/health`))).toBe(true);
  });

  test.each<Fault>(['refuse', 'hang'])('%s: a key never seen can not be checked, one in use goes on', async (fault) => {
    const fresh = await stage.createKey();
    expect((await search()).status).toBe(200);
    await postgres.set(fault);
    const unseen = await timed(() => search(fresh));
    const seen = await search();
    await postgres.set('pass');
    expect(unseen.status).toBe(503);
    expect(unseen.body.code).toBe('service_unavailable');
    expect(unseen.ms).toBeLessThan(5_000);
    expect(seen.status).toBe(200);
    expect(await untilOk(() => search(fresh))).toBe(true);
  });
});

test('a revoked key is refused within 5 s', async () => {
  const doomed = await stage.createKey();
  expect((await search(doomed)).status).toBe(200);
  await stage.revokeKey(doomed);
  const startedMs = realClock.elapsed();
  expect(await until(async () => (await search(doomed)).status === 401, { timeoutMs: 6_000, everyMs: 100 })).toBe(true);
  expect(realClock.elapsed() - startedMs).toBeLessThan(5_000);
});

test('none of the keys is in the log', () => {
  expect(api.log.length).toBeGreaterThan(10);
  expect(JSON.stringify(api.log)).not.toContain(key.slice('es_test_'.length));
});
