import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { until } from '../lib/processes.ts';
import type { State } from '../lib/state.ts';
import { type ElasticsearchVersion, fullVersion } from './elasticsearch/versions.ts';
import { readOrMakePassword } from './postgres/cluster.ts';
import { accepts } from './postgres/server.ts';
import type { PostgresVersion } from './postgres/versions.ts';
import type { RunningEngine } from './restart-on-exit.ts';

const run = promisify(execFile);

type DockerEnv = Readonly<Record<string, string | undefined>>;

const answerTimeoutMs = 1_500;
const startTimeoutMs = 120_000;
const stopGraceSeconds = 6;

/** Reports whether the command `docker` reaches an engine within 1.5 s. */
export async function dockerAnswers(env: DockerEnv): Promise<boolean> {
  try {
    await run('docker', ['version', '--format', '{{.Server.Version}}'], { env, timeout: answerTimeoutMs });
    return true;
  } catch {
    return false;
  }
}

/** Starts Postgres from its official image. Its data is in a volume that belongs to the state directory. */
export async function startDockerPostgres(
  state: State,
  options: { readonly fsync: boolean; readonly version: PostgresVersion; readonly env: DockerEnv },
): Promise<RunningEngine> {
  const flags = options.fsync ? [] : ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off'];
  const password = readOrMakePassword(state.path('postgres-password'));
  const container = await startContainer(state, {
    engine: 'postgres',
    image: `postgres:${options.version}`,
    port: 5432,
    // From version 18 on the image keeps its data in a folder by version below this one.
    volume: options.version >= 18 ? '/var/lib/postgresql' : '/var/lib/postgresql/data',
    variables: { POSTGRES_USER: 'postgres', POSTGRES_DB: 'entity_search', POSTGRES_PASSWORD: password },
    command: ['postgres', '-c', 'max_connections=100', '-c', 'timezone=UTC', ...flags],
    env: options.env,
  });
  const url = `postgres://postgres:${password}@${container.address}/entity_search`;
  return whenReady({ url, stop: container.stop }, () => accepts(url));
}

/** Starts Elasticsearch from its official image, without security because only this machine reaches it. */
export async function startDockerElasticsearch(
  state: State,
  options: { readonly heapMb: number; readonly version: ElasticsearchVersion; readonly env: DockerEnv },
): Promise<RunningEngine> {
  const container = await startContainer(state, {
    engine: 'elasticsearch',
    image: `docker.elastic.co/elasticsearch/elasticsearch:${fullVersion(options.version)}`,
    port: 9200,
    volume: '/usr/share/elasticsearch/data',
    variables: {
      'discovery.type': 'single-node',
      'xpack.security.enabled': 'false',
      'cluster.routing.allocation.disk.threshold_enabled': 'false',
      'action.auto_create_index': '+.*,-*',
      ES_JAVA_OPTS: `-Xms${options.heapMb}m -Xmx${options.heapMb}m`,
    },
    command: [],
    env: options.env,
  });
  const url = `http://${container.address}`;
  return whenReady({ url, stop: container.stop }, () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}

interface ContainerOptions {
  readonly engine: string;
  readonly image: string;
  readonly port: number;
  /** The path of its data in the container. */
  readonly volume: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  readonly env: DockerEnv;
}

/** Starts a container and its volume, both named after the state directory, so that two of them run side by side. */
async function startContainer(state: State, options: ContainerOptions) {
  const { engine, image, port, volume, variables, command } = options;
  const name = `entity-search-${createHash('sha256').update(state.dir).digest('hex').slice(0, 12)}-${engine}`;
  // Values go through the environment, because other users of the machine can read a command line.
  const env = { ...options.env, ...variables };
  const docker = async (...args: string[]): Promise<string> => (await run('docker', args, { env })).stdout;
  const remote = options.env.DOCKER_HOST?.startsWith('tcp://') ? new URL(options.env.DOCKER_HOST).hostname : undefined;
  // A killed run may have left its container.
  const left = (await docker('ps', '--all', '--quiet', '--filter', `name=^/?${name}$`)).trim();
  if (left !== '') await docker('rm', '--force', left);
  await docker(
    ...['run', '--detach', '--rm', '--name', name, '--volume', `${name}:${volume}`],
    ...['--publish', remote === undefined ? `127.0.0.1::${port}` : `${port}`],
    ...Object.keys(variables).flatMap((variable) => ['--env', variable]),
    ...[image, ...command],
  );
  const [published = ''] = (await docker('port', name, `${port}/tcp`)).split('\n');
  return {
    address: `${remote ?? '127.0.0.1'}:${published.split(':').at(-1)}`,
    stop: async () => void (await docker('stop', '--time', `${stopGraceSeconds}`, name)),
  };
}

async function whenReady(engine: RunningEngine, isReady: () => Promise<boolean>): Promise<RunningEngine> {
  if (await until(isReady, { timeoutMs: startTimeoutMs, everyMs: 250 })) return engine;
  await engine.stop();
  throw new Error(`The container at ${new URL(engine.url).host} does not answer: see docker ps and docker logs.`);
}
