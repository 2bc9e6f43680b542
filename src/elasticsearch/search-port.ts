import type { Client } from '@elastic/elasticsearch';
import { isObject } from '../lib/is-object.ts';
import type { SearchPort, SearchReply } from '../search/ports.ts';
import { type ElasticsearchRequest, type RequestLimits, reasonOf, sendRequest } from './client.ts';

export function createSearchPort(client: Client): SearchPort {
  return {
    async search({ indices, body, timeoutMs, signal, filterPath, flatScores = false }) {
      const path = indices.length === 0 ? '/_search' : `/${pathOf(indices)}/_search`;
      const querystring = {
        search_type: searchType(flatScores),
        allow_partial_search_results: false,
        ...(filterPath === undefined ? {} : { filter_path: filterPath }),
      };
      return sendWithRetry(client, { method: 'POST', path, querystring, body }, { timeoutMs, signal });
    },
    async searchAll(requests, limits) {
      const lines = requests.flatMap(({ indices, body, flatScores = false }) => [
        JSON.stringify({ index: indices, search_type: searchType(flatScores), allow_partial_search_results: false }),
        JSON.stringify(body),
      ]);
      const bulkBody = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const paths = requests.flatMap(({ filterPath }) => filterPath?.split(',') ?? []);
      // The filter covers all of the requests; each reply is then read by its own schema.
      const wanted = paths.length === 0 ? [] : ['error', 'status', ...paths].map((path) => `responses.${path}`);
      const querystring = wanted.length === 0 ? {} : { filter_path: [...new Set(wanted)].join(',') };
      const request = { method: 'POST', path: '/_msearch', querystring, bulkBody } as const;
      const answer = await sendWithRetry(client, request, limits);
      if (!answer.ok) return requests.map(() => answer);
      return repliesOf(answer.body, requests.length);
    },
    async openPointInTime({ indices, keepAliveMs, timeoutMs }) {
      const querystring = { keep_alive: `${keepAliveMs}ms`, allow_partial_search_results: false, filter_path: 'id' };
      const request = { method: 'POST', path: `/${pathOf(indices)}/_pit`, querystring } as const;
      const answer = await sendWithRetry(client, request, { timeoutMs });
      if (!answer.ok) return answer;
      const { id } = answer.body;
      return typeof id === 'string' ? { ok: true, id } : { ok: false, reason: 'invalid', cause: answer.body };
    },
    async closePointInTime({ id, timeoutMs }) {
      const answer = await sendWithRetry(client, { method: 'DELETE', path: '/_pit', body: { id } }, { timeoutMs });
      return answer.ok || answer.status === 404 ? { ok: true } : answer;
    },
  };
}

function searchType(flatScores: boolean): string {
  return flatScores ? 'query_then_fetch' : 'dfs_query_then_fetch';
}

/** Returns the reply to each search. Each has its own status. */
function repliesOf({ responses }: Readonly<Record<string, unknown>>, wanted: number): readonly SearchReply[] {
  const replies = Array.isArray(responses) && responses.length === wanted ? responses : Array(wanted).fill(null);
  return replies.map((reply: unknown): SearchReply => {
    if (!isObject(reply)) return { ok: false, reason: 'invalid', cause: reply };
    if (reply.error === undefined) return { ok: true, body: reply };
    const status = typeof reply.status === 'number' ? reply.status : 500;
    return { ok: false, reason: reasonOf(status), status, cause: new Error(JSON.stringify(reply.error).slice(0, 500)) };
  });
}

/**
 * Sends an idempotent request and retries it once. A kept connection may have ended unnoticed when the cluster
 * restarted, so an unreachable node is retried on a new connection. With several nodes, the retry goes to another one,
 * also if the first has not answered in half of the time or answered 502, 503 or 504.
 */
async function sendWithRetry(client: Client, request: ElasticsearchRequest, { timeoutMs, signal }: RequestLimits) {
  const deadlineMs = performance.now() + timeoutMs;
  const hasOthers = client.connectionPool.size > 1;
  const nodeTimeoutMs = Math.ceil(timeoutMs / 2);
  const first = await sendRequest(client, request, { timeoutMs, signal, ...(hasOthers ? { nodeTimeoutMs } : {}) });
  if (first.ok || signal?.aborted) return first;
  const leftMs = Math.floor(deadlineMs - performance.now());
  const isNodeFailure = first.reason === 'timeout' || [502, 503, 504].includes(first.status ?? 0);
  if (leftMs <= 0 || !(first.reason === 'unreachable' || (hasOthers && isNodeFailure))) return first;
  return sendRequest(client, request, { timeoutMs: leftMs, signal });
}

function pathOf(indices: readonly string[]): string {
  return indices.map(encodeURIComponent).join(',');
}
