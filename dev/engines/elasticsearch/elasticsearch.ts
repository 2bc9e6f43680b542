import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { logStep, type PrintLine } from '../../lib/log-step.ts';
import { choosePort, isPortFree } from '../../lib/ports.ts';
import { findProcessesIn, stopOrphans } from '../../lib/processes.ts';
import type { State } from '../../lib/state.ts';
import type { Tools } from '../preflight.ts';
import type { RunningEngine } from '../restart-on-exit.ts';
import { ensureBuild } from './build.ts';
import { type NodeOptions, startNode, stopGraceMs } from './node.ts';
import type { ElasticsearchVersion } from './versions.ts';

export interface ElasticsearchOptions {
  readonly tools: Tools;
  readonly heapMb: number;
  /** By default the newest. A state folder has the data of one version. */
  readonly version?: ElasticsearchVersion;
  readonly javaOptions: readonly string[];
  readonly printLine: PrintLine;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Starts an Elasticsearch node on loopback with its data in the state directory. Builds it first if necessary, and
 * stops an orphan of a killed run. Resolves when the cluster is yellow or green. Throws with the end of the node's log
 * if it does not start.
 */
export async function startElasticsearch(state: State, options: ElasticsearchOptions): Promise<RunningEngine> {
  const { tools, printLine, signal, version } = options;
  const build = await ensureBuild(tools, printLine, signal, version);
  const dataDir = state.path('elasticsearch');
  mkdirSync(dataDir, { recursive: true });
  await stopOrphans(() => findProcessesIn(dataDir, 'java'), 'SIGTERM', stopGraceMs);
  for (let attempt = 1; ; attempt += 1) {
    const kept = attempt === 1 ? state.ports() : {};
    const port = await choosePort(kept.elasticsearch);
    const node: NodeOptions = {
      jdk: tools.jdk,
      dataDir,
      logDir: state.path('log'),
      logFile: state.path(join('log', 'elasticsearch.log')),
      port,
      transportPort: await choosePort(kept.transport, [port]),
      heapMb: options.heapMb,
      javaOptions: options.javaOptions,
    };
    try {
      const child = await logStep(printLine, 'Elasticsearch: starting', () => startNode(build, node, signal));
      state.rememberPorts({ elasticsearch: port, transport: node.transportPort });
      return { url: `http://127.0.0.1:${port}`, exited: child.exited, stop: () => child.stop(stopGraceMs) };
    } catch (error) {
      const portsFree = (await isPortFree(port)) && (await isPortFree(node.transportPort));
      // Another program may have taken the port meanwhile.
      if (attempt < 3 && !signal?.aborted && !portsFree) continue;
      throw error;
    }
  }
}
