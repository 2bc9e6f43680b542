import { join } from 'node:path';
import { type Child, isAnswered, startReady } from '../../lib/processes.ts';
import type { Jdk } from './jdk.ts';

/** A built node. It is read only, and all runs share it. */
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
  readonly logFile: string;
  readonly port: number;
  readonly transportPort: number;
  readonly heapMb: number;
  /** More options for the Java machine, which win over ours. */
  readonly javaOptions: readonly string[];
}

/** Time for stopping a node: about half a second, longer for a busy one, which flushes first. */
export const stopGraceMs = 6_000;

/**
 * Starts a node and waits until every document can be read and written (yellow; a single node with replicas is never
 * green). Its process works in its data directory, where `findProcessesIn` finds it later.
 */
export function startNode(build: ElasticsearchBuild, options: NodeOptions, signal?: AbortSignal): Promise<Child> {
  const health = `http://127.0.0.1:${options.port}/_cluster/health?wait_for_status=yellow&timeout=1s`;
  return startReady(
    {
      command: join(options.jdk.home, 'bin', 'java'),
      args: [...javaFlags(build, options), ...settings(build, options)],
      cwd: options.dataDir,
      logFile: options.logFile,
    },
    {
      name: 'Elasticsearch',
      isReady: () => isAnswered(health, { timeoutMs: 3_000 }),
      everyMs: 100,
      graceMs: stopGraceMs,
      signal,
    },
  );
}

function javaFlags(build: ElasticsearchBuild, options: NodeOptions): readonly string[] {
  return [
    `-Xms${options.heapMb}m`,
    `-Xmx${options.heapMb}m`,
    // On two cores with half a gigabyte, this collector indexes as fast as the others and needs the least memory.
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
    // The folder for snapshots, from which tests restore indices.
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
    // The serial collector leaves garbage until the heap is full, and a breaker that counts the heap would refuse
    // requests with 429. This one counts the memory that requests hold.
    'indices.breaker.total.use_real_memory': false,
    'logger.level': 'info',
  }).map(([name, value]) => `${name}=${value}`);
}
