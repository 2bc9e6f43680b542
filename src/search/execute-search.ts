import type { Cursor } from './pagination/cursor.ts';
import { firstCursor } from './pagination/cursor-page.ts';
import { chooseFinalPass, chooseInitialPass, type InitialPass, type Pass } from './passes.ts';
import type { SearchFailure, SendSearch } from './ports.ts';
import type { PreparedQuery } from './query.ts';
import { searchBody } from './request-body.ts';
import {
  invalidReply,
  pagedFilterPath,
  parseRawResponse,
  type RawResponse,
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
  const first = await requestPass(query, initial, send);
  if (!first.ok) return first;
  const pass = finalPass(query, initial, first.raw);
  const final = pass === initial ? first : await requestPass(query, pass, send);
  if (!final.ok) return final;
  const { raw, body } = final;
  return { ok: true, response: toSearchResponse(query, pass, raw), next: firstCursor(query, pass, raw, body) };
}

function finalPass({ analyzed, isScored }: PreparedQuery, initial: InitialPass, { hits }: RawResponse): Pass {
  if (analyzed === null) return initial;
  const best = isScored ? { best: hits.max_score ?? 0 } : {};
  return chooseFinalPass(initial, analyzed, { ...best, hits: hits.total.value });
}

async function requestPass(query: PreparedQuery, pass: Pass, send: SendSearch) {
  const body = searchBody(query, pass, { from: (query.page - 1) * query.limit, size: query.limit });
  // The cursor behind the first page begins at the top, that of a later page behind its last hit.
  const filterPath = query.page === 1 ? responseFilterPath : pagedFilterPath;
  const reply = await send({ indices: query.indices, body, filterPath });
  if (!reply.ok) return reply;
  const raw = parseRawResponse(reply.body);
  return raw === null ? invalidReply : ({ ok: true, raw, body } as const);
}
