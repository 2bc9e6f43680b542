import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { get, type RequestOptions } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { State } from '../lib/state.ts';
import { type ElasticsearchVersion, fullVersion } from './elasticsearch/versions.ts';
import { readOrMakePassword } from './postgres/cluster.ts';
import type { PostgresVersion } from './postgres/versions.ts';
import type { RunningEngine } from './restart-on-exit.ts';

const pingTimeoutMs = 1_500;
const stopGraceMs = 6_000;

/**
 * Searches for a Docker engine at the usual places, all at once, for at most 1.5 s. testcontainers takes longer to load
 * than that, so it is loaded only if an engine was found.
 */
export async function dockerAnswers(env: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  const answers = await Promise.all(dockerAddresses(env).map(ping));
  return answers.includes(true);
}

/** Returns the sockets of a Docker engine: only DOCKER_HOST if it is set, otherwise those that exist. */
export function dockerAddresses(env: Readonly<Record<string, string | undefined>>): readonly RequestOptions[] {
  const given = env.DOCKER_HOST;
  if (given?.startsWith('unix://')) return [{ socketPath: given.slice('unix://'.length) }];
  if (given?.startsWith('tcp://') || given?.startsWith('http://')) {
    const { hostname, port } = new URL(given.replace(/^tcp:/, 'http:'));
    return [{ host: hostname, port: port === '' ? 2375 : Number(port) }];
  }
  // Other transports (ssh, named pipes) can't be checked this quickly. Set the two URLs instead.
  if (given) return [];
  const sockets = [
    '/var/run/docker.sock',
    join(homedir(), '.docker', 'run', 'docker.sock'),
    ...(env.XDG_RUNTIME_DIR ? [join(env.XDG_RUNTIME_DIR, 'docker.sock')] : []),
  ];
  return sockets.filter((path) => existsSync(path)).map((socketPath) => ({ socketPath }));
}

function ping(address: RequestOptions): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ ...address, path: '/_ping', signal: AbortSignal.timeout(pingTimeoutMs) }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once('error', () => resolve(false));
  });
}

/** Starts Postgres from its official image, with the data in a volume of the state directory. */
export async function startDockerPostgres(
  state: State,
  options: { readonly fsync: boolean; readonly version: PostgresVersion },
): Promise<RunningEngine> {
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  // From version 18 on, the image keeps its data in a subfolder per version.
  const target = options.version >= 18 ? '/var/lib/postgresql' : '/var/lib/postgresql/data';
  const flags = options.fsync ? [] : ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off'];
  const container = await new PostgreSqlContainer(`postgres:${options.version}`)
    .withDatabase('entity_search')
    .withUsername('postgres')
    .withPassword(readOrMakePassword(state.path('postgres-password')))
    .withCommand(['postgres', '-c', 'max_connections=100', '-c', 'timezone=UTC', ...flags])
    .withBindMounts([{ source: volumeName(state, 'postgres'), target }])
    .start();
  return { url: container.getConnectionUri(), stop: async () => void (await container.stop({ timeout: stopGraceMs })) };
}

/** Starts Elasticsearch from its official image, without security, because only this machine can reach it. */
export async function startDockerElasticsearch(
  state: State,
  options: { readonly heapMb: number; readonly version: ElasticsearchVersion },
): Promise<RunningEngine> {
  const image = `docker.elastic.co/elasticsearch/elasticsearch:${fullVersion(options.version)}`;
  const { ElasticsearchContainer } = await import('@testcontainers/elasticsearch');
  const container = await new ElasticsearchContainer(image)
    .withEnvironment({
      'xpack.security.enabled': 'false',
      'cluster.routing.allocation.disk.threshold_enabled': 'false',
      'action.auto_create_index': '+.*,-*',
      ES_JAVA_OPTS: `-Xms${options.heapMb}m -Xmx${options.heapMb}m`,
    })
    .withBindMounts([{ source: volumeName(state, 'elasticsearch'), target: '/usr/share/elasticsearch/data' }])
    .start();
  return { url: container.getHttpUrl(), stop: async () => void (await container.stop({ timeout: stopGraceMs })) };
}

/** Returns a volume name per state directory, so that several can run next to each other. */
function volumeName(state: State, engine: string): string {
  return `entity-search-${createHash('sha256').update(state.dir).digest('hex').slice(0, 12)}-${engine}`;
}
