import { executeSearch } from '../../../src/search/execute-search.ts';
import type { QueryVectors, SearchReply, SearchTools, UntimedRequest } from '../../../src/search/ports.ts';
import { prepareQuery, type SearchQuery } from '../../../src/search/query.ts';
import { anyAngle } from '../embeddings/query-vectors.ts';
import { knowledge, now } from './knowledge.ts';
import { queryContext } from './query-context.ts';

export const failed: SearchReply = { ok: false, reason: 'refused', status: 429, cause: undefined };
/** Returns a company's document. */
export const hit = (id: number, source: object = {}) => ({
  _index: 'x-companies-0a1b2c3d-1',
  _source: { id, name: `Company ${id}`, ...source },
  sort: [1, id],
});

/** @param maxScore the points of the best hit */
export function answer(maxScore: number, ...hits: readonly object[]): SearchReply {
  const body = { timed_out: false, hits: { total: { value: hits.length }, max_score: maxScore, hits } };
  return { ok: true, body };
}

/**
 * An engine that gives scripted answers, and counts.
 * @param answers to the first request, then to the second
 */
export function engine(answers: readonly (readonly SearchReply[])[], vectors: QueryVectors | null = null) {
  const sent: (readonly UntimedRequest[])[] = [];
  const take = async (requests: readonly UntimedRequest[]): Promise<readonly SearchReply[]> => {
    const replies = answers[sent.length];
    sent.push(requests);
    if (replies?.length !== requests.length) throw new Error(`request ${sent.length} has no answer`);
    return replies;
  };
  const tools: SearchTools = { send: async (request) => (await take([request]))[0] ?? failed, sendAll: take, vectors };
  const asked = (pattern: RegExp) =>
    sent.map((requests) => requests.map(({ body }) => pattern.test(JSON.stringify(body))));
  return { sent, tools, byVector: () => asked(/"knn"/) };
}

/** Vectors that are returned when the test allows it. */
export function vectors(vector: string | null | Promise<string | null> = '7f00', terms = anyAngle) {
  const embedded: { readonly text: string; readonly signal: AbortSignal }[] = [];
  const port: QueryVectors = {
    field: 'vector_0a1b2c3d',
    embed: async (text, signal) => {
      embedded.push({ text, signal });
      return vector;
    },
    terms: () => terms,
  };
  return { embedded, port };
}

/** A need in everyday words. */
export const companies = { type: 'companies', text: 'safe wallet for my coins', page: 1, limit: 20 } as const;

/** Runs a search as in the API, with the scripted engine. */
export function search(query: SearchQuery, tools: SearchTools) {
  return executeSearch(prepareQuery(query, { ...queryContext(), knowledge, now }), tools);
}
