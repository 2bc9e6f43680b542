import { AsyncLocalStorage } from 'node:async_hooks';
import { ServiceError } from './service-error.ts';

/** The largest answer that is read, far above the service's own limit. */
const answerBytesMax = 8 * 1024 * 1024;

/**
 * The signal of the call that a request belongs to. With services from before 2026, the library announces a cancelled
 * call but leaves its connection open. A service without sessions notices only a closed connection.
 */
export const callSignal = new AsyncLocalStorage<AbortSignal>();

/**
 * `fetch` for the service. An answer that cannot be from an MCP endpoint becomes an error with the next step, and the
 * size of answers is limited. All other answers are left to the protocol.
 */
export function createServiceFetch(
  url: URL,
  access: 'key' | 'wallet' | 'none',
  inner: typeof fetch = fetch,
): typeof fetch {
  return async (input, init) => {
    let response: Response;
    try {
      response = await inner(input, { ...init, signal: anySignal(init?.signal, callSignal.getStore()) });
    } catch (error) {
      if (init?.signal?.aborted || callSignal.getStore()?.aborted) throw error;
      throw new ServiceError(
        `${url.origin} can't be reached (${reasonOf(error)}): check ENTITY_SEARCH_URL and that the service runs, then call again.`,
        { cause: error },
      );
    }
    // By GET the library asks for a stream, which a service need not have.
    const problem = init?.method === 'POST' ? problemOf(response, url, access) : null;
    if (problem === null) return bounded(response, url);
    await response.body?.cancel();
    throw new ServiceError(problem);
  };
}

function anySignal(...signals: readonly (AbortSignal | null | undefined)[]): AbortSignal | null {
  const given = signals.filter((signal) => signal instanceof AbortSignal);
  return given.length === 0 ? null : AbortSignal.any(given);
}

function problemOf(response: Response, url: URL, access: 'key' | 'wallet' | 'none'): string | null {
  const { status } = response;
  if (status === 401 || status === 403) {
    return access === 'key'
      ? `The service at ${url.origin} refuses the API key (${status}): check ENTITY_SEARCH_API_KEY, which may be mistyped, revoked or expired, and restart this server.`
      : `The service at ${url.origin} refuses the call (${status}): set ENTITY_SEARCH_API_KEY and restart this server.`;
  }
  const json = /^(application\/json|text\/event-stream)\b/.test(response.headers.get('content-type') ?? '');
  const missing = status === 404 || status === 405 || (status >= 300 && status < 400);
  if (missing || (!json && status < 500 && status !== 202 && status !== 204)) {
    return `${url.origin} answers, but not as an MCP server (${status} at ${url.pathname}): check that ENTITY_SEARCH_URL is the base address of an entity-search service.`;
  }
  if (!json && status >= 500) {
    return `The service at ${url.origin} is not available now (${status}): call again in a minute.`;
  }
  return null;
}

/** Returns the innermost cause: the outer message of Node is only "fetch failed". */
function reasonOf(error: unknown): string {
  let reason = String(error);
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    const code = 'code' in current && typeof current.code === 'string' ? current.code : '';
    reason = code || current.message || reason;
    current = current.cause;
  }
  return reason;
}

function bounded(response: Response, url: URL): Response {
  if (response.body === null) return response;
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > answerBytesMax) {
        controller.error(
          new ServiceError(`The answer of ${url.origin} is larger than ${answerBytesMax} bytes: ask for less.`),
        );
      } else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
}
