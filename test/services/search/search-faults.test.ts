import { forFile } from '../../support/for-file.ts';
import { byProxy, type Failure, setFaultsStage } from '../../support/stages/faults.ts';

// Elasticsearch fails in every way that can be simulated: the answers of searches, what works without it, its cost, and
// the recovery. The process is never restarted.

const on = await forFile(setFaultsStage({}, { search: { timeoutMs: 2_000 } }));
// An engine that has just started may need longer than that for its first search.
await on.recovered('search');

async function elasticsearch(method: string, path: string, body?: object): Promise<void> {
  const response = await fetch(new URL(path, on.stage.elasticsearchUrl), {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}

const live = () => `${on.stage.indexPrefix}companies-0a-1`;
const red = () => `${on.stage.indexPrefix}companies-0a-2`;
const alias = (verb: 'add' | 'remove', index: string) => ({
  [verb]: { index, alias: `${on.stage.indexPrefix}companies` },
});
const change = (...actions: readonly object[]) => elasticsearch('POST', '/_aliases', { actions });

/** An index that no node may hold: its primary is never allocated. */
const redIndex: Failure = {
  async begin() {
    const settings = { 'index.routing.allocation.require._name': 'nobody', number_of_replicas: 0 };
    await elasticsearch('PUT', `/${red()}?wait_for_active_shards=0`, { settings });
    await change(alias('remove', live()), alias('add', red()));
  },
  async end() {
    await change(alias('remove', red()), alias('add', live()));
    await elasticsearch('DELETE', `/${red()}`);
  },
};

const missingAlias: Failure = { begin: () => change(alias('remove', live())), end: () => change(alias('add', live())) };

const failures: readonly (readonly [name: string, failure: Failure])[] = [
  ...(['refuse', 'hang', 'mute', 'cut', 'noise', 'page', 'busy', 'broken'] as const).map(
    (fault) => [fault, byProxy('elasticsearch', fault)] as const,
  ),
  ['a red index', redIndex],
  ['a missing alias', missingAlias],
];

describe('Elasticsearch fails', () => {
  test.each(failures)('%s: searches are 500 and free, the rest works, and searches recover', async (_, failure) => {
    expect((await on.ask('search')).status).toBe(200);
    const before = await on.used();
    await failure.begin(on);
    const [search, record, bulk, health] = await Promise.all([
      on.ask('search'),
      on.ask('record'),
      on.ask('bulk'),
      on.ask('health'),
    ]);
    const counted = (await on.used()) - before;
    await failure.end(on);
    await on.recovered('search');
    expect(search).toMatchObject({ status: 500, code: 'search_unavailable', cost: '0' });
    expect([record, bulk, health].map(({ status }) => status)).toEqual([200, 200, 200]);
    // The record and the bulk request.
    expect(counted).toBe(2);
  });

  test('suggestions fail like searches, and detailed health names the failure', async () => {
    await missingAlias.begin(on);
    const suggest = await on.ask('suggest');
    const response = await fetch(`${on.url}/api/health?detailed=true`);
    await missingAlias.end(on);
    expect(suggest).toMatchObject({ status: 500, code: 'search_unavailable', cost: '0' });
    expect(response.status).toBe(200);
    const { endpoints } = (await response.json()) as { endpoints: readonly { name: string; status: string }[] };
    expect(Object.fromEntries(endpoints.map(({ name, status }) => [name, status]))).toEqual({
      companies: 'error',
      people: 'operational',
      investors: 'operational',
      search: 'error',
    });
  });

  test('slow answers are waited for', async () => {
    await on.elasticsearch.set('slow');
    const search = await on.ask('search');
    await on.elasticsearch.set('pass');
    expect(search).toMatchObject({ status: 200, cost: '1' });
    expect(search.ms).toBeGreaterThan(250);
  });
});

test('while both engines hang, every request gets an answer, and afterwards all recovers', async () => {
  expect((await on.ask('search')).status).toBe(200);
  await Promise.all([on.elasticsearch.set('hang'), on.postgres.set('hang')]);
  const [search, record, health] = await Promise.all([on.ask('search'), on.ask('record'), on.ask('health')]);
  await Promise.all([on.elasticsearch.set('pass'), on.postgres.set('pass')]);
  await Promise.all((['search', 'record', 'health'] as const).map((route) => on.recovered(route)));
  // Its key is known; that the call can't be counted takes a few seconds.
  expect(search).toMatchObject({ status: 500, code: 'search_unavailable' });
  expect(record).toMatchObject({ status: 503, code: 'service_unavailable', retryAfter: '2' });
  expect(health.status).toBe(503);
});
