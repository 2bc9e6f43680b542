import type { TermVectors } from './meaning/term-vectors.ts';

/** One request to Elasticsearch's `_search`. */
export interface SearchRequest {
  /** Aliases or indices; none if the body names a point in time. A missing index is an error. */
  readonly indices: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
  /** The requested parts of the answer, in Elasticsearch's notation. */
  readonly filterPath?: string;
  /** True if no score depends on frequencies of words, which then need not be counted over all shards first. */
  readonly flatScores?: boolean;
  /** Timeout of the whole exchange. */
  readonly timeoutMs: number;
  /** Aborts the request earlier. */
  readonly signal?: AbortSignal;
}

/**
 * A failed request to Elasticsearch, by reason:
 * - `unreachable`: no connection, or it was cut before the answer was complete
 * - `timeout`: no complete answer in time, or the caller aborted
 * - `refused`: Elasticsearch refuses for now, or denies access (401, 403, 429, 5xx)
 * - `rejected`: the request is wrong (other 4xx: a missing index, a bad body)
 * - `invalid`: the answer is not from Elasticsearch, or not about our indices
 */
export interface SearchFailure {
  readonly ok: false;
  readonly reason: 'unreachable' | 'timeout' | 'refused' | 'rejected' | 'invalid';
  /** The HTTP status, if there was an answer. */
  readonly status?: number;
  /** The reason for the log, which may contain host names. */
  readonly cause: unknown;
}

export type SearchReply = { readonly ok: true; readonly body: unknown } | SearchFailure;

/** The searches of Elasticsearch. Failures are returned. */
export interface SearchPort {
  /** A partial answer is a failure. */
  search(request: SearchRequest): Promise<SearchReply>;
  /** Sends several searches as one request (`_msearch`). If it fails, each reply is that failure. */
  searchAll(
    requests: readonly UntimedRequest[],
    limits: Pick<SearchRequest, 'timeoutMs' | 'signal'>,
  ): Promise<readonly SearchReply[]>;
  /** Opens a point in time of indices (aliases or generations), which ends when it was not used for `keepAliveMs`. */
  openPointInTime(request: {
    readonly indices: readonly string[];
    readonly keepAliveMs: number;
    readonly timeoutMs: number;
  }): Promise<{ readonly ok: true; readonly id: string } | SearchFailure>;
  /** Closing one that is not open succeeds. */
  closePointInTime(request: {
    readonly id: string;
    readonly timeoutMs: number;
  }): Promise<{ readonly ok: true } | SearchFailure>;
}

export type UntimedRequest = Omit<SearchRequest, 'timeoutMs' | 'signal'>;

/** Sends a request within the remaining time of its search. */
export type SendSearch = (request: UntimedRequest) => Promise<SearchReply>;

export interface QueryVectors {
  /** The field below `search` in which documents have the vectors of this model. */
  readonly field: string;
  /** Returns the text's vector in hexadecimal digits; null if it is not ready in time. Never rejects. */
  embed(text: string, signal: AbortSignal): Promise<string | null>;
  /** Returns the vectors of the vocabulary's concepts and the data's tags; none until they exist. */
  terms(): TermVectors;
}

/** The connection and the model of one search. */
export interface SearchTools {
  readonly send: SendSearch;
  readonly sendAll: (requests: readonly UntimedRequest[]) => Promise<readonly SearchReply[]>;
  /** Null if nothing is compared by meaning. */
  readonly vectors: QueryVectors | null;
}

/**
 * Returns the tools of one search, whose requests share the remaining time.
 * @param leftMs returns the milliseconds that remain; 0 or less after the deadline
 */
export function searchTools(
  port: Pick<SearchPort, 'search' | 'searchAll'>,
  leftMs: () => number,
  { signal, vectors = null }: { readonly signal?: AbortSignal; readonly vectors?: QueryVectors | null } = {},
): SearchTools {
  // Created only when needed: capturing the stack for an error took a fiftieth of a search.
  const late = (): SearchFailure => {
    return { ok: false, reason: 'timeout', cause: new Error('no time is left for another request') };
  };
  const limits = (timeoutMs: number) => ({ timeoutMs, ...(signal === undefined ? {} : { signal }) });
  return {
    async send(request) {
      const timeoutMs = leftMs();
      return timeoutMs > 0 ? port.search({ ...request, ...limits(timeoutMs) }) : late();
    },
    async sendAll(requests) {
      const timeoutMs = leftMs();
      return timeoutMs > 0 ? port.searchAll(requests, limits(timeoutMs)) : requests.map(late);
    },
    vectors,
  };
}
