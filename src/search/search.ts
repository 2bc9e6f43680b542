import type { KindName } from '../kinds/kind.ts';
import { type Answer, parseRawAnswer, type RawAnswer, toAnswer } from './answer.ts';
import { answerFilterPath, searchBody } from './body.ts';
import type { Pass } from './pass.ts';
import { askedKinds, askedText, type Question } from './question.ts';
import { strictIsWeakBelow } from './tiers.ts';
import { emptyVocabulary, type Vocabulary } from './vocabulary.ts';

/** One request to Elasticsearch, without its address. */
export interface SearchRequest {
  readonly kinds: readonly KindName[];
  readonly body: Readonly<Record<string, unknown>>;
  readonly filterPath: string;
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

/**
 * Answers a question with at most two requests: a strict one, and a tolerant one only when the strict one is weak.
 * Which of the two answers is decided by the best score of the whole strict result, so every page of a question is
 * answered by the same pass.
 */
export async function search<Failure>(
  question: Question,
  ask: Ask<Failure>,
  vocabulary: Vocabulary = emptyVocabulary,
): Promise<{ readonly ok: true; readonly answer: Answer } | NoAnswer | ({ readonly ok: false } & Failure)> {
  const strict = await askFor(question, 'strict', ask, vocabulary);
  if (!strict.ok) return strict;
  if (!isWeak(question, strict.raw)) return { ok: true, answer: toAnswer(question, 'strict', strict.raw) };
  const tolerant = await askFor(question, 'tolerant', ask, vocabulary);
  if (!tolerant.ok) return tolerant;
  return { ok: true, answer: toAnswer(question, 'tolerant', tolerant.raw) };
}

async function askFor<Failure>(question: Question, pass: Pass, ask: Ask<Failure>, vocabulary: Vocabulary) {
  const answered = await ask({
    kinds: askedKinds(question.type),
    body: searchBody(question, pass, vocabulary),
    filterPath: answerFilterPath,
  });
  if (!answered.ok) return answered;
  const raw = parseRawAnswer(answered.body);
  return raw === null ? ({ ok: false, reason: 'invalid' } as const) : ({ ok: true, raw } as const);
}

function isWeak(question: Question, raw: RawAnswer): boolean {
  if (askedText(question.query) === '') return false;
  return (raw.hits.max_score ?? 0) < strictIsWeakBelow;
}
