import type { NearTerms, TermVectors } from './meaning/term-vectors.ts';

/** One request to Elasticsearch's `_search`. */
export interface SearchRequest {
  /** Aliases or indices; none if the body names a point in time. A missing one is an error, not an empty answer. */
  readonly indices: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
  /** The parts of the answer that are wanted, in Elasticsearch's own notation. */
  readonly filterPath?: string;
  /** True if no score depends on how often words occur: saves a round of counting them over all shards. */
  readonly flatScores?: boolean;
  /** For the whole exchange. */
  readonly timeoutMs: number;
  /** Gives the request up before that. */
  readonly signal?: AbortSignal;
}

/**
 * A failed request to Elasticsearch, by reason:
 * - `unreachable`: no connection, or it was cut before the answer was complete
 * - `timeout`: no complete answer in time, or the caller gave up
 * - `refused`: an answer that it will not now, or not for us (401, 403, 429, 5xx)
 * - `rejected`: an answer that the request can't be fulfilled as it is (other 4xx: a missing index, a bad body)
 * - `invalid`: an answer that is not Elasticsearch's, or not about our indices
 */
export interface SearchFailure {
  readonly ok: false;
  readonly reason: 'unreachable' | 'timeout' | 'refused' | 'rejected' | 'invalid';
  /** The HTTP status, where there was an answer. */
  readonly status?: number;
  /** For the log; may name hosts. */
  readonly cause: unknown;
}

export type SearchReply = { readonly ok: true; readonly body: unknown } | SearchFailure;

/** The search side of Elasticsearch. Failures are values: the caller decides their meaning. */
export interface SearchPort {
  /** A partial answer is a failure. */
  search(request: SearchRequest): Promise<SearchReply>;
  /**
   * Several searches as one request (`_msearch`); one reply for each, in their order, or the failure of the whole as
   * the reply of each.
   */
  searchAll(
    requests: readonly UntimedRequest[],
    limits: Pick<SearchRequest, 'timeoutMs' | 'signal'>,
  ): Promise<readonly SearchReply[]>;
  /** Freezes what the indices (aliases or generations) hold, until it was not used for `keepAliveMs`. */
  openPointInTime(request: {
    readonly indices: readonly string[];
    readonly keepAliveMs: number;
    readonly timeoutMs: number;
  }): Promise<{ readonly ok: true; readonly id: string } | SearchFailure>;
  /** Closing one that is not open is no failure. */
  closePointInTime(request: {
    readonly id: string;
    readonly timeoutMs: number;
  }): Promise<{ readonly ok: true } | SearchFailure>;
}

/** A request without its limits. */
export type UntimedRequest = Omit<SearchRequest, 'timeoutMs' | 'signal'>;

/** Sends a request within the time that is left of the search it belongs to. */
export type SendSearch = (request: UntimedRequest) => Promise<SearchReply>;

/** The meaning of a text according to a model. */
export interface TextMeaning extends NearTerms {
  /** Its vector in hexadecimal digits, as documents have them. */
  readonly vector: string;
}

/** Makes vectors of what is searched for. */
export interface QueryVectors {
  /** The field below `search` in which documents have the vectors of this model. */
  readonly field: string;
  /**
   * The text's vector in hexadecimal digits, as documents have them; null if none is made in time. Never rejects.
   */
  embed(text: string, signal: AbortSignal): Promise<string | null>;
  /** The vectors of the vocabulary's concepts and the data's tags; none until they are made. */
  terms(): TermVectors;
}

/** The connection and the model of one search. */
export interface SearchTools {
  readonly send: SendSearch;
  /** Several at once, as one request. */
  readonly sendAll: (requests: readonly UntimedRequest[]) => Promise<readonly SearchReply[]>;
  /** Null if nothing is compared by meaning. */
  readonly vectors: QueryVectors | null;
}

/**
 * Returns the tools of one search: its requests share what time is left.
 * @param leftMs milliseconds; none or less when its time is over
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
