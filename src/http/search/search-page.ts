import type { Deps } from '../../ports.ts';
import { encodeCursor } from '../../search/cursor.ts';
import { executeSearch, type SearchPage } from '../../search/execute-search.ts';
import { type SearchFailure, searchTools } from '../../search/ports.ts';
import { prepareQuery, type QueryContext, type SearchQuery } from '../../search/query.ts';
import type { SearchResponse } from '../../search/response.ts';
import { SearchFailed } from '../errors/errors.ts';

export type SearchDeps = Pick<Deps, 'search' | 'config' | 'clock' | 'vocabulary' | 'knowledge' | 'log' | 'embeddings'>;

/** The answer's `data`: a page of results, and the cursor of the next page, or null after the last. */
export interface SearchData extends SearchResponse {
  readonly nextCursor: string | null;
}

/** Returns the page with the number in a query. All requests share one deadline. */
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

/** Returns a function that returns the milliseconds left for a search that begins now. Negative after the deadline. */
export function deadline({ config, clock }: SearchDeps): () => number {
  const endMs = clock.elapsed() + config.search.timeoutMs;
  return () => Math.floor(endMs - clock.elapsed());
}

export function queryContext({ vocabulary, knowledge, config, clock }: SearchDeps): QueryContext {
  return {
    vocabulary,
    knowledge: knowledge.latest(),
    now: new Date(clock.now()),
    indexPrefix: config.search.indexPrefix,
  };
}
