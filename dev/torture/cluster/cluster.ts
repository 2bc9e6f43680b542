import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuild } from '../../engines/elasticsearch/build.ts';
import { archiveFile } from '../../engines/elasticsearch/class-archive.ts';
import { launchNode, type NodeOptions, whenHealthy } from '../../engines/elasticsearch/node.ts';
import type { Tools } from '../../engines/preflight.ts';
import type { PrintLine } from '../../lib/log-step.ts';
import { choosePort } from '../../lib/ports.ts';
import { type Child, findProcessesIn, stopOrphans, until } from '../../lib/processes.ts';
import type { State } from '../../lib/state.ts';

/** One node of a cluster, which can be killed and started again with its data. */
export interface ClusterNode {
  readonly url: string;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** After a kill. Resolves when the whole cluster is green. */
  restart(): Promise<void>;
}

export interface Cluster extends AsyncDisposable {
  readonly nodes: readonly ClusterNode[];
  /** All addresses, as ELASTICSEARCH_URL takes them. */
  readonly url: string;
}

const startTimeoutMs = 120_000;
const stopGraceMs = 6_000;
const heapMb = 320;

/** Several Elasticsearch nodes on loopback, one cluster. After any error nothing is left running. */
export async function startCluster(
  state: State,
  size: number,
  options: { readonly tools: Tools; readonly printLine: PrintLine; readonly signal: AbortSignal },
): Promise<Cluster> {
  const { tools, printLine, signal } = options;
  const build = await ensureBuild(tools, printLine, signal);
  const archive = archiveFile(build, tools.jdk);
  const names = Array.from({ length: size }, (_, at) => `node-${at}`);
  const ports: number[] = [];
  while (ports.length < 2 * size) ports.push(await choosePort(undefined, ports));
  const transportPorts = ports.slice(size);
  const children: Child[] = [];
  const place = (at: number): NodeOptions => ({
    jdk: tools.jdk,
    dataDir: state.path(names[at] ?? ''),
    logDir: state.path('log'),
    logFile: state.path(join('log', `${names[at]}.log`)),
    port: ports[at] ?? 0,
    transportPort: transportPorts[at] ?? 0,
    heapMb,
    javaOptions: existsSync(archive) ? [`-XX:SharedArchiveFile=${archive}`] : [],
    cluster: { name: names[at] ?? '', names, transportPorts },
  });
  async function launch(at: number): Promise<void> {
    const { dataDir } = place(at);
    mkdirSync(dataDir, { recursive: true });
    await stopOrphans(() => findProcessesIn(dataDir, 'java'), 'SIGTERM', stopGraceMs);
    children[at] = await launchNode(build, place(at));
  }
  async function healthy(at: number): Promise<void> {
    const child = children[at];
    if (child !== undefined) await whenHealthy(child, place(at), { timeoutMs: startTimeoutMs, signal });
  }
  const stop = async (): Promise<void> => void (await Promise.all(children.map((child) => child.stop(stopGraceMs))));
  try {
    await Promise.all(names.map((_, at) => launch(at)));
    await Promise.all(names.map((_, at) => healthy(at)));
  } catch (error) {
    await stop();
    throw error;
  }
  const urls = names.map((_, at) => `http://127.0.0.1:${ports[at]}`);
  return {
    url: urls.join(','),
    nodes: urls.map((url, at) => ({
      url,
      async kill() {
        const child = children[at];
        if (child === undefined) return;
        process.kill(-child.pid, 'SIGKILL');
        await child.exited;
      },
      async restart() {
        await launch(at);
        await healthy(at);
        if (!(await until(() => isGreen(url), { timeoutMs: startTimeoutMs, everyMs: 200, signal }))) {
          throw new Error(
            `The cluster is not green ${startTimeoutMs / 1_000} s after a node came back; see ${place(at).logFile}.`,
          );
        }
      },
    })),
    [Symbol.asyncDispose]: stop,
  };
}

async function isGreen(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/_cluster/health`, { signal: AbortSignal.timeout(3_000) });
    const health = (await answer.json()) as { readonly status?: string; readonly number_of_nodes?: number };
    return health.status === 'green';
  } catch {
    // Not listening yet; the caller has a deadline.
    return false;
  }
}
