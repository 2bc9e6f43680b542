import type { Deps, SearchFailure } from '../deps.ts';
import { aliasName, kindOfIndex } from '../index-names.ts';
import type { KindName } from '../kinds/kind.ts';
import { causeText } from '../log.ts';
import type { Answer } from '../search/answer.ts';
import { openCursor, sealCursor } from '../search/cursor.ts';
import { type WalkPort, walk } from '../search/cursor-walk.ts';
import type { Question } from '../search/question.ts';
import { type Answered, type Ask, search } from '../search/search.ts';
import { type Suggestion, type SuggestQuestion, suggest } from '../search/suggest.ts';
import { CursorExpired, InvalidCursor, SearchFailed } from './errors.ts';

type Failure = Omit<SearchFailure, 'ok'>;
export type SearchDeps = Pick<Deps, 'search' | 'config' | 'clock' | 'vocabulary' | 'log'>;

/** A page of results, and the cursor of the next one; null behind the last. */
export interface Page {
  readonly answer: Answer;
  readonly nextCursor: string | null;
}

/**
 * Answers a question through Elasticsearch, both passes under one deadline.
 * Throws `SearchFailed`, with the reason, when there is no answer that can be used.
 * @param signal gives the search up early
 */
export async function askSearch(deps: SearchDeps, question: Question, signal: AbortSignal): Promise<Answer> {
  return (await askPage(deps, question, signal)).answer;
}

/** The same, with a cursor to go on with. */
export async function askPage(deps: SearchDeps, question: Question, signal: AbortSignal): Promise<Page> {
  const outcome = await search(question, asker(deps, signal), deps.vocabulary);
  if (!outcome.ok) throw failed(outcome);
  return paged(deps, question, outcome);
}

/**
 * The page at a cursor, one search and what it needs to open or close its point in time under one deadline.
 * Throws `InvalidCursor` and `CursorExpired`, and `SearchFailed` as above.
 */
export async function askWalk(
  deps: SearchDeps,
  question: Question,
  cursorText: string,
  signal: AbortSignal,
): Promise<Page> {
  const { cursorSecret, cursorKeepAliveMs } = deps.config.search;
  const opened = openCursor(cursorText, question, deps.vocabulary, cursorSecret);
  if (!opened.ok) throw opened.problem === 'invalid' ? new InvalidCursor() : new CursorExpired();
  const outcome = await walk(question, opened.cursor, walkPort(deps, signal), cursorKeepAliveMs, deps.vocabulary);
  if (outcome.ok) return paged(deps, question, outcome);
  // The point in time is gone, or the generation that it or the page before it was of.
  if ('status' in outcome && outcome.status === 404) throw new CursorExpired(outcome.cause);
  throw failed(outcome);
}

/** Suggestions, under the same deadline and with the same failures as a search. */
export async function askSuggest(
  deps: SearchDeps,
  question: SuggestQuestion,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  const outcome = await suggest(question, asker(deps, signal));
  if (!outcome.ok) throw failed(outcome);
  return outcome.suggestions;
}

interface Unusable {
  readonly ok: false;
  readonly reason: string;
  readonly cause?: unknown;
}

function failed({ reason, cause }: Unusable): SearchFailed {
  return new SearchFailed(reason, cause);
}

function paged({ config, vocabulary }: SearchDeps, question: Question, { answer, next }: Answered): Page {
  const nextCursor = next === null ? null : sealCursor(next, question, vocabulary, config.search.cursorSecret);
  return { answer, nextCursor };
}

function timer({ config, clock }: SearchDeps): () => number {
  const deadlineMs = clock.elapsed() + config.search.timeoutMs;
  return () => Math.floor(deadlineMs - clock.elapsed());
}

function asker(deps: SearchDeps, signal: AbortSignal, leftMs = timer(deps)): Ask<Failure> {
  return async ({ kinds, body, filterPath, flatScores = false }) => {
    const timeoutMs = leftMs();
    if (timeoutMs <= 0) return tooLate();
    const indices = kinds.map((kind) => aliasName(deps.config.search.indexPrefix, kind));
    return deps.search.search({ indices, body, filterPath, flatScores, timeoutMs, signal });
  };
}

function walkPort(deps: SearchDeps, signal: AbortSignal): WalkPort<Failure> {
  const { indexPrefix } = deps.config.search;
  const leftMs = timer(deps);
  const indexOf = (kind: KindName, generations: readonly string[]) =>
    generations.find((generation) => kindOfIndex(generation) === kind) ?? aliasName(indexPrefix, kind);
  return {
    ask: asker(deps, signal, leftMs),
    async openPointInTime(kinds, generations, keepAliveMs) {
      const indices = kinds.map((kind) => indexOf(kind, generations));
      return deps.search.openPointInTime({ indices, keepAliveMs, timeoutMs: Math.max(1, leftMs()), signal });
    },
    async closePointInTime(id) {
      const closed = await deps.search.closePointInTime({ id, timeoutMs: Math.max(1, leftMs()) });
      // The answer is there; what was not closed closes itself.
      if (!closed.ok)
        deps.log.warn({ reason: closed.reason, cause: causeText(closed.cause) }, 'point in time left open');
    },
  };
}

function tooLate(): SearchFailure {
  return { ok: false, reason: 'timeout', cause: new Error('no time is left for another request') };
}
