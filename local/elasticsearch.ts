import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ElasticsearchBuild, ensureBuild } from './elasticsearch-build.ts';
import { choosePort, isPortFree } from './ports.ts';
import type { RunningEngine } from './postgres.ts';
import type { Tools } from './preflight.ts';
import { type Child, findProcessesIn, startChild, stopOrphans, tailOf, until } from './processes.ts';
import type { State } from './state.ts';
import { type Say, step } from './steps.ts';

const startTimeoutMs = 90_000;
/** A node closes in about half a second; a busy one flushes first. */
const stopGraceMs = 6_000;

export interface ElasticsearchOptions {
  readonly tools: Tools;
  readonly heapMb: number;
  /** More options for the Java machine, which win over ours. */
  readonly javaOptions: readonly string[];
  readonly say: Say;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Starts one Elasticsearch 9 node on loopback with its data kept in the state directory, and builds it
 * first where it has never been. An orphan of a killed run is stopped first. Answers when the cluster is
 * yellow or green; throws with the node's last words when it does not come up.
 */
export async function startElasticsearch(state: State, options: ElasticsearchOptions): Promise<RunningEngine> {
  const build = await ensureBuild(options.tools, options.say, options.signal);
  const dataDir = state.path('elasticsearch');
  mkdirSync(dataDir, { recursive: true });
  await stopOrphans(() => findProcessesIn(dataDir, 'java'), 'SIGTERM', stopGraceMs);
  const log = state.path(join('log', 'elasticsearch.log'));
  for (let attempt = 1; ; attempt += 1) {
    const kept = attempt === 1 ? state.ports() : {};
    const port = await choosePort(kept.elasticsearch);
    const transport = await choosePort(kept.transport, [port]);
    const child = await startChild({
      command: join(options.tools.jdk.home, 'bin', 'java'),
      args: [...javaFlags(build, options), ...settings(build, dataDir, state, port, transport)],
      cwd: dataDir,
      logFile: log,
    });
    try {
      await step(options.say, 'Elasticsearch: starting', () => whenReady(child, port, log, options.signal));
      state.rememberPorts({ elasticsearch: port, transport });
      return { url: `http://127.0.0.1:${port}`, stop: () => child.stop(stopGraceMs) };
    } catch (error) {
      await child.stop(stopGraceMs);
      const portsFree = (await isPortFree(port)) && (await isPortFree(transport));
      // Somebody may have taken a port between our look and the node's.
      if (attempt < 3 && !options.signal?.aborted && !portsFree) continue;
      throw error;
    }
  }
}

function javaFlags(build: ElasticsearchBuild, options: ElasticsearchOptions): readonly string[] {
  return [
    `-Xms${options.heapMb}m`,
    `-Xmx${options.heapMb}m`,
    '-XX:+UseSerialGC',
    '-XX:-HeapDumpOnOutOfMemoryError',
    '-XX:+ExitOnOutOfMemoryError',
    '-Dfile.encoding=UTF-8',
    '--module-path',
    build.serverDir,
    '--add-modules=jdk.net,jdk.management.agent,jdk.incubator.vector,ALL-MODULE-PATH',
    '--enable-native-access=org.elasticsearch.nativeaccess,org.apache.lucene.core',
    ...options.javaOptions,
    '-cp',
    build.nodeJar,
    'entitysearch.local.EmbeddedNode',
  ];
}

function settings(
  build: ElasticsearchBuild,
  dataDir: string,
  state: State,
  port: number,
  transport: number,
): readonly string[] {
  return Object.entries({
    'path.home': build.home,
    'path.data': dataDir,
    'path.logs': state.path('log'),
    'cluster.name': 'entity-search-local',
    'node.name': 'local',
    'discovery.type': 'single-node',
    'network.host': '127.0.0.1',
    'http.port': port,
    'transport.port': transport,
    'http.type': 'netty4',
    'transport.type': 'netty4',
    'cluster.routing.allocation.disk.threshold_enabled': false,
    'action.auto_create_index': false,
  }).map(([name, value]) => `${name}=${value}`);
}

async function whenReady(child: Child, port: number, log: string, signal: AbortSignal | undefined): Promise<void> {
  const up = await until(async () => !child.running() || (await isHealthy(port)), {
    timeoutMs: startTimeoutMs,
    everyMs: 100,
    signal,
  });
  if (up && child.running()) return;
  const reason = child.running() ? `was not ready within ${startTimeoutMs / 1000} s` : `ended (${await child.exited})`;
  throw new Error(`Elasticsearch ${reason}. Its last words, from ${log}:\n${tailOf(log, 25)}`);
}

/** Yellow means that every document can be read and written; a single node never gets further with replicas. */
async function isHealthy(port: number): Promise<boolean> {
  try {
    const url = `http://127.0.0.1:${port}/_cluster/health?wait_for_status=yellow&timeout=1s`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(3_000) });
    await answer.body?.cancel();
    return answer.status === 200;
  } catch {
    // Not listening yet, or too busy to answer: whoever waits has a deadline and shows the node's own words.
    return false;
  }
}
