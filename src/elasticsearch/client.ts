import { readFileSync } from 'node:fs';
import { Client, type ClientOptions } from '@elastic/elasticsearch';
import type { SearchFailure, SearchPort } from '../search/ports.ts';
import { NodePool, nodeAddresses } from './nodes.ts';
import { operationOf } from './operation.ts';

/** How to reach Elasticsearch. Every limit has its name here; the process's config fills it. */
export interface ElasticsearchSettings {
  /** One address or several of one cluster, separated by commas. May carry `user:password@`; an API key wins over it. */
  readonly url: string;
  readonly apiKey: string | undefined;
  /** A PEM file with the authority that signed the cluster's certificate. */
  readonly caFile: string | undefined;
  /** A longer answer is not read to its end. */
  readonly maxResponseBytes: number;
  /** To each address. */
  readonly maxConnections: number;
}

/**
 * The official client without its own retries, time limits and sniffing: those are decided by who asks, see `ask`.
 * Opens nothing until it is used; `await client.close()` closes it. Throws `AuthorityFileError` when `caFile` can't be read.
 */
export function createElasticsearchClient(settings: ElasticsearchSettings): Client {
  const nodes = nodeAddresses(settings.url);
  const { username, password } = nodes.find((node) => node.username !== '') ?? nodes[0];
  return new Client({
    nodes: nodes.map(({ origin, pathname }) => `${origin}${pathname}`),
    ConnectionPool: NodePool,
    ...credentials(settings.apiKey, decodeURIComponent(username), decodeURIComponent(password)),
    ...(settings.caFile === undefined ? {} : { tls: { ca: readAuthority(settings.caFile) } }),
    agent: { connections: settings.maxConnections },
    maxRetries: 0,
    maxResponseSize: settings.maxResponseBytes,
    maxCompressedResponseSize: settings.maxResponseBytes,
    // Its header tells the cluster which versions of Node and of the client ask; nobody here reads that.
    enableMetaHeader: false,
    // Its errors would copy the whole request, a bulk body byte by byte as keys of an object (measured: 300 MB for
    // one 429); `slim` drops what they carry instead.
    redaction: { type: 'off' },
  });
}

/** The file of the authority that signed the cluster's certificate is not there, or is none of ours to read. */
export class AuthorityFileError extends Error {
  constructor(path: string, cause: unknown) {
    const code = isObject(cause) && typeof cause.code === 'string' ? cause.code : 'it holds no certificate';
    super(
      `ELASTICSEARCH_CA_FILE: ${path} can not be used (${code}); give the PEM file of the authority that signed the cluster's certificate`,
      { cause },
    );
    this.name = 'AuthorityFileError';
  }
}

function readAuthority(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new AuthorityFileError(path, error);
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new AuthorityFileError(path, undefined);
  return text;
}

function credentials(apiKey: string | undefined, username: string, password: string): Pick<ClientOptions, 'auth'> {
  if (apiKey !== undefined) return { auth: { apiKey } };
  return username === '' ? {} : { auth: { username, password } };
}

export type ElasticsearchFailure = SearchFailure;

export interface ElasticsearchAnswer {
  readonly ok: true;
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ElasticsearchRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly querystring?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: object;
  /** Ready NDJSON, sent as it is. */
  readonly bulkBody?: Buffer;
}

export interface AskLimits {
  /** For everything: waiting for a connection, the request, the whole answer. */
  readonly timeoutMs: number;
  /** Gives the request up before that. */
  readonly signal?: AbortSignal | undefined;
  /** A node that has not answered by then counts as gone; there is time left to ask another. */
  readonly nodeTimeoutMs?: number;
}

/** One request, one answer that is a JSON object, or why not. Never throws for what Elasticsearch or the network do. */
export async function ask(
  client: Client,
  request: ElasticsearchRequest,
  limits: AskLimits,
): Promise<ElasticsearchAnswer | ElasticsearchFailure> {
  // The client's own time limit ends with the headers; this one covers a body that never ends, too.
  const { signal, release } = deadlineOf(limits);
  try {
    const { querystring, ...rest } = request;
    // The name is that of the request's span, where requests are traced.
    const meta = { name: operationOf(request.method, request.path) };
    const params = { ...rest, meta, ...(querystring === undefined ? {} : { querystring: { ...querystring } }) };
    const { statusCode, body } = await client.transport.request(params, {
      signal,
      meta: true,
      ...(limits.nodeTimeoutMs === undefined ? {} : { requestTimeout: limits.nodeTimeoutMs }),
    });
    if (!isObject(body)) return { ok: false, reason: 'invalid', status: statusCode ?? 0, cause: body };
    return { ok: true, status: statusCode ?? 0, body };
  } catch (error) {
    return failureOf(error, signal.aborted);
  } finally {
    release();
  }
}

/**
 * Aborted when no time is left, or the caller gives up; not any more once it is released. `AbortSignal.timeout` goes off
 * for every request that was answered long ago, and with `AbortSignal.any` was a twelfth of all that a search costs here.
 */
function deadlineOf({ timeoutMs, signal: given }: AskLimits): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const giveUp = (): void => controller.abort(given?.reason);
  const timer = setTimeout(() => {
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  }, timeoutMs);
  if (given?.aborted) giveUp();
  given?.addEventListener('abort', giveUp);
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer);
      given?.removeEventListener('abort', giveUp);
    },
  };
}

/** The name and words of the client's error, without the request and its credentials. */
function slim(error: unknown): Error {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return Object.assign(new Error(message), { name });
}

function failureOf(error: unknown, aborted: boolean): ElasticsearchFailure {
  const cause = slim(error);
  if (aborted) return { ok: false, reason: 'timeout', cause };
  // By name: the classes differ between the client's copies of its transport.
  const { name } = cause;
  switch (name) {
    case 'ResponseError': {
      const status = isObject(error) && typeof error.statusCode === 'number' ? error.statusCode : 0;
      return { ok: false, reason: reasonOf(status), status, cause };
    }
    case 'ConnectionError':
    case 'NoLivingConnectionsError':
      return { ok: false, reason: 'unreachable', cause };
    case 'TimeoutError':
      return { ok: false, reason: 'timeout', cause };
    case 'DeserializationError':
    case 'ProductNotSupportedError':
    // Not aborted by us: the answer was longer than allowed.
    case 'RequestAbortedError':
      return { ok: false, reason: 'invalid', cause };
    default:
      throw error;
  }
}

function reasonOf(status: number): 'refused' | 'rejected' | 'invalid' {
  if (status >= 500 || status === 429 || status === 401 || status === 403) return 'refused';
  return status >= 400 ? 'rejected' : 'invalid';
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function createSearchPort(client: Client): SearchPort {
  return {
    async search({ indices, body, timeoutMs, signal, filterPath, flatScores = false }) {
      const path = indices.length === 0 ? '/_search' : `/${pathOf(indices)}/_search`;
      const querystring = {
        search_type: flatScores ? 'query_then_fetch' : 'dfs_query_then_fetch',
        allow_partial_search_results: false,
        ...(filterPath === undefined ? {} : { filter_path: filterPath }),
      };
      return askAgain(client, { method: 'POST', path, querystring, body }, { timeoutMs, signal });
    },
    async openPointInTime({ indices, keepAliveMs, timeoutMs }) {
      const querystring = { keep_alive: `${keepAliveMs}ms`, allow_partial_search_results: false, filter_path: 'id' };
      const request = { method: 'POST', path: `/${pathOf(indices)}/_pit`, querystring } as const;
      const answer = await askAgain(client, request, { timeoutMs });
      if (!answer.ok) return answer;
      const { id } = answer.body;
      return typeof id === 'string' ? { ok: true, id } : { ok: false, reason: 'invalid', cause: answer.body };
    },
    async closePointInTime({ id, timeoutMs }) {
      const answer = await askAgain(client, { method: 'DELETE', path: '/_pit', body: { id } }, { timeoutMs });
      return answer.ok || answer.status === 404 ? { ok: true } : answer;
    },
  };
}

/**
 * For requests that change nothing, or the same when they come twice: a kept connection may have ended while nobody looked (the cluster restarted), so
 * they are sent once more, on a new one. Of several nodes that is another one, and what the first did not answer in half
 * the time, or could not (502 to 504), is worth asking there.
 */
async function askAgain(client: Client, request: ElasticsearchRequest, { timeoutMs, signal }: AskLimits) {
  const deadlineMs = performance.now() + timeoutMs;
  const hasOthers = client.connectionPool.size > 1;
  const nodeTimeoutMs = Math.ceil(timeoutMs / 2);
  const first = await ask(client, request, { timeoutMs, signal, ...(hasOthers ? { nodeTimeoutMs } : {}) });
  if (first.ok || signal?.aborted) return first;
  const leftMs = Math.floor(deadlineMs - performance.now());
  const goneElsewhere = first.reason === 'timeout' || [502, 503, 504].includes(first.status ?? 0);
  if (leftMs <= 0 || !(first.reason === 'unreachable' || (hasOthers && goneElsewhere))) return first;
  return ask(client, request, { timeoutMs: leftMs, signal });
}

function pathOf(indices: readonly string[]): string {
  return indices.map(encodeURIComponent).join(',');
}
