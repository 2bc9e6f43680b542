import { kinds } from '../../../src/kinds/registry.ts';
import { prebuild, replay } from '../bodies.ts';
import type { Database } from '../databases.ts';
import { type Measured, quantileOf } from '../figures.ts';
import { unlimitedKeys } from '../keys.ts';
import { type LoadRequest, underLoad } from '../load.ts';
import type { BenchName } from '../options.ts';
import { type Server, startServer, usedBetween } from '../programs.ts';
import { captured, mixedPaths, type Search } from '../queries.ts';
import { inTurn, measuredIn, type Run } from '../rounds.ts';
import { SequentialClient } from '../sequential-client.ts';
import type { BenchSetup } from '../setup.ts';
import type { BenchGroup } from './bench.ts';

const connections = 16;
const keysCount = 20;
const queriesCount = 400;
const warmUpSeconds = 5;

async function* run(setup: BenchSetup, wanted: ReadonlySet<BenchName>): AsyncGenerator<Measured> {
  const database = await setup.database(setup.rows);
  const index = await setup.indexed(database);
  const paths = await mixedPaths(database, queriesCount);
  const searches = await captured(paths, setup.elasticsearch, index);
  const keys = await unlimitedKeys(database, keysCount);
  const api = await startServer(['src/main.ts'], {
    ...setup.program(database),
    logFile: setup.path('log/bench-api.log'),
  });
  try {
    const bench = { setup, database, searches, keys, api };
    await warmUp(bench);
    if (wanted.has('search')) yield await throughput(bench);
    if (wanted.has('search-latency')) yield await latency(bench);
    if (wanted.has('search-cpu')) yield await engineCpu(bench);
  } finally {
    await api.stop();
  }
}

interface SearchBench {
  readonly setup: BenchSetup;
  readonly database: Database;
  readonly searches: readonly Search[];
  readonly keys: readonly string[];
  readonly api: Server;
}

function apiRequests({ searches, keys }: SearchBench): readonly LoadRequest[] {
  return searches.map(({ path }, at) => ({
    method: 'GET',
    path,
    headers: { Authorization: `Bearer ${keys[at % keys.length]}` },
  }));
}

async function asked(bench: SearchBench, seconds: number): Promise<number> {
  const { api, setup } = bench;
  return underLoad({
    url: api.url,
    requests: apiRequests(bench),
    connections,
    seconds,
    status: 200,
    signal: setup.signal,
  });
}

/** Searches a second, as the requests are counted: a weak search costs two of them on either side. */
async function askedDirectly({ searches, setup }: SearchBench, seconds: number): Promise<number> {
  const requests = searches.flatMap(({ direct }) => direct);
  const perSecond = await underLoad({
    url: setup.elasticsearch,
    requests,
    connections,
    seconds,
    status: 200,
    signal: setup.signal,
  });
  return (perSecond * searches.length) / requests.length;
}

async function warmUp(bench: SearchBench): Promise<void> {
  const seconds = Math.min(warmUpSeconds, bench.setup.options.seconds);
  await asked(bench, seconds);
  await askedDirectly(bench, seconds);
}

async function throughput(bench: SearchBench): Promise<Measured> {
  const { setup, database, searches, api } = bench;
  const { seconds, rounds } = setup.options;
  const sides = await inTurn(
    rounds,
    {
      subject: async (): Promise<Run> => {
        const before = await api.usage();
        const value = await asked(bench, seconds);
        return { value, usage: usedBetween(before, await api.usage()) };
      },
      floor: async () => ({ value: await askedDirectly(bench, seconds) }),
    },
    setup.signal,
  );
  return {
    bench: 'search',
    unit: 'searches/s',
    rows: database.rows,
    ...measuredIn(sides),
    sides: {
      subject: `GET /api/v1/search, ${connections} connections, ${keysCount} keys`,
      floor: 'the same bodies sent to Elasticsearch',
    },
    better: 'higher',
    goals: [{ of: 'ratio', atLeast: 0.8 }],
    details: {
      queries: searches.length,
      requests: searches.reduce((sum, { direct }) => sum + direct.length, 0),
      cpuMsPerSearch:
        ((sides.subject.cpuSeconds ?? 0) * 1_000 * rounds) /
        sides.subject.values.reduce((sum, value) => sum + value * seconds, 0),
    },
  };
}

/** Runs every search once through the API and once directly, in turn, under the same conditions. */
async function latency(bench: SearchBench): Promise<Measured> {
  const { setup, database, searches, api } = bench;
  const requests = apiRequests(bench);
  using viaApi = new SequentialClient(api.url);
  using direct = new SequentialClient(setup.elasticsearch);
  const medians = { subject: [] as number[], floor: [] as number[] };
  for (let round = 0; round < setup.options.rounds; round += 1) {
    const tookMs = { subject: [] as number[], floor: [] as number[] };
    for (const [at, search] of searches.entries()) {
      setup.signal.throwIfAborted();
      const request = requests[at];
      if (request !== undefined) tookMs.subject.push(await viaApi.ask(request));
      let bareMs = 0;
      for (const each of search.direct) bareMs += await direct.ask(each);
      tookMs.floor.push(bareMs);
    }
    for (const side of ['subject', 'floor'] as const) medians[side].push(quantileOf(tookMs[side], 0.5));
  }
  return {
    bench: 'search-latency',
    unit: 'ms (p50)',
    rows: database.rows,
    subject: medians.subject,
    floor: medians.floor,
    sides: { subject: 'GET /api/v1/search, one after another', floor: 'the same bodies sent to Elasticsearch' },
    better: 'lower',
    goals: [{ of: 'difference', atMost: 1.5 }],
    rssMaxMb: null,
    cpuSeconds: null,
  };
}

/** Measures the CPU time of Elasticsearch, also for the search that a user would write instead of ours. */
async function engineCpu(bench: SearchBench): Promise<Measured> {
  const { setup, database, searches } = bench;
  const { client, signal, elasticsearch: url } = setup;
  const { rounds, seconds } = setup.options;
  const index = `bench-plain-${process.pid}`;
  const requests = searches.map((each) => plainRequest(index, each));
  const plainly = () => underLoad({ url, requests, connections, seconds, status: 200, signal });
  const cpuMs = async (): Promise<number> => {
    const { nodes } = await client.nodes.stats({ metric: 'process' });
    return Object.values(nodes).reduce((sum, node) => sum + (node.process?.cpu?.total_in_millis ?? 0), 0);
  };
  const perSearch = (load: () => Promise<number>) => async (): Promise<Run> => {
    const before = await cpuMs();
    const searched = (await load()) * seconds;
    return { value: ((await cpuMs()) - before) / searched };
  };
  try {
    await using bodies = await prebuild(database, setup.path('bodies.ndjson'));
    await client.indices.create({ index, settings: { number_of_replicas: 0 } });
    await replay(bodies, index, { blocksPerRequest: 1, inFlight: 2 }, setup.program(database));
    await client.indices.forcemerge({ index, max_num_segments: 1 });
    await plainly();
    const turns = { subject: perSearch(() => asked(bench, seconds)), floor: perSearch(plainly) };
    return {
      bench: 'search-cpu',
      unit: 'ms of CPU in Elasticsearch',
      rows: database.rows,
      ...measuredIn(await inTurn(rounds, turns, signal)),
      sides: { subject: 'a search', floor: 'a fuzzy multi_match over five fields of a default mapping' },
      better: 'lower',
      goals: [{ of: 'ratio', atMost: 0.5 }],
    };
  } finally {
    await client.indices.delete({ index, ignore_unavailable: true });
  }
}

function plainRequest(index: string, { path }: Search): LoadRequest {
  const query = new URL(path, 'http://bench').searchParams.get('query') ?? '';
  const match = { query, fields: ['name^3', 'aliases', 'tagline', 'overview', 'tags'], fuzziness: 'AUTO' };
  const shown = { size: 20, track_total_hits: true, _source: kinds.companies.itemFields };
  const body = JSON.stringify({ ...shown, query: { multi_match: match } });
  return { method: 'POST', path: `/${index}/_search`, headers: { 'Content-Type': 'application/json' }, body };
}

export const search: BenchGroup = { names: ['search', 'search-latency', 'search-cpu'], run };
