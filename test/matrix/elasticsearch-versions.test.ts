import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { ElasticsearchUnavailable, ensureBuild } from '../../dev/engines/elasticsearch/build.ts';
import { startElasticsearch } from '../../dev/engines/elasticsearch/elasticsearch.ts';
import { fullVersion } from '../../dev/engines/elasticsearch/versions.ts';
import { findTools, MissingToolError } from '../../dev/engines/preflight.ts';
import type { RunningEngine } from '../../dev/engines/restart-on-exit.ts';
import { withApiLimits } from '../../dev/lib/limits.ts';
import { openState } from '../../dev/lib/state.ts';
import { writeSample } from '../../dev/sample/generate.ts';
import { startConnectedApi } from '../support/api/connected.ts';
import { succeed } from '../support/commands.ts';
import { expectRemedies, runDoctor } from '../support/doctor.ts';
import { startEmbeddingServer } from '../support/embeddings/embedding-server.ts';
import { createTestIndices, type TestIndices } from '../support/engines/indices.ts';
import { createRolesDatabase, type RolesDatabase } from '../support/engines/service-roles.ts';
import { requiredEnv } from '../support/jest/required-env.ts';
import { send, startLoopback } from '../support/proxies/loopback.ts';
import { envOf, type Installation, maintainIndices, runAs, serveAccounts } from '../support/stages/installation.ts';
import { until } from '../support/until.ts';

// The main paths on Elasticsearch 8.19, in addition to the version that all other tests run on. All tests of services on it:
// `ELASTICSEARCH_VERSION=8.19 TEST_STATE=.local/test-8.19 npm run jest -- --selectProjects engines`.

const older = '8.19';
const folder = mkdtempSync(join(tmpdir(), 'entity-search-elasticsearch-'));
const counts = { companies: 60, people: 40, investors: 20, events: 20 };
const printLine = (line: string): void => void process.stderr.write(`${line}\n`);

/** The tools to start it with; undefined if it isn't available. */
async function toolsOfOlder() {
  try {
    const tools = findTools(process.env, { maven: true });
    await ensureBuild(tools, printLine, undefined, older);
    return tools;
  } catch (error) {
    if (!(error instanceof ElasticsearchUnavailable || error instanceof MissingToolError)) throw error;
    printLine(`SKIPPED: Elasticsearch ${older}. ${error.message}`);
    return undefined;
  }
}

const tools = await toolsOfOlder();
const newest = requiredEnv('TEST_ELASTICSEARCH_URL');

(tools === undefined ? describe.skip : describe)(`On Elasticsearch ${older}`, () => {
  let engine: RunningEngine;
  let release: () => void;
  let database: RolesDatabase;
  let indices: TestIndices;
  let server: Awaited<ReturnType<typeof startEmbeddingServer>>;
  let vectors: Readonly<Record<string, string>>;

  beforeAll(async () => {
    if (tools === undefined) return;
    const state = openState(join(folder, 'state'));
    release = state.release;
    const javaOptions = ['-XX:TieredStopAtLevel=1'];
    engine = await startElasticsearch(state, { tools, version: older, heapMb: 512, javaOptions, printLine });
    process.env.TEST_ELASTICSEARCH_URL = engine.url;
    database = await createRolesDatabase();
    indices = createTestIndices();
    await writeSample(folder, { seed: 4, counts }, new AbortController().signal);
    const [company = ''] = readFileSync(join(folder, 'companies.ndjson'), 'utf8').split('\n');
    const { name } = z.object({ name: z.string() }).parse(JSON.parse(company));
    queries.push({ type: 'companies', query: `companies like ${name}` });
    server = await startEmbeddingServer({ dimension: 64, model: 'some-model' });
    vectors = { EMBEDDINGS: server.url, EMBEDDINGS_MODEL: 'some-model', EMBEDDINGS_DIMENSION: '64' };
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await indices[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
    await engine.stop();
    release();
    process.env.TEST_ELASTICSEARCH_URL = newest;
    rmSync(folder, { recursive: true });
  });

  /** Imports, makes vectors, builds indices with them, and answers what an API finds there for some queries. */
  async function answersOf(installation: Installation) {
    await runAs(installation, 'writer', 'import', folder);
    const env = { ...envOf(installation, 'indexer'), ...vectors };
    for (const args of [['embed'], ['reindex'], ['sync', '--once'], ['verify', '--deep']]) await succeed(env, ...args);
    await runAs(installation, 'admin', 'accounts', 'create', 'Versions', '--plan', 'scale');
    const { key } = await runAs(installation, 'admin', 'keys', 'create', '--account', 'Versions', '--name', 'one');
    const settings = { ...envOf(installation, 'api'), ...vectors };
    await using api = await startConnectedApi(withApiLimits(settings, { limits: { flushMs: 10 } }));
    await until(api.knowsData, 'the words of the data');
    const headers = { authorization: `Bearer ${key}` };
    const answerOf = async (query: Readonly<Record<string, string>>) => {
      const answer = await fetch(`${api.url}/api/v1/search?${new URLSearchParams(query)}`, { headers });
      const { results, ...more } = found.parse(await answer.json()).data;
      return { query, ...more, results: results.map(({ entity_type: kind, id }) => `${kind} ${id}`) };
    };
    const answers = [];
    for (const query of queries) answers.push(await answerOf(query));
    return answers;
  }

  test('indices with vectors are built, follow changes, are equal, and answer as on the newest version', async () => {
    const answers = await answersOf({ ...database, indices });
    expect(answers.map(({ matchedBy }) => matchedBy)).toContain('semantic');
    process.env.TEST_ELASTICSEARCH_URL = newest;
    await using otherDatabase = await createRolesDatabase();
    await using otherIndices = createTestIndices();
    expect(await answersOf({ ...otherDatabase, indices: otherIndices })).toEqual(answers);
  });

  test('indices are repaired, rebuilt and rolled back, and the API serves', async () => {
    await maintainIndices({ ...database, indices });
    await serveAccounts({ ...database, indices });
  });

  test('doctor finds no problem with this version', async () => {
    const { findings } = await runDoctor(envOf({ ...database, indices }, 'indexer'));
    const ofCluster = findings.filter(({ check }) => /^elasticsearch (version|disk|blocks|clock)$/.test(check));
    expect(ofCluster[0]?.found).toBe(`Elasticsearch ${fullVersion(older)} on 1 node(s).`);
    expect(ofCluster.filter(({ level }) => level !== 'ok')).toEqual([]);
  });
});

const queries: Record<string, string>[] = [
  { type: 'all', query: 'lending protocol' },
  { type: 'companies', query: 'exchnage in germany', facets: 'country' },
  { type: 'people', query: 'founder', sort: 'name' },
  { type: 'all', query: '' },
];
const found = z.object({
  data: z.object({
    results: z.array(z.object({ entity_type: z.string(), id: z.number() })),
    totalResults: z.number(),
    matchedBy: z.string().optional(),
    facets: z.unknown().optional(),
  }),
});

const answerOfProduct = { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' };

test.each([
  ['OpenSearch', 200, {}, '{"nodes":{"a":{"version":"3.1.0"}}}', 'for example OpenSearch'],
  [
    'a serverless project',
    410,
    answerOfProduct,
    '{"error":{"type":"api_not_available_exception","reason":"x"}}',
    'serverless',
  ],
  [
    'a version that is too new',
    400,
    answerOfProduct,
    '{"error":{"type":"media_type_header_exception","reason":"x"}}',
    'newer than 9',
  ],
  ['8.18', 200, answerOfProduct, '{"nodes":{"a":{"version":"8.18.3"}}}', 'Elasticsearch 8.18.3'],
])('doctor names %s as unsupported', async (_, status, headers, body, told) => {
  await using other = await startLoopback((_request, response) => {
    if ('content-type' in headers) response.writeHead(status, headers).end(body);
    else send(response, status, body);
  });
  const { of } = await runDoctor({ DATABASE_URL: requiredEnv('TEST_DATABASE_URL'), ELASTICSEARCH_URL: other.url });
  const findings = of('elasticsearch version');
  expect(findings).toMatchObject([{ level: 'fail', found: expect.stringContaining(told) }]);
  expect(findings[0]?.todo).toContain('Elasticsearch 8.19 or 9');
  expectRemedies(findings);
});
