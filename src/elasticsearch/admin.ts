import type { Client } from '@elastic/elasticsearch';
import { z } from 'zod';
import { writeAliasName } from '../kinds/index-names.ts';
import { isObject } from '../lib/is-object.ts';
import { sleep } from '../lib/sleep.ts';
import {
  type ElasticsearchAnswer,
  type ElasticsearchFailure,
  type ElasticsearchRequest,
  sendRequest,
} from './client.ts';

// Requests to Elasticsearch other than searches and documents. Each function is idempotent, so that it can be called
// again after a lost answer or a crash.

export interface ClusterLimits {
  readonly timeoutMs: number;
  /** Number of retries after a refused connection or an answer of a busy cluster. Each follows a pause. */
  readonly retries: number;
  readonly pauseMs: number;
}

/** A failed request to the cluster, other than one that writes documents. */
export class ClusterRequestError extends Error {
  /** True if the request itself is wrong, so that a retry can't succeed. */
  readonly permanent: boolean;
  /** True if the answer was longer than this client reads. The caller can request a shorter one. */
  readonly tooLong: boolean;

  constructor(what: string, failure: ElasticsearchFailure) {
    super(`Elasticsearch could not ${what}: ${reasonText(failure)}`, { cause: failure.cause });
    this.name = 'ClusterRequestError';
    this.permanent = failure.reason === 'rejected';
    this.tooLong = isTooLong(failure);
  }
}

/** Describes a failure in error messages. */
export function reasonText({ reason, status, cause }: ElasticsearchFailure): string {
  const answered = status === undefined ? '' : ` (status ${status})`;
  const why = isObject(cause) && typeof cause.message === 'string' ? `: ${plain(cause.message)}` : '';
  return `${reason}${answered}${why}`;
}

/** Replaces OpenSSL's message about a server without TLS by a readable one. */
function plain(message: string): string {
  return /SSL routines:.*(wrong version number|packet length too long)/s.test(message)
    ? 'the server does not use TLS'
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

/** Sends a request without retries. */
export function askCluster(
  { client, limits: { timeoutMs } }: Cluster,
  request: ElasticsearchRequest,
  signal?: AbortSignal,
): Promise<ElasticsearchAnswer | ElasticsearchFailure> {
  return sendRequest(client, request, { timeoutMs, signal });
}

/** Sends a request, with retries if they can help. */
export async function askWithRetries(
  cluster: Cluster,
  request: ElasticsearchRequest,
): Promise<ElasticsearchAnswer | ElasticsearchFailure> {
  for (let retriesLeft = cluster.limits.retries; ; retriesLeft -= 1) {
    const answer = await askCluster(cluster, request);
    const passing = !answer.ok && answer.reason !== 'rejected' && answer.status !== 401 && answer.status !== 403;
    if (!passing || isTooLong(answer) || retriesLeft === 0) return answer;
    await sleep(cluster.limits.pauseMs);
  }
}

/** The same, for one whose failure is a `ClusterRequestError`, which it throws. */
export async function requestCluster(cluster: Cluster, request: Call): Promise<Readonly<Record<string, unknown>>> {
  const { what, ...sent } = request;
  const answer = await askWithRetries(cluster, sent);
  if (answer.ok) return answer.body;
  throw new ClusterRequestError(what, answer);
}

export interface IndexDefinition {
  readonly settings: object;
  readonly mappings: object;
}

/**
 * Creates a generation's index for loading: without refresh and replicas, and with its own alias for writes. Returns
 * false if an index of this name exists: an earlier answer was lost, or another database created it.
 */
export async function createIndex(
  cluster: Cluster,
  index: string,
  definition: IndexDefinition,
  origin: object,
): Promise<boolean> {
  const create = (settings: object) => askCreate(cluster, index, { ...definition, settings }, origin);
  let answer = await create(definition.settings);
  if (!answer.ok && messageOf(answer).includes(`unknown setting [${keepVectors}]`)) {
    const { [keepVectors]: _, ...known }: Readonly<Record<string, unknown>> = { ...definition.settings };
    answer = await create(known);
  }
  if (answer.ok) return true;
  if (messageOf(answer).includes('resource_already_exists_exception')) return false;
  throw new ClusterRequestError(`create the index ${index}`, answer);
}

/** Elasticsearch before 9.1 does not know this setting and behaves as if it were `false`. */
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
  return askWithRetries(cluster, {
    method: 'PUT',
    path: `/${encodeURIComponent(index)}`,
    body: {
      settings: {
        ...definition.settings,
        refresh_interval: '-1',
        number_of_replicas: 0,
        // Elasticsearch remembers deletions for longer than any request can take.
        gc_deletes: '30m',
      },
      // The origin is not part of the definition, so that the hash does not depend on it.
      mappings: { ...definition.mappings, _meta: { origin } },
      aliases: { [writeAliasName(index)]: { is_write_index: true } },
    },
  });
}

/**
 * Waits until the index accepts documents. Without replicas it is green as soon as its primary shards are available.
 */
export async function waitWritable(cluster: Cluster, index: string): Promise<void> {
  await requestCluster(cluster, {
    what: `bring up the shards of ${index}`,
    method: 'GET',
    path: `/_cluster/health/${encodeURIComponent(index)}`,
    querystring: { wait_for_status: 'green', timeout: `${Math.round(cluster.limits.timeoutMs / 2)}ms` },
  });
}

/** With Elasticsearch's default of a second, a change would be found after more than a second. */
const refreshInterval = '500ms';

/** Applies the settings for serving. */
export async function restoreSettings(cluster: Cluster, index: string, replicas: number): Promise<void> {
  await requestCluster(cluster, {
    what: `set up ${index} for serving`,
    method: 'PUT',
    path: `/${encodeURIComponent(index)}/_settings`,
    body: { index: { refresh_interval: refreshInterval, number_of_replicas: replicas } },
  });
}

/** Makes earlier writes visible to searches. */
export function refreshIndex(cluster: Cluster, index: string): Promise<Readonly<Record<string, unknown>>> {
  const path = `/${encodeURIComponent(index)}/_refresh`;
  return requestCluster(cluster, { what: `refresh ${index}`, method: 'POST', path });
}

const sizeAnswer = z.object({
  _all: z.object({
    primaries: z.object({
      docs: z.object({ count: z.number() }).optional(),
      store: z.object({ size_in_bytes: z.number() }).optional(),
    }),
  }),
});

/** Returns the documents visible to searches, and the bytes of primaries; nulls if the index is missing or closed. */
export async function readIndexSize(cluster: Cluster, index: string) {
  const stats = await requestCluster(cluster, {
    what: `read the size of ${index}`,
    method: 'GET',
    path: `/${encodeURIComponent(index)}/_stats/docs,store`,
    querystring: { ignore_unavailable: true },
  });
  const { docs, store } = sizeAnswer.parse(stats)._all.primaries;
  return { documents: docs?.count ?? null, bytes: store?.size_in_bytes ?? null };
}

/** Returns the indices of an alias, or none if it does not exist. */
export async function readAlias(cluster: Cluster, alias: string): Promise<readonly string[]> {
  const answer = await askWithRetries(cluster, { method: 'GET', path: `/_alias/${encodeURIComponent(alias)}` });
  if (answer.ok) return Object.keys(answer.body);
  if (answer.status === 404) return [];
  throw new ClusterRequestError(`read the alias ${alias}`, answer);
}

/**
 * Points an alias at one index instead of those that it was read to name, in one atomic step: each search reads either
 * the old index or the new one. Fails if the alias names others by now; an alias without an index can't get two, because
 * an alias has one write index at most. Reads the alias if the answer was lost.
 */
export async function swapAlias(
  cluster: Cluster,
  alias: string,
  { from, to: index }: { readonly from: readonly string[]; readonly to: string },
): Promise<void> {
  const before = from.filter((name) => name !== index);
  const remove = before.map((name) => ({ remove: { index: name, alias, must_exist: true } }));
  const answer = await askWithRetries(cluster, {
    method: 'POST',
    path: '/_aliases',
    body: { actions: [...remove, { add: { index, alias, is_write_index: true } }] },
  });
  if (answer.ok) return;
  const now = await readAlias(cluster, alias);
  if (now.length === 1 && now[0] === index) return;
  throw new ClusterRequestError(`point ${alias} at ${index}`, answer);
}

/** Deletes a generation's index unless it is live. Returns false if the kind's alias names it. */
export async function deleteIndex(cluster: Cluster, alias: string, index: string): Promise<boolean> {
  if ((await readAlias(cluster, alias)).includes(index)) return false;
  const answer = await askWithRetries(cluster, { method: 'DELETE', path: `/${encodeURIComponent(index)}` });
  if (answer.ok || answer.status === 404) return true;
  throw new ClusterRequestError(`delete the index ${index}`, answer);
}

export interface ClusterIndex {
  readonly name: string;
  readonly closed: boolean;
  /** Settings by flat name, such as `index.blocks.write`, without defaults. */
  readonly settings: Readonly<Record<string, string>>;
}

const indexSettings = z.record(z.string(), z.object({ settings: z.record(z.string(), z.unknown()) }));

/** Returns all indices of a kind on the cluster by name, including closed ones and ones that Postgres does not know. */
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

/** Returns the highest generation number among a kind's indices on the cluster, or 0 without indices. */
export async function highestGenerationNumber(cluster: Cluster, alias: string): Promise<number> {
  const names = [...(await listClusterIndices(cluster, alias)).keys()];
  const numbers = names.map((name) => Number(/^-[0-9a-f]{8}-(\d+)$/.exec(name.slice(alias.length))?.[1] ?? 0));
  return Math.max(0, ...numbers);
}
