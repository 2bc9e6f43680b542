import type { Deps } from '../../ports.ts';
import { executeSearch } from '../../search/execute-search.ts';
import { type Cursor, encodeCursor } from '../../search/pagination/cursor.ts';
import { type SearchFailure, searchTools } from '../../search/ports.ts';
import { type PreparedQuery, prepareQuery, type QueryContext, type SearchQuery } from '../../search/query.ts';
import type { SearchResponse } from '../../search/response.ts';
import { SearchFailed } from '../errors/errors.ts';

export type SearchDeps = Pick<Deps, 'search' | 'config' | 'clock' | 'vocabulary' | 'knowledge' | 'log' | 'embeddings'>;

/** What `data` holds: a page of results, and the cursor of the next one; null behind the last. */
export interface SearchData extends SearchResponse {
  readonly nextCursor: string | null;
}

/**
 * The page that a query names by its number, all requests under one deadline. Throws `SearchFailed`, with the reason,
 * where there is no response that can be used.
 * @param signal gives the search up early
 */
export async function searchPage(deps: SearchDeps, query: SearchQuery, signal: AbortSignal): Promise<SearchData> {
  const prepared = prepareQuery(query, queryContext(deps));
  const tools = searchTools(deps.search, deadline(deps), { signal, vectors: deps.embeddings });
  const page = unlessFailed(await executeSearch(prepared, tools));
  return toSearchData(deps, prepared, page);
}

export function toSearchData(
  { config }: SearchDeps,
  query: PreparedQuery,
  { response, next }: { readonly response: SearchResponse; readonly next: Cursor | null },
): SearchData {
  return { ...response, nextCursor: next === null ? null : encodeCursor(next, query, config.search.cursorSecret) };
}

/** Throws `SearchFailed` for a failure. */
export function unlessFailed<Outcome extends { readonly ok: true }>(outcome: Outcome | SearchFailure): Outcome {
  if (!outcome.ok) throw new SearchFailed(outcome.reason, outcome.cause);
  return outcome;
}

/** Milliseconds that are left of a search that begins now; less than none when its time is over. */
export function deadline({ config, clock }: SearchDeps): () => number {
  const endMs = clock.elapsed() + config.search.timeoutMs;
  return () => Math.floor(endMs - clock.elapsed());
}

/** What a query is read with, as things are now. */
export function queryContext({ vocabulary, knowledge, config, clock }: SearchDeps): QueryContext {
  return {
    vocabulary,
    knowledge: knowledge.latest(),
    now: new Date(clock.now()),
    indexPrefix: config.search.indexPrefix,
  };
}
