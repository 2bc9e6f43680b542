import type { Deps, SearchFailure } from '../deps.ts';
import { aliasName } from '../index-names.ts';
import type { Answer } from '../search/answer.ts';
import type { Question } from '../search/question.ts';
import { search } from '../search/search.ts';
import { SearchFailed } from './errors.ts';

type Failure = Omit<SearchFailure, 'ok'>;

/**
 * Answers a question through Elasticsearch, both passes under one deadline.
 * Throws `SearchFailed`, with the reason, when there is no answer that can be used.
 * @param signal gives the search up early
 */
export async function askSearch(
  deps: Pick<Deps, 'search' | 'config' | 'clock'>,
  question: Question,
  signal: AbortSignal,
): Promise<Answer> {
  const { indexPrefix, timeoutMs } = deps.config.search;
  const deadlineMs = deps.clock.elapsed() + timeoutMs;
  const outcome = await search<Failure>(question, async ({ kinds, body, filterPath }) => {
    const leftMs = Math.floor(deadlineMs - deps.clock.elapsed());
    if (leftMs <= 0) return { ok: false, reason: 'timeout', cause: new Error('no time is left for another pass') };
    return deps.search.search({
      indices: kinds.map((kind) => aliasName(indexPrefix, kind)),
      body,
      filterPath,
      timeoutMs: leftMs,
      signal,
    });
  });
  if (outcome.ok) return outcome.answer;
  throw new SearchFailed(outcome.reason, 'cause' in outcome ? outcome.cause : undefined);
}
