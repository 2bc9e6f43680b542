import { embeddingModel, vectorField } from '../../../src/embeddings/model.ts';
import type { QueryEmbedder } from '../../../src/ports.ts';
import { noTermVectors } from '../../../src/search/meaning/term-vectors.ts';
import {
  apiForFile,
  elasticsearchAnswer,
  expectInvalid,
  type HealthBody,
  handClock,
  json,
  startApi,
} from '../../support/api/in-process.ts';

const never = () => new Promise<never>(() => undefined);
const isoTimestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const plain = await apiForFile();

describe('GET /api/health, quick (section 4.3)', () => {
  test('is 200 and needs no key when Postgres answers', async () => {
    await using api = await startApi({ clock: handClock() });
    const response = await fetch(`${api.url}/api/health`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      status: 'operational',
      timestamp: '2026-01-31T23:59:59.007Z',
      responseTime: 0,
      services: { database: 'operational', api: 'operational' },
    });
    expect(api.asked).toHaveLength(0);
  });

  test('an unavailable database is 503 with status "error" (section 7)', async () => {
    await using api = await startApi({ answers: async () => false });
    const response = await fetch(`${api.url}/api/health`);
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      status: 'error',
      timestamp: isoTimestamp,
      responseTime: expect.any(Number),
      services: { database: 'error', api: 'operational' },
    });
  });

  test('responseTime is an integer of milliseconds', async () => {
    const clock = handClock();
    await using api = await startApi({
      clock,
      answers: async () => {
        clock.move(12.6);
        return true;
      },
    });
    expect((await json<HealthBody>(fetch(`${api.url}/api/health`))).responseTime).toBe(13);
  });

  test('a database that hangs is 503 within the time limit', async () => {
    await using api = await startApi({ answers: never, limits: { health: { quickTimeoutMs: 100 } } });
    const response = await fetch(`${api.url}/api/health`);
    expect(response.status).toBe(503);
  });

  test('concurrent checks share one run, and the report is cached for a second', async () => {
    let runs = 0;
    const clock = handClock();
    await using api = await startApi({
      clock,
      limits: { health: { holdMs: 1_000 } },
      answers: async () => {
        runs += 1;
        return true;
      },
    });
    const check = () => fetch(`${api.url}/api/health`).then((response) => response.json());
    await Promise.all([check(), check(), check()]);
    clock.move(999);
    await check();
    expect(runs).toBe(1);
    clock.move(1);
    await check();
    expect(runs).toBe(2);
  });

  test('detailed=false is the quick check', async () => {
    expect(await (await fetch(`${plain.url}/api/health?detailed=false`)).json()).not.toHaveProperty('endpoints');
  });

  test.each([
    ['detailed=yes', 'detailed', 'must be one of true, false'],
    ['verbose=true', 'verbose', 'is unknown, the parameters are detailed'],
    ['detailed=true&detailed=true', 'detailed', 'is given 2 times, once is allowed'],
  ])('%s is 400', async (query, path, message) => {
    await expectInvalid(fetch(`${plain.url}/api/health?${query}`), [{ path, message }]);
  });
});

describe('GET /api/health?detailed=true (section 4.4)', () => {
  const whole = expect.any(Number);
  const model = embeddingModel('some-model', 8);
  const embeddings = (check: QueryEmbedder['check']): QueryEmbedder => ({
    model,
    field: vectorField(model),
    embed: async () => null,
    terms: () => noTermVectors,
    state: () => 'ready',
    check,
  });

  test('is 200 with operational, diagnostics and one check for each interface', async () => {
    await using api = await startApi({ search: async () => ({ ok: true, body: elasticsearchAnswer([]) }) });
    const response = await fetch(`${api.url}/api/health?detailed=true`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      status: 'operational',
      operational: true,
      timestamp: isoTimestamp,
      responseTime: whole,
      services: { database: 'operational', api: 'operational' },
      diagnostics: { apiRoutes: { status: 'operational', operational: true }, embeddings: { state: 'off' } },
      endpoints: ['companies', 'people', 'investors', 'search'].map((name) => ({
        name,
        status: 'operational',
        responseTime: whole,
      })),
    });
  });

  test('includes the state and model of query vectors', async () => {
    const states: ('ready' | 'unavailable')[] = ['ready', 'unavailable'];
    await using api = await startApi({ embeddings: embeddings(async () => states.shift() ?? 'ready') });
    for (const state of ['ready', 'unavailable']) {
      const response = await fetch(`${api.url}/api/health?detailed=true`);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({
        operational: true,
        diagnostics: { apiRoutes: { operational: true }, embeddings: { state, model: 'some-model' } },
      });
    }
    await fetch(`${api.url}/api/health`);
    expect(states).toHaveLength(0);
  });

  test('failing routes are reported in the body, with status 200', async () => {
    await using api = await startApi({
      search: async (call) =>
        call.indices[0] === 'people'
          ? { ok: false, reason: 'refused', cause: new Error('no') }
          : { ok: true, body: elasticsearchAnswer([]) },
    });
    const response = await fetch(`${api.url}/api/health?detailed=true`);
    const report = await json<HealthBody>(response);
    expect(response.status).toBe(200);
    expect(report).toMatchObject({
      status: 'operational',
      operational: true,
      diagnostics: { apiRoutes: { status: 'error', operational: false }, embeddings: { state: 'off' } },
    });
    expect(report.endpoints.filter(({ status }) => status !== 'operational')).toMatchObject([{ name: 'people' }]);
  });

  test('without Postgres it is 503 and not operational', async () => {
    await using api = await startApi({ answers: async () => false });
    const response = await fetch(`${api.url}/api/health?detailed=true`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ status: 'error', operational: false });
  });

  test('routes that hang are reported as failed within the time limit', async () => {
    await using api = await startApi({
      search: never,
      limits: { health: { detailedTimeoutMs: 100 } },
    });
    const response = await fetch(`${api.url}/api/health?detailed=true`);
    expect(response.status).toBe(200);
    expect((await json<HealthBody>(response)).diagnostics.apiRoutes.operational).toBe(false);
  });
});
