import { join } from 'node:path';
import { type Child, startChild, tailOf, until } from '../../lib/processes.ts';
import type { Jdk } from './jdk.ts';

/** A built node: read only, shared by all that run it. */
export interface ElasticsearchBuild {
  readonly dir: string;
  readonly version: string;
  /** Elasticsearch's `path.home`: the modules and plugins. */
  readonly home: string;
  readonly serverDir: string;
  readonly nodeJar: string;
}

export interface NodeOptions {
  readonly jdk: Jdk;
  readonly dataDir: string;
  readonly logDir: string;
  /** The file that takes what the node prints. */
  readonly logFile: string;
  readonly port: number;
  readonly transportPort: number;
  readonly heapMb: number;
  /** More options for the Java machine, which win over ours. */
  readonly javaOptions: readonly string[];
}

/** Starts a node's process, which works in its data directory: that is how an orphan of it is found. */
export function launchNode(build: ElasticsearchBuild, options: NodeOptions): Promise<Child> {
  return startChild({
    command: join(options.jdk.home, 'bin', 'java'),
    args: [...javaFlags(build, options), ...settings(build, options)],
    cwd: options.dataDir,
    logFile: options.logFile,
  });
}

/** Waits until the cluster is yellow or green; throws with the node's last words when it ends or takes too long. */
export async function whenHealthy(
  child: Child,
  node: { readonly port: number; readonly logFile: string },
  limits: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const condition = async (): Promise<boolean> => !child.running() || (await isHealthy(node.port));
  const settled = await until(condition, { timeoutMs: limits.timeoutMs, everyMs: 100, signal: limits.signal });
  if (settled && child.running()) return;
  const reason = child.running()
    ? `was not ready within ${limits.timeoutMs / 1000} s`
    : `ended (${await child.exited})`;
  throw new Error(`Elasticsearch ${reason}. Its last words, from ${node.logFile}:\n${tailOf(node.logFile, 25)}`);
}

function javaFlags(build: ElasticsearchBuild, options: NodeOptions): readonly string[] {
  return [
    `-Xms${options.heapMb}m`,
    `-Xmx${options.heapMb}m`,
    // On two cores and half a gigabyte it indexes as fast as the others (measured) and needs the least memory.
    '-XX:+UseSerialGC',
    '-XX:+ExitOnOutOfMemoryError',
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

function settings(build: ElasticsearchBuild, options: NodeOptions): readonly string[] {
  return Object.entries({
    'path.home': build.home,
    'path.data': options.dataDir,
    'path.logs': options.logDir,
    // The folder for snapshots: tests restore indices from them.
    'path.repo': join(options.dataDir, '..', 'elasticsearch-snapshots'),
    'cluster.name': 'entity-search-local',
    'node.name': 'local',
    'discovery.type': 'single-node',
    'network.host': '127.0.0.1',
    'http.port': options.port,
    'transport.port': options.transportPort,
    'http.type': 'netty4',
    'transport.type': 'netty4',
    'cluster.routing.allocation.disk.threshold_enabled': false,
    'action.auto_create_index': false,
    // The serial collector leaves garbage until the heap is full, which is no reason to refuse requests with 429: the
    // breaker counts what requests really hold.
    'indices.breaker.total.use_real_memory': false,
    'logger.level': 'info',
  }).map(([name, value]) => `${name}=${value}`);
}

/** Yellow means that every document can be read and written; a single node never gets further with replicas. */
async function isHealthy(port: number): Promise<boolean> {
  try {
    const url = `http://127.0.0.1:${port}/_cluster/health?wait_for_status=yellow&timeout=1s`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(3_000) });
    await answer.body?.cancel();
    return answer.status === 200;
  } catch {
    // Not listening yet, or too busy to answer: the caller has a deadline and shows the node's own message.
    return false;
  }
}
