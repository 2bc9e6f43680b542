import type { Config } from '../../../src/config/api.ts';
import { countInMemory, noEntities } from '../../support/api/fake-access.ts';
import {
  type Api,
  type ErrorBody,
  elasticsearchAnswer,
  expectError,
  json,
  startApi,
} from '../../support/api/in-process.ts';
import { until } from '../../support/until.ts';

// Requests that share slots, the order of refusals, and their form.

const search = '/api/v1/search?type=companies&query=quartz';
const record = '/api/v1/companies/17';

/** Two searches at the same time; none ends before `release`. */
async function startFull(load: Partial<Config['load']>) {
  const hung = Promise.withResolvers<void>();
  const calls = countInMemory();
  const api = await startApi({
    access: { quotas: calls },
    limits: { load: { searchesMax: 2, waitMs: 0, stallMs: 5_000, ...load } },
    search: async () => {
      await hung.promise;
      return { ok: true, body: elasticsearchAnswer([{ kind: 'companies', source: { id: 1, name: 'Quartz' } }]) };
    },
  });
  const under = [api.keyed(search), api.keyed('/api/v1/suggest?q=qu')];
  await until(() => api.asked.length >= 2, 'both searches');
  const release = async () => {
    hung.resolve();
    return (await Promise.all(under)).map(({ status }) => status);
  };
  return { api, release, calls };
}

async function expectOverloaded(response: Response): Promise<void> {
  expect(response.headers.get('retry-after')).toBe('1');
  expect(response.headers.get('x-request-cost')).toBe('0');
  await expectError(response, 503, 'overloaded');
}

describe('With all slots for searches taken', () => {
  let full: Awaited<ReturnType<typeof startFull>>;
  let api: Api;

  beforeAll(async () => {
    full = await startFull({});
    api = full.api;
  });
  afterAll(() => api[Symbol.asyncDispose]());

  test('searches and suggestions are refused before they are counted', async () => {
    await expectOverloaded(await api.keyed(search));
    await expectOverloaded(await api.keyed('/api/v1/suggest?q=qu'));
    expect((await full.calls.used()).ok && api.asked.length).toBe(2);
    expect(await full.calls.used()).toMatchObject({ today: 2 });
  });

  test('records, bulk, usage, documents and health are answered', async () => {
    // This test has no entities, which is another 503.
    expect((await json<ErrorBody>(api.keyed(record))).code).toBe('service_unavailable');
    expect((await api.keyed('/api/v1/usage')).status).toBe(200);
    expect((await api.keyed('/openapi.json')).status).toBe(200);
    expect((await fetch(`${api.url}/api/health`)).status).toBe(200);
  });

  test('an invalid key is refused as invalid, not as overload', async () => {
    expect((await fetch(`${api.url}${search}`)).status).toBe(401);
  });

  test('the searches that hold slots succeed and release them', async () => {
    expect(await full.release()).toEqual([200, 200]);
    expect((await api.keyed(search)).status).toBe(200);
  });
});

test('a waiting caller gets a slot once one is released', async () => {
  const full = await startFull({ waitMs: 5_000 });
  await using api = full.api;
  const waiting = api.keyed(search);
  await full.release();
  expect((await waiting).status).toBe(200);
});

test('with all slots for records taken, a record is refused and a search is not', async () => {
  const hung = Promise.withResolvers<void>();
  await using api = await startApi({
    limits: { load: { recordsMax: 1, waitingMax: 0 } },
    access: {
      entities: {
        ...noEntities,
        record: async () => {
          await hung.promise;
          return { ok: true, value: null };
        },
        existing: async () => ({ ok: true, value: [] }),
      },
    },
  });
  const first = api.keyed(record);
  const bulk = () => api.post('/api/v1/bulk', { operation: 'count', entity_type: 'people', identifiers: [1] });
  let refused = await bulk();
  // The first may not have arrived yet.
  while (refused.status === 200) refused = await bulk();
  await expectOverloaded(refused);
  await expectOverloaded(await api.keyed('/api/v1/usage'));
  expect((await api.keyed(search)).status).toBe(200);
  hung.resolve();
  expect((await first).status).toBe(404);
  expect((await bulk()).status).toBe(200);
});

test('beyond its share of requests, a class is refused, and other classes and health are served', async () => {
  const full = await startFull({ requestsMax: 4 });
  await using api = full.api;
  await expectOverloaded(await api.keyed(search));
  await expectOverloaded(await api.keyed(record));
  expect((await fetch(`${api.url}${search}`)).status).toBe(401);
  expect((await fetch(`${api.url}/openapi.json`)).status).toBe(200);
  expect((await fetch(`${api.url}/api/health`)).status).toBe(200);
  expect((await fetch(`${api.url}/nowhere`)).status).toBe(404);
  await full.release();
  expect((await api.keyed('/api/v1/usage')).status).toBe(200);
});

test('a caller who disconnects while waiting frees the queue for others', async () => {
  const full = await startFull({ waitMs: 5_000, waitingMax: 1 });
  await using api = full.api;
  const gone = new AbortController();
  const left = api.keyed(search, { signal: gone.signal }).catch(() => 'left');
  await expectOverloadedSoon(api);
  gone.abort();
  expect(await left).toBe('left');
  // The slot in the queue is free again once the server has noticed it.
  const waiting = untilWaits(api);
  await full.release();
  expect(await waiting).toBe(200);
});

async function expectOverloadedSoon(api: Api): Promise<void> {
  let response = await quick(api);
  while (response === null) response = await quick(api);
  await expectOverloaded(response);
}

/** An immediate answer; null if the request was queued, which is then aborted. */
async function quick(api: Api): Promise<Response | null> {
  return api.keyed(search, { signal: AbortSignal.timeout(100) }).catch(() => null);
}

async function untilWaits(api: Api): Promise<number> {
  let { status } = await api.keyed(search);
  while (status === 503) ({ status } = await api.keyed(search));
  return status;
}
