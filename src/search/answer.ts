import { z } from 'zod';
import { kindOfIndex } from '../index-names.ts';
import type { KindName } from '../kinds/kind.ts';
import { kinds } from '../kinds/registry.ts';
import type { Pass } from './pass.ts';
import type { Question } from './question.ts';

/** An entity in a search answer: its kind and the fields that were asked for. */
export type Item = { readonly entity_type: KindName } & Readonly<Record<string, unknown>>;

export interface Answer {
  readonly results: readonly Item[];
  /** Exact. */
  readonly totalResults: number;
  readonly totalPages: number;
  readonly page: number;
  readonly limit: number;
  /** `tolerant` when the answer rests on guessed spelling. */
  readonly matchedBy: Pass;
}

/** What `answerFilterPath` lets through. Elasticsearch leaves empty arrays out of a filtered answer. */
const rawAnswer = z.object({
  timed_out: z.literal(false),
  hits: z.object({
    total: z.object({ value: z.int().nonnegative() }),
    max_score: z.number().nullish(),
    hits: z.array(z.object({ _index: z.string(), _source: z.record(z.string(), z.unknown()) })).default([]),
  }),
});
export type RawAnswer = z.infer<typeof rawAnswer>;

/** @returns null when the body is not a complete answer of Elasticsearch */
export function parseRawAnswer(body: unknown): RawAnswer | null {
  const parsed = rawAnswer.safeParse(body);
  return parsed.success ? parsed.data : null;
}

export function toAnswer(question: Question, pass: Pass, raw: RawAnswer): Answer {
  return {
    results: raw.hits.hits.map((hit) => toItem(question, hit._index, hit._source)),
    totalResults: raw.hits.total.value,
    totalPages: Math.ceil(raw.hits.total.value / question.limit),
    page: question.page,
    limit: question.limit,
    matchedBy: pass,
  };
}

function toItem(question: Question, index: string, source: Readonly<Record<string, unknown>>): Item {
  const kind = kindOfIndex(index);
  const fields = (question.fields ?? kinds[kind].itemFields).map((field) => [field, source[field] ?? null] as const);
  return { entity_type: kind, ...Object.fromEntries(fields) };
}
