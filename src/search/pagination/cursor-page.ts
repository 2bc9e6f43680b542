import { z } from 'zod';
import { kindOfIndex } from '../../kinds/index-names.ts';
import type { KindName } from '../../kinds/kind.ts';
import type { Pass } from '../pass.ts';
import { askedKinds, type Question } from '../query.ts';
import type { Clause } from '../ranking/tiers.ts';
import { answerFilterPath, orderedPart, shownPart } from '../request-body.ts';
import { parseRawAnswer, type RawAnswer, type RawHit, toAnswer } from '../response.ts';
import type { Answered, Ask, NoAnswer } from '../search.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import type { Cursor } from './cursor.ts';

/** What a walk needs of the other side. */
export interface WalkPort<Failure> {
  readonly ask: Ask<Failure>;
  /** Freezes what the generations hold, and for kinds of which none is named the live one's. */
  openPointInTime(
    kinds: readonly KindName[],
    generations: readonly string[],
    keepAliveMs: number,
  ): Promise<{ readonly ok: true; readonly id: string } | ({ readonly ok: false } & Failure)>;
  /** Frees it; one that is left open frees itself when its time is over. */
  closePointInTime(id: string): Promise<void>;
  /** Frees one that nobody was told of, without anybody waiting for it. Never throws. */
  abandonPointInTime(id: string): void;
}

const id = z.int().positive();

/**
 * The cursor behind a page that was answered without a point in time, or null where nothing follows. Between such a
 * page and the walk behind it documents may change and move: behind the first page the walk therefore begins anew at
 * the top and leaves out what the page showed, so that nothing is missed and nothing repeated.
 */
export function firstCursor(question: Question, pass: Pass, raw: RawAnswer): Cursor | null {
  const { hits, total } = raw.hits;
  const last = hits.at(-1);
  if (last === undefined || (question.page - 1) * question.limit + hits.length >= total.value) return null;
  return {
    pass,
    page: question.page + 1,
    pointInTime: null,
    generations: [...new Set(hits.map((hit) => hit._index))],
    after: question.page === 1 ? null : last.sort,
    given: hits.map((hit) => [hit.kind, id.parse(hit._source.id)] as const),
  };
}

/**
 * The page at a cursor: one search in a point in time, which is opened for the first cursor of a walk and closed
 * behind the last page, or where the first search in it comes to nothing.
 */
export async function walk<Failure>(
  question: Question,
  cursor: Cursor,
  port: WalkPort<Failure>,
  keepAliveMs: number,
  vocabulary: Vocabulary,
): Promise<Answered | NoAnswer | ({ readonly ok: false } & Failure)> {
  const page = (id: string) => pageIn({ id, keepAliveMs }, question, cursor, port, vocabulary);
  if (cursor.pointInTime !== null) return page(cursor.pointInTime);
  const opened = await port.openPointInTime(askedKinds(question.type), cursor.generations, keepAliveMs);
  if (!opened.ok) return opened;
  let answered = false;
  try {
    const outcome = await page(opened.id);
    answered = outcome.ok;
    return outcome;
  } finally {
    if (!answered) port.abandonPointInTime(opened.id);
  }
}

interface PointInTime {
  readonly id: string;
  readonly keepAliveMs: number;
}

async function pageIn<Failure>(
  opened: PointInTime,
  question: Question,
  cursor: Cursor,
  port: WalkPort<Failure>,
  vocabulary: Vocabulary,
): Promise<Answered | NoAnswer | ({ readonly ok: false } & Failure)> {
  const reply = await port.ask({
    kinds: [],
    body: walkBody(question, cursor, opened, vocabulary),
    filterPath: answerFilterPath(question, 'hits.hits.sort', 'pit_id'),
  });
  if (!reply.ok) return reply;
  const raw = parseRawAnswer(reply.body);
  if (raw === null) return { ok: false, reason: 'invalid' };
  const pointInTime = raw.pit_id ?? opened.id;
  const shown = raw.hits.hits.slice(0, question.limit);
  const last = shown.at(-1);
  const ended = raw.hits.hits.length === shown.length || last === undefined;
  if (ended) await port.closePointInTime(pointInTime);
  return {
    ok: true,
    answer: toAnswer({ ...question, page: cursor.page }, cursor.pass, wholeOf(raw, shown, cursor)),
    next: ended ? null : { ...cursor, page: cursor.page + 1, pointInTime, after: last.sort },
  };
}

/** The page as one of all that the walk gives: what was given before it counts. */
function wholeOf(raw: RawAnswer, shown: RawHit[], { given }: Cursor): RawAnswer {
  return { ...raw, hits: { ...raw.hits, hits: shown, total: { value: raw.hits.total.value + given.length } } };
}

function walkBody(
  question: Question,
  cursor: Cursor,
  { id, keepAliveMs }: PointInTime,
  vocabulary: Vocabulary,
): Clause {
  const { pass, after } = cursor;
  return {
    // One more than is shown tells whether another page follows.
    size: question.limit + 1,
    ...shownPart(question, pass, vocabulary),
    ...orderedPart(question, pass, vocabulary),
    // Not part of the query: facets count what was given before, too.
    post_filter: { bool: { must_not: givenClauses(cursor) } },
    ...(after === null ? {} : { search_after: after }),
    pit: { id, keep_alive: `${keepAliveMs}ms` },
  };
}

/** What was given came from these generations, and the point in time is of the same. */
function givenClauses({ given, generations }: Cursor): Clause[] {
  return generations.map((generation) => {
    const ids = given.flatMap(([kind, id]) => (kind === kindOfIndex(generation) ? [id] : []));
    return { bool: { filter: [{ term: { _index: generation } }, { terms: { id: ids } }] } };
  });
}
