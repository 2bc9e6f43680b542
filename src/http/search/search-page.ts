import type { Deps } from '../../ports.ts';
import { encodeCursor } from '../../search/cursor.ts';
import { executeSearch, type SearchPage } from '../../search/execute-search.ts';
import { type SearchFailure, searchTools } from '../../search/ports.ts';
import { prepareQuery, type QueryContext, type SearchQuery } from '../../search/query.ts';
import type { SearchResponse } from '../../search/response.ts';
import { SearchFailed } from '../errors/errors.ts';

export type SearchDeps = Pick<Deps, 'search' | 'config' | 'clock' | 'vocabulary' | 'knowledge' | 'log' | 'embeddings'>;

/** The answer's `data`: a page of results, and the cursor of the next one; null behind the last. */
export interface SearchData extends SearchResponse {
  readonly nextCursor: string | null;
}

/**
 * Searches for the page that a query names by its number, all requests under one deadline.
 * @param signal gives the search up early
 */
export function searchPage(
  deps: SearchDeps,
  query: SearchQuery,
  signal: AbortSignal,
): Promise<SearchPage | SearchFailure> {
  const tools = searchTools(deps.search, deadline(deps), { signal, vectors: deps.embeddings });
  return executeSearch(prepareQuery(query, queryContext(deps)), tools);
}

/** Returns the answer's `data`. Throws `SearchFailed` for a failure. */
export function toSearchData(
  { config }: SearchDeps,
  query: SearchQuery,
  outcome: Pick<SearchPage, 'ok' | 'response' | 'next'> | SearchFailure,
): SearchData {
  const { response, next } = unlessFailed(outcome);
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

/** Returns what queries are read with now. */
export function queryContext({ vocabulary, knowledge, config, clock }: SearchDeps): QueryContext {
  return {
    vocabulary,
    knowledge: knowledge.latest(),
    now: new Date(clock.now()),
    indexPrefix: config.search.indexPrefix,
  };
}
