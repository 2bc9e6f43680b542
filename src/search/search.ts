import type { KindName } from '../kinds/kind.ts';
import type { Cursor } from './pagination/cursor.ts';
import { firstCursor } from './pagination/cursor-page.ts';
import type { FirstPass, Pass } from './pass.ts';
import { firstPass, passAfter } from './passes.ts';
import { askedKinds, askedText, type Question } from './query.ts';
import { answerFilterPath, searchBody } from './request-body.ts';
import { type Answer, parseRawAnswer, type RawAnswer, toAnswer } from './response.ts';
import type { Vocabulary } from './vocabulary/vocabulary.ts';
import { readWords } from './words.ts';

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
  readonly answer: Answer;
  readonly next: Cursor | null;
}

/**
 * Answers a question with at most two requests: a strict one, and one that asks for less where the first one found
 * little. Which pass answers is decided by the whole first result under the filters, so every page of a question is
 * answered by the same one.
 */
export async function search<Failure>(
  question: Question,
  ask: Ask<Failure>,
  vocabulary: Vocabulary,
): Promise<Answered | NoAnswer | ({ readonly ok: false } & Failure)> {
  const initial = firstPass(question.type);
  const first = await askFor(question, initial, ask, vocabulary);
  if (!first.ok) return first;
  const pass = answeringPass(question, initial, first.raw, vocabulary);
  if (pass === initial) return answered(question, pass, first.raw);
  const second = await askFor(question, pass, ask, vocabulary);
  return second.ok ? answered(question, pass, second.raw) : second;
}

function answered(question: Question, pass: Pass, raw: RawAnswer): Answered {
  return { ok: true, answer: toAnswer(question, pass, raw), next: firstCursor(question, pass, raw) };
}

async function askFor<Failure>(question: Question, pass: Pass, ask: Ask<Failure>, vocabulary: Vocabulary) {
  const reply = await ask({
    kinds: askedKinds(question.type),
    body: searchBody(question, pass, vocabulary),
    // A walk that begins behind a later page begins at its last hit.
    filterPath: answerFilterPath(question, ...(question.page === 1 ? [] : ['hits.hits.sort'])),
  });
  if (!reply.ok) return reply;
  const raw = parseRawAnswer(reply.body);
  return raw === null ? ({ ok: false, reason: 'invalid' } as const) : ({ ok: true, raw } as const);
}

function answeringPass({ query, sort }: Question, first: FirstPass, { hits }: RawAnswer, vocabulary: Vocabulary): Pass {
  const text = askedText(query);
  if (text === '') return first;
  const isScored = sort === undefined || sort.by === 'relevance';
  const best = isScored ? { best: hits.max_score ?? 0 } : {};
  return passAfter(first, readWords(text, vocabulary), { ...best, hits: hits.total.value });
}
