import type { Cursor } from './pagination/cursor.ts';
import { firstCursor } from './pagination/cursor-page.ts';
import { chooseFinalPass, chooseInitialPass, type Pass } from './passes.ts';
import type { SearchFailure, SendSearch } from './ports.ts';
import type { PreparedQuery } from './query.ts';
import { searchBody } from './request-body.ts';
import {
  invalidReply,
  pagedFilterPath,
  parseRawResponse,
  responseFilterPath,
  type SearchResponse,
  toSearchResponse,
} from './response.ts';

/** A page of results, and the cursor behind it; null behind the last page. */
export interface SearchPage {
  readonly ok: true;
  readonly response: SearchResponse;
  readonly next: Cursor | null;
}

/**
 * Searches with at most two requests: a strict one, and one that asks for less where the first one found little. Which
 * pass answers is chosen by the whole first result under the filters, so every page of a query is of the same one.
 */
export async function executeSearch(query: PreparedQuery, send: SendSearch): Promise<SearchPage | SearchFailure> {
  const initial = chooseInitialPass(query.type);
  const first = await executePass(query, initial, send);
  if (!first.ok || query.analyzed === null) return first;
  const best = query.isScored ? { best: first.maxScore } : {};
  const pass = chooseFinalPass(initial, query.analyzed, { ...best, hits: first.response.totalResults });
  return pass === initial ? first : executePass(query, pass, send);
}

async function executePass(query: PreparedQuery, pass: Pass, send: SendSearch) {
  const body = searchBody(query, pass, { from: (query.page - 1) * query.limit, size: query.limit });
  // The cursor behind the first page begins at the top, that of a later page behind its last hit.
  const filterPath = query.page === 1 ? responseFilterPath : pagedFilterPath;
  const reply = await send({ indices: query.indices, body, filterPath });
  if (!reply.ok) return reply;
  const raw = parseRawResponse(reply.body);
  if (raw === null) return invalidReply;
  const response = toSearchResponse(query, pass, raw);
  const maxScore = raw.hits.max_score ?? 0;
  return { ok: true, response, maxScore, next: firstCursor(query, pass, raw, body) } as const;
}
