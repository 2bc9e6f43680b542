import { readFileSync } from 'node:fs';
import { Client, type ClientOptions } from '@elastic/elasticsearch';
import type { SearchFailure } from '../search/ports.ts';
import { NodePool, nodeAddresses } from './nodes.ts';
import { operationOf } from './operation.ts';
import { describeDenied } from './requests.ts';
import { CompatibleTransport, jsonTextHeaders } from './transport.ts';
import { WholeAnswerConnection } from './whole-answers.ts';

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
 * The official client without its own retries, time limits and sniffing: `sendRequest`'s callers decide those.
 * Opens nothing until it is used; `await client.close()` closes it. Throws `AuthorityFileError` when `caFile` can't be read.
 */
export function createElasticsearchClient(settings: ElasticsearchSettings): Client {
  const nodes = nodeAddresses(settings.url);
  const { username, password } = nodes.find((node) => node.username !== '') ?? nodes[0];
  return new Client({
    nodes: nodes.map(({ origin, pathname }) => `${origin}${pathname}`),
    ConnectionPool: NodePool,
    Connection: WholeAnswerConnection,
    Transport: CompatibleTransport,
    ...credentials(settings.apiKey, decodeURIComponent(username), decodeURIComponent(password)),
    ...(settings.caFile === undefined ? {} : { tls: { ca: readAuthority(settings.caFile) } }),
    agent: { connections: settings.maxConnections },
    maxRetries: 0,
    maxResponseSize: settings.maxResponseBytes,
    maxCompressedResponseSize: settings.maxResponseBytes,
    // Its header tells the cluster the versions of Node and of the client; nobody here reads that.
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
  /** As JSON, where it is a string. */
  readonly body?: object | string;
  /** Ready NDJSON, sent as it is. */
  readonly bulkBody?: Buffer;
}

export interface RequestLimits {
  /** For everything: waiting for a connection, the request, the whole answer. */
  readonly timeoutMs: number;
  /** Gives the request up before that. */
  readonly signal?: AbortSignal | undefined;
  /** A node that has not answered by then counts as gone; there is time left to ask another. */
  readonly nodeTimeoutMs?: number;
}

/** One request, one answer that is a JSON object, or why not. Never throws for what Elasticsearch or the network do. */
export async function sendRequest(
  client: Client,
  request: ElasticsearchRequest,
  limits: RequestLimits,
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
      ...(typeof request.body === 'string' ? { headers: jsonTextHeaders } : {}),
      ...(limits.nodeTimeoutMs === undefined ? {} : { requestTimeout: limits.nodeTimeoutMs }),
    });
    if (!isObject(body)) return { ok: false, reason: 'invalid', status: statusCode ?? 0, cause: body };
    return { ok: true, status: statusCode ?? 0, body };
  } catch (error) {
    return failureOf(error, request, signal.aborted);
  } finally {
    release();
  }
}

/**
 * Aborted when no time is left, or the caller gives up; not any more once it is released. `AbortSignal.timeout` goes off
 * for every request that was answered long ago, and with `AbortSignal.any` was a twelfth of all that a search costs here.
 */
function deadlineOf({ timeoutMs, signal: given }: RequestLimits): { readonly signal: AbortSignal; release(): void } {
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

/** A proxy in between may answer with a whole page. */
const messageLengthMax = 2_000;

/** The name and words of the client's error, without the request and its credentials. */
function slim(error: unknown): Error {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return Object.assign(new Error(message.slice(0, messageLengthMax)), { name });
}

/** Not allowed: with the right that is missing. A cluster or an index that is blocked answers 403, too. */
function explained(status: number, cause: Error, { method, path }: ElasticsearchRequest): Error {
  if (status !== 403 || cause.message.includes('cluster_block_exception')) return cause;
  return Object.assign(new Error(describeDenied(method, path), { cause }), { name: cause.name });
}

function failureOf(error: unknown, request: ElasticsearchRequest, aborted: boolean): ElasticsearchFailure {
  const cause = slim(error);
  if (aborted) return { ok: false, reason: 'timeout', cause };
  // By name: the classes differ between the client's copies of its transport.
  const { name } = cause;
  switch (name) {
    case 'ResponseError': {
      const status = isObject(error) && typeof error.statusCode === 'number' ? error.statusCode : 0;
      return { ok: false, reason: reasonOf(status), status, cause: explained(status, cause, request) };
    }
    case 'ConnectionError':
    case 'NoLivingConnectionsError':
      return { ok: false, reason: 'unreachable', cause };
    case 'TimeoutError':
      return { ok: false, reason: 'timeout', cause };
    case 'ProductNotSupportedError':
      return { ok: false, reason: 'invalid', cause: Object.assign(new Error(otherProduct, { cause }), { name }) };
    case 'DeserializationError':
    // Not aborted by us: the answer was longer than allowed.
    case 'RequestAbortedError':
      return { ok: false, reason: 'invalid', cause };
    default:
      throw error;
  }
}

const otherProduct =
  'what answers is not Elasticsearch, such as OpenSearch, or a proxy in between drops the header X-Elastic-Product';

/** What an answer with a status that is no success means. */
export function reasonOf(status: number): 'refused' | 'rejected' | 'invalid' {
  if (status >= 500 || status === 429 || status === 401 || status === 403) return 'refused';
  return status >= 400 ? 'rejected' : 'invalid';
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
