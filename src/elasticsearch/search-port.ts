import type { Client } from '@elastic/elasticsearch';
import type { SearchPort } from '../search/ports.ts';
import { type ElasticsearchRequest, type RequestLimits, sendRequest } from './client.ts';

export function createSearchPort(client: Client): SearchPort {
  return {
    async search({ indices, body, timeoutMs, signal, filterPath, flatScores = false }) {
      const path = indices.length === 0 ? '/_search' : `/${pathOf(indices)}/_search`;
      const querystring = {
        search_type: flatScores ? 'query_then_fetch' : 'dfs_query_then_fetch',
        allow_partial_search_results: false,
        ...(filterPath === undefined ? {} : { filter_path: filterPath }),
      };
      return sendWithRetry(client, { method: 'POST', path, querystring, body }, { timeoutMs, signal });
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

/**
 * For requests that change nothing, or the same when they come twice. A kept connection may have ended unnoticed (the
 * cluster restarted), so they are sent once more, on a new one. Of several nodes that is another one, and what the first
 * did not answer in half the time, or could not (502 to 504), is worth sending there.
 */
async function sendWithRetry(client: Client, request: ElasticsearchRequest, { timeoutMs, signal }: RequestLimits) {
  const deadlineMs = performance.now() + timeoutMs;
  const hasOthers = client.connectionPool.size > 1;
  const nodeTimeoutMs = Math.ceil(timeoutMs / 2);
  const first = await sendRequest(client, request, { timeoutMs, signal, ...(hasOthers ? { nodeTimeoutMs } : {}) });
  if (first.ok || signal?.aborted) return first;
  const leftMs = Math.floor(deadlineMs - performance.now());
  const goneElsewhere = first.reason === 'timeout' || [502, 503, 504].includes(first.status ?? 0);
  if (leftMs <= 0 || !(first.reason === 'unreachable' || (hasOthers && goneElsewhere))) return first;
  return sendRequest(client, request, { timeoutMs: leftMs, signal });
}

function pathOf(indices: readonly string[]): string {
  return indices.map(encodeURIComponent).join(',');
}
