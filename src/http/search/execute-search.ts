import { aliasName } from '../../kinds/index-names.ts';
import type { Deps, SearchFailure } from '../../ports.ts';
import { sealCursor } from '../../search/pagination/cursor.ts';
import type { SearchQuery } from '../../search/query.ts';
import type { SearchResponse } from '../../search/response.ts';
import { type Answered, type Ask, search } from '../../search/search.ts';
import { type Suggestion, type SuggestQuery, suggest } from '../../search/suggest.ts';
import { SearchFailed } from '../errors/errors.ts';

export type Failure = Omit<SearchFailure, 'ok'>;
export type SearchDeps = Pick<Deps, 'search' | 'config' | 'clock' | 'vocabulary' | 'log'>;

/** A page of results, and the cursor of the next one; null behind the last. */
export interface Page {
  readonly answer: SearchResponse;
  readonly nextCursor: string | null;
}

/**
 * Answers a query through Elasticsearch, both passes under one deadline.
 * Throws `SearchFailed`, with the reason, when there is no answer that can be used.
 * @param signal gives the search up early
 */
export async function askSearch(deps: SearchDeps, query: SearchQuery, signal: AbortSignal): Promise<SearchResponse> {
  return (await askPage(deps, query, signal)).answer;
}

/** The same, with a cursor to go on with. */
export async function askPage(deps: SearchDeps, query: SearchQuery, signal: AbortSignal): Promise<Page> {
  const outcome = await search(query, asker(deps, signal), deps.vocabulary);
  if (!outcome.ok) throw failed(outcome);
  return paged(deps, query, outcome);
}

/** Suggestions, under the same deadline and with the same failures as a search. */
export async function askSuggest(
  deps: SearchDeps,
  query: SuggestQuery,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  const outcome = await suggest(query, asker(deps, signal));
  if (!outcome.ok) throw failed(outcome);
  return outcome.suggestions;
}

interface Unusable {
  readonly ok: false;
  readonly reason: string;
  readonly cause?: unknown;
}

/** The error of an outcome that is no answer. */
export function failed({ reason, cause }: Unusable): SearchFailed {
  return new SearchFailed(reason, cause);
}

/** An answer with its cursor, sealed. */
export function paged({ config, vocabulary }: SearchDeps, query: SearchQuery, { answer, next }: Answered): Page {
  const nextCursor = next === null ? null : sealCursor(next, query, vocabulary, config.search.cursorSecret);
  return { answer, nextCursor };
}

/** Milliseconds that are left of a search that begins now; less than none when its time is over. */
export function timer({ config, clock }: SearchDeps): () => number {
  const deadlineMs = clock.elapsed() + config.search.timeoutMs;
  return () => Math.floor(deadlineMs - clock.elapsed());
}

/** Asks Elasticsearch within the time that is left. */
export function asker(deps: SearchDeps, signal: AbortSignal, leftMs = timer(deps)): Ask<Failure> {
  return async ({ kinds, body, filterPath, flatScores = false }) => {
    const timeoutMs = leftMs();
    if (timeoutMs <= 0) return tooLate();
    const indices = kinds.map((kind) => aliasName(deps.config.search.indexPrefix, kind));
    return deps.search.search({ indices, body, filterPath, flatScores, timeoutMs, signal });
  };
}

function tooLate(): SearchFailure {
  return { ok: false, reason: 'timeout', cause: new Error('no time is left for another request') };
}
