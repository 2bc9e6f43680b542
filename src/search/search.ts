import type { KindName } from '../kinds/kind.ts';
import type { Cursor } from './pagination/cursor.ts';
import { firstCursor } from './pagination/cursor-page.ts';
import type { InitialPass, Pass } from './pass.ts';
import { chooseFinalPass, chooseInitialPass } from './passes.ts';
import { kindsOf, normalizeText, type SearchQuery } from './query.ts';
import { responseFilterPath, searchBody } from './request-body.ts';
import { parseRawResponse, type RawResponse, type SearchResponse, toSearchResponse } from './response.ts';
import { analyzeText } from './vocabulary/analyze-text.ts';
import type { Vocabulary } from './vocabulary/vocabulary.ts';

/** One request to Elasticsearch, without its address. */
export interface SearchRequest {
  /** Whose aliases are asked; none where the body names a point in time. */
  readonly kinds: readonly KindName[];
  readonly body: Readonly<Record<string, unknown>>;
  readonly filterPath: string;
  /** True where no score depends on how often words occur, so that the indices need not agree on that first. */
  readonly flatScores?: boolean;
}

/** Sends a request. Failures of the other side are values, so that the caller decides what they mean. */
export type Ask<Failure> = (
  request: SearchRequest,
) => Promise<{ readonly ok: true; readonly body: unknown } | ({ readonly ok: false } & Failure)>;

/** Elasticsearch answered something that is no search answer. */
export interface NoAnswer {
  readonly ok: false;
  readonly reason: 'invalid';
}

/** An answer, and where to go on; null behind the last page. */
export interface Answered {
  readonly ok: true;
  readonly answer: SearchResponse;
  readonly next: Cursor | null;
}

/**
 * Answers a query with at most two requests: a strict one, and one that asks for less where the first one found
 * little. Which pass answers is decided by the whole first result under the filters, so every page of a query is
 * answered by the same one.
 */
export async function search<Failure>(
  query: SearchQuery,
  ask: Ask<Failure>,
  vocabulary: Vocabulary,
): Promise<Answered | NoAnswer | ({ readonly ok: false } & Failure)> {
  const initial = chooseInitialPass(query.type);
  const first = await askFor(query, initial, ask, vocabulary);
  if (!first.ok) return first;
  const pass = answeringPass(query, initial, first.raw, vocabulary);
  if (pass === initial) return answered(query, pass, first.raw);
  const second = await askFor(query, pass, ask, vocabulary);
  return second.ok ? answered(query, pass, second.raw) : second;
}

function answered(query: SearchQuery, pass: Pass, raw: RawResponse): Answered {
  return { ok: true, answer: toSearchResponse(query, pass, raw), next: firstCursor(query, pass, raw) };
}

async function askFor<Failure>(query: SearchQuery, pass: Pass, ask: Ask<Failure>, vocabulary: Vocabulary) {
  const reply = await ask({
    kinds: kindsOf(query.type),
    body: searchBody(query, pass, vocabulary),
    // A walk that begins behind a later page begins at its last hit.
    filterPath: responseFilterPath(query, ...(query.page === 1 ? [] : ['hits.hits.sort'])),
  });
  if (!reply.ok) return reply;
  const raw = parseRawResponse(reply.body);
  return raw === null ? ({ ok: false, reason: 'invalid' } as const) : ({ ok: true, raw } as const);
}

function answeringPass(
  { text: typed, sort }: SearchQuery,
  first: InitialPass,
  { hits }: RawResponse,
  vocabulary: Vocabulary,
): Pass {
  const text = normalizeText(typed);
  if (text === '') return first;
  const isScored = sort === undefined || sort.by === 'relevance';
  const best = isScored ? { best: hits.max_score ?? 0 } : {};
  return chooseFinalPass(first, analyzeText(text, vocabulary), { ...best, hits: hits.total.value });
}
