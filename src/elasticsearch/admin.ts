import type { Client } from '@elastic/elasticsearch';
import { z } from 'zod';
import { writeAliasName } from '../kinds/index-names.ts';
import { sleep } from '../lib/sleep.ts';
import {
  type ElasticsearchAnswer,
  type ElasticsearchFailure,
  type ElasticsearchRequest,
  isObject,
  sendRequest,
} from './client.ts';

// What is asked of Elasticsearch beside searches and documents: one idempotent call each, so that asking again after a
// lost answer, or after a crash, does no harm.

export interface ClusterLimits {
  readonly timeoutMs: number;
  /** A refused connection or a busy cluster is asked again so many times, after a pause each. */
  readonly retries: number;
  readonly pauseMs: number;
}

/** Elasticsearch could not do something other than taking documents. */
export class ClusterRequestError extends Error {
  /** It was asked for something that can't be done as it is: asking again won't help. */
  readonly permanent: boolean;
  /** The answer was longer than this client reads; a shorter one may be asked for. */
  readonly tooLong: boolean;

  constructor(what: string, failure: ElasticsearchFailure) {
    super(`Elasticsearch could not ${what}: ${reasonText(failure)}`, { cause: failure.cause });
    this.name = 'ClusterRequestError';
    this.permanent = failure.reason === 'rejected';
    this.tooLong = isTooLong(failure);
  }
}

/** Why a request came to nothing, for people. */
export function reasonText({ reason, status, cause }: ElasticsearchFailure): string {
  const answered = status === undefined ? '' : ` (status ${status})`;
  const why = isObject(cause) && typeof cause.message === 'string' ? `: ${plain(cause.message)}` : '';
  return `${reason}${answered}${why}`;
}

/** OpenSSL's own line says nothing to people. */
function plain(message: string): string {
  return /SSL routines:.*(wrong version number|packet length too long)/s.test(message)
    ? 'TLS is not spoken there'
    : message;
}

function isTooLong({ reason, cause }: ElasticsearchFailure): boolean {
  return reason === 'invalid' && cause instanceof Error && cause.name === 'RequestAbortedError';
}

export interface Cluster {
  readonly client: Client;
  readonly limits: ClusterLimits;
}

interface Call extends ElasticsearchRequest {
  /** Completes the sentence "Elasticsearch could not …". */
  readonly what: string;
}

/** Asks once. */
export function askCluster(
  { client, limits: { timeoutMs } }: Cluster,
  request: ElasticsearchRequest,
  signal?: AbortSignal,
): Promise<ElasticsearchAnswer | ElasticsearchFailure> {
  return sendRequest(client, request, { timeoutMs, signal });
}

async function askAgain(
  cluster: Cluster,
  { what, ...request }: Call,
): Promise<ElasticsearchAnswer | ElasticsearchFailure> {
  for (let retriesLeft = cluster.limits.retries; ; retriesLeft -= 1) {
    const answer = await askCluster(cluster, request);
    const passing = !answer.ok && answer.reason !== 'rejected' && answer.status !== 401 && answer.status !== 403;
    if (!passing || isTooLong(answer) || retriesLeft === 0) return answer;
    await sleep(cluster.limits.pauseMs);
  }
}

/** Asks, again where that may help, and throws `ClusterRequestError` where it came to nothing. */
export async function requestCluster(cluster: Cluster, request: Call): Promise<Readonly<Record<string, unknown>>> {
  const answer = await askAgain(cluster, request);
  if (answer.ok) return answer.body;
  throw new ClusterRequestError(request.what, answer);
}

export interface IndexDefinition {
  readonly settings: object;
  readonly mappings: object;
}

/** Creates a generation's index for loading: no refresh, no copies, written to through its own alias. */
export async function createIndex(
  cluster: Cluster,
  index: string,
  definition: IndexDefinition,
  origin: object,
): Promise<void> {
  const create = (settings: object) => askCreate(cluster, index, { ...definition, settings }, origin);
  let answer = await create(definition.settings);
  if (!answer.ok && messageOf(answer).includes(`unknown setting [${keepVectors}]`)) {
    const { [keepVectors]: _, ...known }: Readonly<Record<string, unknown>> = { ...definition.settings };
    answer = await create(known);
  }
  if (answer.ok) return;
  // The name is this generation's alone: it was made by a request whose answer was lost.
  if (messageOf(answer).includes('resource_already_exists_exception')) return;
  throw new ClusterRequestError(`create the index ${index}`, answer);
}

/** Elasticsearch before 9.1 does not know it, and does what `false` asks for. */
const keepVectors = 'index.mapping.exclude_source_vectors';

function messageOf({ cause }: ElasticsearchFailure): string {
  return isObject(cause) ? String(cause.message) : '';
}

function askCreate(
  cluster: Cluster,
  index: string,
  definition: IndexDefinition,
  origin: object,
): Promise<ElasticsearchAnswer | ElasticsearchFailure> {
  return askAgain(cluster, {
    what: `create the index ${index}`,
    method: 'PUT',
    path: `/${encodeURIComponent(index)}`,
    body: {
      settings: {
        ...definition.settings,
        refresh_interval: '-1',
        number_of_replicas: 0,
        // Deletions are remembered at least as long as a request can live (sync keeps entries for half of that).
        gc_deletes: '30m',
      },
      // Who made it is no part of what it is, so the definition and its hash do not have it.
      mappings: { ...definition.mappings, _meta: { origin } },
      aliases: { [writeAliasName(index)]: { is_write_index: true } },
    },
  });
}

/** Waits until the index takes documents. Without copies it is green as soon as its own shards are up. */
export async function waitWritable(cluster: Cluster, index: string): Promise<void> {
  await requestCluster(cluster, {
    what: `bring up the shards of ${index}`,
    method: 'GET',
    path: `/_cluster/health/${encodeURIComponent(index)}`,
    querystring: { wait_for_status: 'green', timeout: `${Math.round(cluster.limits.timeoutMs / 2)}ms` },
  });
}

/** Gives the index the settings that it serves with. */
export async function restoreSettings(cluster: Cluster, index: string, replicas: number): Promise<void> {
  await requestCluster(cluster, {
    what: `set up ${index} for serving`,
    method: 'PUT',
    path: `/${encodeURIComponent(index)}/_settings`,
    // null: as the cluster has it.
    body: { index: { refresh_interval: null, number_of_replicas: replicas } },
  });
}

/** Makes everything written visible, then counts it: exact. */
export async function countDocuments(cluster: Cluster, index: string): Promise<number> {
  const path = `/${encodeURIComponent(index)}`;
  const refreshed = await requestCluster(cluster, {
    what: `refresh ${index}`,
    method: 'POST',
    path: `${path}/_refresh`,
  });
  refuseShardFailures(refreshed, `refresh ${index}`);
  const counted = await requestCluster(cluster, { what: `count ${index}`, method: 'GET', path: `${path}/_count` });
  refuseShardFailures(counted, `count ${index}`);
  if (typeof counted.count !== 'number') throw new Error(`Elasticsearch's count of ${index} is no number.`);
  return counted.count;
}

function refuseShardFailures(body: Readonly<Record<string, unknown>>, what: string): void {
  const failed = isObject(body._shards) ? body._shards.failed : undefined;
  if (failed === 0) return;
  throw new ClusterRequestError(what, { ok: false, reason: 'invalid', cause: new Error(`${failed} shards failed`) });
}

/** The indices that an alias names now; none when there is no such alias. */
export async function readAlias(cluster: Cluster, alias: string): Promise<readonly string[]> {
  const what = `tell what ${alias} stands for`;
  const answer = await askAgain(cluster, { what, method: 'GET', path: `/_alias/${encodeURIComponent(alias)}` });
  if (answer.ok) return Object.keys(answer.body);
  if (answer.status === 404) return [];
  throw new ClusterRequestError(what, answer);
}

/**
 * Lets an alias name this index and no other, in one step: whoever searches meets the old one or the new one. Asks
 * the alias itself when the answer was lost.
 */
export async function swapAlias(cluster: Cluster, alias: string, index: string): Promise<void> {
  const before = (await readAlias(cluster, alias)).filter((name) => name !== index);
  const remove = before.map((name) => ({ remove: { index: name, alias, must_exist: true } }));
  const answer = await askAgain(cluster, {
    what: `let ${alias} name ${index}`,
    method: 'POST',
    path: '/_aliases',
    body: { actions: [...remove, { add: { index, alias } }] },
  });
  if (answer.ok) return;
  const now = await readAlias(cluster, alias);
  if (now.length === 1 && now[0] === index) return;
  throw new ClusterRequestError(`let ${alias} name ${index}`, answer);
}

/**
 * Deletes a generation's index unless the kind's alias names it, which is asked just before. Answers false when it
 * does; an index that is gone already is deleted.
 */
export async function deleteIndex(cluster: Cluster, alias: string, index: string): Promise<boolean> {
  if ((await readAlias(cluster, alias)).includes(index)) return false;
  const what = `delete the index ${index}`;
  const answer = await askAgain(cluster, { what, method: 'DELETE', path: `/${encodeURIComponent(index)}` });
  if (answer.ok || answer.status === 404) return true;
  throw new ClusterRequestError(what, answer);
}

/** An index of a kind as the cluster has it. */
export interface ClusterIndex {
  readonly name: string;
  /** Nothing can be read from it or written to it. */
  readonly closed: boolean;
  /** Flat names, such as `index.blocks.write`; what the cluster has by default is not among them. */
  readonly settings: Readonly<Record<string, string>>;
}

const indexSettings = z.record(z.string(), z.object({ settings: z.record(z.string(), z.unknown()) }));

/**
 * Every generation's index of a kind that is on the cluster, also closed ones and those that the database knows nothing
 * of, by name.
 */
export async function listClusterIndices(cluster: Cluster, alias: string): Promise<ReadonlyMap<string, ClusterIndex>> {
  const body = await requestCluster(cluster, {
    what: `list the indices of ${alias}`,
    method: 'GET',
    path: `/${encodeURIComponent(alias)}-*/_settings`,
    querystring: { expand_wildcards: 'open,closed', flat_settings: true },
  });
  const indices = Object.entries(indexSettings.parse(body)).map(([name, { settings }]) => {
    const flat = Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, String(value)]));
    return [name, { name, closed: flat['index.verified_before_close'] === 'true', settings: flat }] as const;
  });
  return new Map(indices);
}

/** The highest number among a kind's indices on the cluster, also of those that Postgres knows nothing of; else 0. */
export async function highestGenerationNumber(cluster: Cluster, alias: string): Promise<number> {
  const names = [...(await listClusterIndices(cluster, alias)).keys()];
  const numbers = names.map((name) => Number(/^-[0-9a-f]{8}-(\d+)$/.exec(name.slice(alias.length))?.[1] ?? 0));
  return Math.max(0, ...numbers);
}
