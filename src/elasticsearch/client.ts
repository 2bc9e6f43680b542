import { readFileSync } from 'node:fs';
import { Client, type ClientOptions } from '@elastic/elasticsearch';
import { isObject } from '../lib/is-object.ts';
import type { SearchFailure } from '../search/ports.ts';
import { CompatibleTransport, jsonTextHeaders, NodePool, nodeAddresses } from './nodes.ts';
import { describeDenied } from './requests.ts';

interface ElasticsearchSettings {
  /**
   * The addresses of one cluster, separated by commas, optionally with `user:password@`. An API key takes precedence.
   */
  readonly url: string;
  readonly apiKey: string | undefined;
  /** A PEM file with the authority that signed the cluster's certificate. */
  readonly caFile: string | undefined;
  /** Longer answers are failures. */
  readonly maxResponseBytes: number;
  /** Connections to each address. */
  readonly maxConnections: number;
}

/**
 * Creates the official client without its retries, timeouts and sniffing, which callers of `sendRequest` control. It
 * connects when it is used. Throws `AuthorityFileError` if `caFile` can't be read.
 */
export function createElasticsearchClient(settings: ElasticsearchSettings): Client {
  const nodes = nodeAddresses(settings.url);
  const { username, password } = nodes.find((node) => node.username !== '') ?? nodes[0];
  return new Client({
    nodes: nodes.map(({ origin, pathname }) => `${origin}${pathname}`),
    ConnectionPool: NodePool,
    Transport: CompatibleTransport,
    ...credentials(settings.apiKey, decodeURIComponent(username), decodeURIComponent(password)),
    ...(settings.caFile === undefined ? {} : { tls: { ca: readAuthority(settings.caFile) } }),
    agent: { connections: settings.maxConnections },
    maxRetries: 0,
    maxResponseSize: settings.maxResponseBytes,
    maxCompressedResponseSize: settings.maxResponseBytes,
    // The header contains the versions of Node and of the client, which no recipient needs.
    enableMetaHeader: false,
    // Redaction copies the whole request into each error, and a bulk body as one key per byte: 300 MB for one 429.
    // Instead, `slim` drops the request.
    redaction: { type: 'off' },
  });
}

/** A certificate authority's file that is missing, unreadable or without a certificate. */
export class AuthorityFileError extends Error {
  constructor(path: string, cause: unknown) {
    const code = isObject(cause) && typeof cause.code === 'string' ? cause.code : 'it holds no certificate';
    super(
      `ELASTICSEARCH_CA_FILE: ${path} cannot be used (${code}); give the PEM file of the authority that signed the cluster's certificate`,
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
  readonly querystring?: Record<string, string | number | boolean>;
  /** A string must be JSON. */
  readonly body?: object | string;
  /** NDJSON, sent unchanged. */
  readonly bulkBody?: Buffer;
}

export interface RequestLimits {
  /** Limits the wait for a connection, the request and the whole answer together. */
  readonly timeoutMs: number;
  /** Cancels the request. */
  readonly signal?: AbortSignal | undefined;
  /**
   * A node that has not answered by then counts as unavailable. It is shorter than `timeoutMs`, so that there is time
   * for another node.
   */
  readonly nodeTimeoutMs?: number;
}

/**
 * Sends a request and returns the JSON object of the answer, or the failure. Never throws for failures of the engine or
 * the network.
 */
export async function sendRequest(
  client: Client,
  request: ElasticsearchRequest,
  limits: RequestLimits,
): Promise<ElasticsearchAnswer | ElasticsearchFailure> {
  // The client's own timeout ends with the headers. This one also covers a body that never ends.
  const { signal, release } = deadlineOf(limits);
  try {
    const { statusCode, body } = await client.transport.request(request, {
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
 * Returns a signal that is aborted by the timeout or the caller, until it is released. `AbortSignal.timeout` also fires
 * after the answer, and with `AbortSignal.any` it took a twelfth of the time of a search in this process.
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

/** A proxy in between may answer with a long page. */
const messageLengthMax = 2_000;

/** Returns the name and message of the client's error, without the request and its credentials. */
function slim(error: unknown): Error {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return Object.assign(new Error(message.slice(0, messageLengthMax)), { name });
}

/** Adds the missing privilege to a 403. A blocked cluster or index also answers with 403. */
function explained(status: number, cause: Error, { method, path }: ElasticsearchRequest): Error {
  if (status !== 403 || cause.message.includes('cluster_block_exception')) return cause;
  return Object.assign(new Error(describeDenied(method, path), { cause }), { name: cause.name });
}

function failureOf(error: unknown, request: ElasticsearchRequest, aborted: boolean): ElasticsearchFailure {
  const cause = slim(error);
  if (aborted) return { ok: false, reason: 'timeout', cause };
  // Compared by name, because the classes differ between the client's copies of its transport.
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
    // The client aborted it because the answer was longer than allowed.
    case 'RequestAbortedError':
      return { ok: false, reason: 'invalid', cause };
    default:
      throw error;
  }
}

const otherProduct =
  'the server is not Elasticsearch (for example OpenSearch), or a proxy drops the header X-Elastic-Product; correct ELASTICSEARCH_URL or the proxy';

export function reasonOf(status: number): 'refused' | 'rejected' | 'invalid' {
  if (status >= 500 || status === 429 || status === 401 || status === 403) return 'refused';
  return status >= 400 ? 'rejected' : 'invalid';
}
