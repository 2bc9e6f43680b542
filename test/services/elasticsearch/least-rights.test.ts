import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { withClient } from '../../../dev/engines/postgres/client.ts';
import { rotated } from '../../../dev/explore/mutants/rotation.ts';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { withApiLimits, withCommandLimits } from '../../../dev/lib/limits.ts';
import { writeSample } from '../../../dev/sample/generate.ts';
import {
  type ClusterRole,
  clusterRoles,
  type KnownRequest,
  knownRequests,
} from '../../../src/elasticsearch/requests.ts';
import { startConnectedApi } from '../../support/api/connected.ts';
import { runDoctor } from '../../support/doctor.ts';
import { createTestIndices, type TestIndices } from '../../support/engines/indices.ts';
import { createRolesDatabase, type RolesDatabase } from '../../support/engines/service-roles.ts';
import { type DenyingProxy, startDenyingProxy } from '../../support/proxies/denying.ts';
import {
  buildIndices,
  envOf,
  type Installation,
  maintainIndices,
  runAs,
  serveAccounts,
} from '../../support/stages/installation.ts';
import { until } from '../../support/until.ts';

// Everything through proxies below a path, which allow what docs/reference/elasticsearch.md lists, for each
// role its own, on indices with the installation's prefix. `service-roles.test.ts` sells a search through one.

const folder = mkdtempSync(join(tmpdir(), 'entity-search-rights-'));
const counts = { companies: 60, people: 40, investors: 20, events: 20 };

let database: RolesDatabase;
let indices: TestIndices;
let installation: Installation;
let proxies: Readonly<Record<ClusterRole, DenyingProxy>>;
const indexer = () => envOf(installation, 'indexer');

beforeAll(async () => {
  await writeSample(folder, { seed: 4, counts }, new AbortController().signal);
  database = await createRolesDatabase();
  indices = createTestIndices();
  proxies = {
    reader: await startDenyingProxy(indices.url, 'reader', indices.prefix),
    writer: await startDenyingProxy(indices.url, 'writer', indices.prefix),
  };
  installation = { urlOf: database.urlOf, indices: { ...indices, url: proxies.writer.url } };
  await runAs(installation, 'writer', 'import', folder);
});

afterAll(async () => {
  for (const role of clusterRoles) await proxies[role][Symbol.asyncDispose]();
  await indices[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const ofOwner = <Row extends object>(sql: string, values: readonly unknown[] = []) =>
  withClient(database.ownerUrl, async (client) => (await client.query<Row>(sql, [...values])).rows);

const rename = (name: string) =>
  ofOwner('update companies set name = $1 where id = (select min(id) from companies)', [name]);

/** Returns true if a search finds a company by a name. */
async function isFound(name: string): Promise<boolean> {
  const index = `${indices.prefix}companies`;
  await indices.client.indices.refresh({ index });
  return (await indices.client.count({ index, query: { term: { 'name.sort': name } } })).count === 1;
}

async function searchThroughProxy() {
  const { key } = await runAs(installation, 'admin', 'keys', 'create', '--account', 'Example', '--name', 'again');
  const settings = { ...envOf(installation, 'api'), ELASTICSEARCH_URL: proxies.reader.url };
  const api = await startConnectedApi(withApiLimits(settings, { limits: { flushMs: 10 } }));
  const headers = { authorization: `Bearer ${key}` };
  const search = (parameters: Readonly<Record<string, string>>) =>
    fetch(`${api.url}/api/v1/search?${new URLSearchParams(parameters)}`, { headers });
  return { api, search, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

/** Asked as two searches in one request. */
const likeVermilion = 'companies like Vermilion';
const page = z.object({ data: z.object({ nextCursor: z.string().nullable() }) });

/** Pages of a frozen result to their end, and a search that asks several questions at once. */
async function readPages(): Promise<void> {
  await using through = await searchThroughProxy();
  let cursor: string | null | undefined;
  for (let at = 0; cursor !== null && at < 10; at += 1) {
    const answer = await through.search({ type: 'companies', limit: '10', ...(cursor && { cursor }) });
    cursor = page.parse(await answer.json()).data.nextCursor;
  }
  expect(cursor).toBeNull();
  expect((await through.search({ type: 'all', query: likeVermilion })).status).toBe(200);
}

/** Lets sync follow while something happens. */
async function whileFollowed(work: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const running = entitySearch(['sync'], indexer(), stop.signal);
  try {
    await work();
  } finally {
    stop.abort();
    await running;
  }
}

test('the main jobs of all commands and the API send only listed requests', async () => {
  await buildIndices(installation);
  await maintainIndices(installation);
  await whileFollowed(async () => {
    await rename('Vermilion');
    await until(() => isFound('Vermilion'), 'following a change');
  });
  // A document that no row has, and one that is missing.
  const index = `${indices.prefix}events`;
  await indices.client.index({ index, id: 'stray', document: { id: 999_999_999 }, refresh: true });
  await runAs(installation, 'indexer', 'repair', 'events');
  await withClient(database.ownerUrl, (client) => client.query('truncate events cascade'));
  await runAs(installation, 'indexer', 'sync', '--once');
  const nothingKept = withCommandLimits({ ...indexer(), GENERATIONS_KEPT: '0' }, { retireAfterMs: 0 });
  expect((await entitySearch(['reindex', 'companies'], nothingKept)).code).toBe(0);
  expect((await entitySearch(['explain', likeVermilion], indexer())).code).toBe(0);
  const { findings } = await runDoctor(indexer());
  expect(findings.filter(({ found }) => /denied|not Elasticsearch/.test(found))).toEqual([]);
  await serveAccounts(installation, { ELASTICSEARCH_URL: proxies.reader.url });
  await readPages();
  expect([proxies.reader.denied, proxies.writer.denied]).toEqual([[], []]);
});

test('every listed request is sent', () => {
  const unsent = clusterRoles.flatMap((role) =>
    knownRequests
      .filter((request) => request.roles.includes(role) && !proxies[role].used.has(request))
      .map(({ method, path }) => `${role}: ${method} ${path}`),
  );
  // Only to a node that failed.
  expect(unsent).toEqual(['reader: HEAD /', 'writer: HEAD /']);
});

const doctorOnly = /^\/(_nodes|_health_report|_cluster\/(settings|health$))/;

/** The right that each request of a command needs, as its refusal names it. */
const rightOf = ({ privilege }: KnownRequest): string =>
  privilege === null ? 'let it through' : `the ${privilege.of} privilege "${privilege.name}"`;

const ofCommands = knownRequests.filter(({ roles, method }) => roles.includes('writer') && method !== 'HEAD');

/** A command that sends a request; most are part of a reindex. */
function commandWith({ method, path }: KnownRequest): readonly string[] {
  if (path === '/INDEX/_count' && method === 'GET') return ['rollback', 'companies'];
  if (path === '/INDEX/_doc/ID') return ['sync', '--once'];
  return ['reindex', 'people'];
}

/** Merging is only for speed. */
const isNeeded = ({ path }: KnownRequest): boolean => path !== '/INDEX/_forcemerge';

const neededByWork = ofCommands.filter(({ path }) => !doctorOnly.test(path) && path !== '/_msearch');

/** A third with each commit: each takes a reindex. */
test.each(rotated('refused requests', neededByWork, 3).tried)(
  'without the right to $method $path, a command names it and does no damage',
  async (request) => {
    const live = () => indices.client.indices.getAlias({ name: `${indices.prefix}people` });
    const before = await live();
    await ofOwner("update people set name = name || ' II' where id = (select max(id) from people)");
    proxies.writer.deny(request);
    const run = entitySearch(commandWith(request), indexer());
    const { code, err } = await run.finally(() => proxies.writer.deny(undefined));
    expect(err.replaceAll('\\"', '"')).toContain(rightOf(request));
    expect(code === 0).toBe(!isNeeded(request));
    if (isNeeded(request)) expect(await live()).toEqual(before);
  },
);

test('with all rights restored, everything continues without loss', async () => {
  await runAs(installation, 'indexer', 'reindex', 'people');
  await runAs(installation, 'indexer', 'sync', '--once');
  await runAs(installation, 'indexer', 'verify', '--deep');
  expect(await ofOwner('select from search_dead_letters')).toEqual([]);
});

test('doctor names the forbidden requests, and fails at nothing else', async () => {
  for (const request of ofCommands.filter(({ path }) => doctorOnly.test(path))) {
    proxies.writer.deny(request);
    const { findings } = await runDoctor(indexer());
    const told = findings.filter(({ found }) => found.includes(rightOf(request)));
    expect([request.path, told.length > 0, told.every(({ level }) => level === 'skipped')]).toEqual([
      request.path,
      true,
      true,
    ]);
  }
  proxies.writer.deny(undefined);
});

test('sync waits if it may not write, logs the reason, loses nothing, and continues once it may', async () => {
  const bulk = knownRequests.find(({ path }) => path === '/INDEX/_bulk');
  proxies.writer.deny(bulk);
  await whileFollowed(async () => {
    await rename('Cerulean');
    const told = () =>
      ofOwner<{ told: string }>('select last_error as told from search_generations where last_error is not null');
    await until(async () => (await told()).some((row) => row.told.includes('index privilege "write"')), 'telling why');
    expect(await ofOwner('select from search_dead_letters')).toEqual([]);
    proxies.writer.deny(undefined);
    await until(() => isFound('Cerulean'), 'going on');
    // Documents of other kinds have the name, too.
    const pending = 'select 1 from search_lag where pending > 0';
    await until(async () => (await ofOwner(pending)).length === 0, 'catching up');
  });
  await runAs(installation, 'indexer', 'verify', '--deep');
});

test('the API fails a search that it may not send, and its log names the right', async () => {
  await using through = await searchThroughProxy();
  const status = async (): Promise<number> => (await through.search({ type: 'companies', query: 'cerulean' })).status;
  expect(await status()).toBe(200);
  proxies.reader.deny(knownRequests.find(({ path }) => path === '/INDEX/_search'));
  expect(await status()).toBe(500);
  const told = `index privilege "read" on ${indices.prefix}companies`;
  expect(through.api.log).toContainEqual(
    expect.objectContaining({ level: 'error', cause: expect.stringContaining(told) }),
  );
  proxies.reader.deny(undefined);
  await until(async () => (await status()) === 200, 'searching again');
});
