import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import { locateBuild } from '../../engines/elasticsearch/build.ts';
import { startEngines } from '../../engines/engines.ts';
import { withClient } from '../../engines/postgres/client.ts';
import { findTools } from '../../engines/preflight.ts';
import { createTestAccount } from '../../lib/api-accounts.ts';
import { shutdownSignal } from '../../lib/graceful-shutdown.ts';
import { openState } from '../../lib/state.ts';
import { startFleet, urlsOf } from '../api/fleet.ts';
import { type Excuse, runTraffic, type TrafficCounts } from '../api/traffic.ts';
import { type Addresses, runToEnd, startProgram } from '../index/programs.ts';
import { seedRows } from '../index/writers.ts';
import { wholeNumber } from '../options.ts';
import { seededRandom } from '../random.ts';
import { type Cluster, startCluster } from './cluster.ts';

// Three Elasticsearch nodes, one copy of each index, two API processes, sync and writers. Any one node is killed under
// load: no answer may be wrong, errors may come for a moment only, and in the end tables and indices are equal.

interface Flags {
  readonly seed: number;
  readonly rounds: number;
}

const nodes = 3;
const callers = 8;
const pauseMs = 150;
const quickMs = 1_500;
const rows = 600;
/** Rows that writers leave alone, so that answers about them can be judged. */
const stable = 300;
const downMs = 12_000;
/** Figures of the requests of a whole round. */
const errorShareMax = 0.02;

const program = new Command('torture:cluster')
  .description('Kills each node of a cluster of three under load; exit code 1 on any wrong answer or inequality.')
  .option('--seed <number>', 'of the order and the traffic', wholeNumber, Math.floor(Math.random() * 1_000_000))
  .option('--rounds <number>', 'nodes killed', wholeNumber, nodes);

async function main(): Promise<number> {
  const flags = program.parse().opts<Flags>();
  const printLine = (line: string): void => void process.stderr.write(`${line}\n`);
  const signal = shutdownSignal('the torture', process.env, printLine);
  const folder = process.env.STATE || '.local/torture-cluster';
  // A cluster of its own each time: its nodes' ports are part of what they remember.
  rmSync(folder, { recursive: true, force: true });
  await using resources = new AsyncDisposableStack();
  const state = resources.adopt(openState(join(folder, 'cluster')), (opened) => opened.release());
  const tools = findTools(process.env, { maven: !locateBuild().ready });
  const cluster = resources.use(await startCluster(state, nodes, { tools, printLine, signal }));
  const { DATABASE_URL: _, DOCKER_HOST: __, ...env } = process.env;
  const [first] = cluster.nodes;
  const engines = await startEngines({
    state: join(folder, 'postgres'),
    env: { ...env, ELASTICSEARCH_URL: first?.url },
    printLine,
    fsync: false,
    signal,
  });
  resources.defer(() => engines.stop());
  const report = await tortureCluster(cluster, engines.postgres.url, state.path('log'), flags, printLine, signal);
  process.stdout.write(`${JSON.stringify({ seed: flags.seed, ...report })}\n`);
  return report.problems.length > 0 ? 1 : 0;
}

async function tortureCluster(
  cluster: Cluster,
  databaseUrl: string,
  logs: string,
  { seed, rounds }: Flags,
  printLine: (line: string) => void,
  signal: AbortSignal,
) {
  await using resources = new AsyncDisposableStack();
  const addresses = { DATABASE_URL: databaseUrl, ELASTICSEARCH_URL: cluster.url };
  // Three nodes on a machine with two processors are slow, which is not what is tried here.
  const env = { ...addresses, ELASTICSEARCH_REPLICAS: '1', SEARCH_TIMEOUT: '4s' };
  const log = join(logs, 'commands.log');
  const { key } = await begin(env, log);
  const fleet = await startFleet({ members: 2, env, logFile: (at) => join(logs, `api-${at}.log`), signal });
  resources.defer(async () => void (await Promise.all(fleet.map((member) => member.stop()))));
  const sync = startProgram(['sync'], env, join(logs, 'sync.log'));
  resources.defer(async () => void (await sync.stop()));
  const searchesFail: Excuse = { codes: ['search_unavailable', 'overloaded'] };
  let excuse: Excuse | null = null;
  await warmUp(urlsOf(fleet), key, signal);
  const ending = new AbortController();
  const traffic = runTraffic(
    { urls: urlsOf(fleet), key, callers, pauseMs, seed, stable, excuse: () => excuse },
    ending.signal,
  );
  const writing = write(databaseUrl, seed, ending.signal);
  const random = seededRandom(seed);
  const problems: string[] = [];
  const left: number[] = [];
  for (let round = 0; round < rounds && !signal.aborted; round += 1) {
    if (left.length === 0) left.push(...cluster.nodes.keys());
    const [at = 0] = left.splice(random.whole(left.length), 1);
    const node = cluster.nodes[at];
    await delay(2_000);
    excuse = searchesFail;
    const killedMs = performance.now();
    await node?.kill();
    await delay(downMs);
    await node?.restart();
    excuse = null;
    printLine(
      `node ${at}: killed, and back in a green cluster ${Math.round((performance.now() - killedMs) / 100) / 10} s later`,
    );
  }
  await delay(2_000);
  ending.abort();
  const counts = await traffic;
  const changes = await writing;
  problems.push(...counts.problems, ...tooMany(counts));
  const verified = await startProgram(['verify', '--deep', '--json'], env, log).ended;
  if (verified !== 0) problems.push(`verify --deep ended with code ${verified}`);
  return {
    rounds,
    requests: counts.requests,
    right: counts.right,
    errors: errorsOf(counts),
    lost: counts.lost,
    changes,
    verified,
    problems,
  };
}

/** Nodes that have just been started compile for a while: until searches come quickly, several times in a row. */
async function warmUp(urls: readonly string[], key: string, signal: AbortSignal): Promise<void> {
  for (let quick = 0; quick < 20 && !signal.aborted; ) {
    const startMs = performance.now();
    for (const url of urls) {
      const search = `${url}/api/v1/search?type=all&query=First%20${quick + 1}`;
      await (await fetch(search, { headers: { authorization: `Bearer ${key}` } })).arrayBuffer();
    }
    quick = performance.now() - startMs < quickMs ? quick + 1 : 0;
  }
}

const errorsOf = ({ excused }: TrafficCounts): number => Object.values(excused).reduce((sum, count) => sum + count, 0);

function tooMany(counts: TrafficCounts): readonly string[] {
  const share = errorsOf(counts) / counts.requests;
  return share <= errorShareMax ? [] : [`${errorsOf(counts)} of ${counts.requests} requests were errors`];
}

async function begin(env: Addresses, log: string) {
  await runToEnd(['migrate'], env, log);
  return withClient(env.DATABASE_URL, async (client) => {
    await seedRows(client, rows);
    await runToEnd(['reindex', '--json'], env, log);
    return createTestAccount(client, 'cluster', 10_000_000);
  });
}

/** Changes rows until the signal aborts; answers how many. */
function write(databaseUrl: string, seed: number, signal: AbortSignal): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const random = seededRandom(seed * 7);
    let changes = 0;
    while (!signal.aborted) {
      const kind = random.pick(['companies', 'people', 'investors', 'events']);
      const id = stable + 1 + random.whole(rows - stable);
      await client.query(`update ${kind} set overview = $2 where id = $1`, [id, `Changed ${changes}.`]);
      changes += 1;
      await delay(20);
    }
    return changes;
  });
}

process.exitCode = await main();
