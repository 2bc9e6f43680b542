import { z } from 'zod';
import { kindOfIndex } from '../../kinds/index-names.ts';
import type { KindName } from '../../kinds/kind.ts';
import type { Pass } from '../pass.ts';
import { kindsOf, type SearchQuery } from '../query.ts';
import type { Clause } from '../ranking/tiers.ts';
import { orderedPart, responseFilterPath, shownPart } from '../request-body.ts';
import { parseRawResponse, type RawHit, type RawResponse, toSearchResponse } from '../response.ts';
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
export function firstCursor(query: SearchQuery, pass: Pass, raw: RawResponse): Cursor | null {
  const { hits, total } = raw.hits;
  const last = hits.at(-1);
  if (last === undefined || (query.page - 1) * query.limit + hits.length >= total.value) return null;
  return {
    pass,
    page: query.page + 1,
    pointInTime: null,
    generations: [...new Set(hits.map((hit) => hit._index))],
    after: query.page === 1 ? null : last.sort,
    given: hits.map((hit) => [hit.kind, id.parse(hit._source.id)] as const),
  };
}

/**
 * The page at a cursor: one search in a point in time, which is opened for the first cursor of a walk and closed
 * behind the last page, or where the first search in it comes to nothing.
 */
export async function walk<Failure>(
  query: SearchQuery,
  cursor: Cursor,
  port: WalkPort<Failure>,
  keepAliveMs: number,
  vocabulary: Vocabulary,
): Promise<Answered | NoAnswer | ({ readonly ok: false } & Failure)> {
  const page = (id: string) => pageIn({ id, keepAliveMs }, query, cursor, port, vocabulary);
  if (cursor.pointInTime !== null) return page(cursor.pointInTime);
  const opened = await port.openPointInTime(kindsOf(query.type), cursor.generations, keepAliveMs);
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
  query: SearchQuery,
  cursor: Cursor,
  port: WalkPort<Failure>,
  vocabulary: Vocabulary,
): Promise<Answered | NoAnswer | ({ readonly ok: false } & Failure)> {
  const reply = await port.ask({
    kinds: [],
    body: walkBody(query, cursor, opened, vocabulary),
    filterPath: responseFilterPath(query, 'hits.hits.sort', 'pit_id'),
  });
  if (!reply.ok) return reply;
  const raw = parseRawResponse(reply.body);
  if (raw === null) return { ok: false, reason: 'invalid' };
  const pointInTime = raw.pit_id ?? opened.id;
  const shown = raw.hits.hits.slice(0, query.limit);
  const last = shown.at(-1);
  const ended = raw.hits.hits.length === shown.length || last === undefined;
  if (ended) await port.closePointInTime(pointInTime);
  return {
    ok: true,
    answer: toSearchResponse({ ...query, page: cursor.page }, cursor.pass, wholeOf(raw, shown, cursor)),
    next: ended ? null : { ...cursor, page: cursor.page + 1, pointInTime, after: last.sort },
  };
}

/** The page as one of all that the walk gives: what was given before it counts. */
function wholeOf(raw: RawResponse, shown: RawHit[], { given }: Cursor): RawResponse {
  return { ...raw, hits: { ...raw.hits, hits: shown, total: { value: raw.hits.total.value + given.length } } };
}

function walkBody(
  query: SearchQuery,
  cursor: Cursor,
  { id, keepAliveMs }: PointInTime,
  vocabulary: Vocabulary,
): Clause {
  const { pass, after } = cursor;
  return {
    // One more than is shown tells whether another page follows.
    size: query.limit + 1,
    ...shownPart(query, pass, vocabulary),
    ...orderedPart(query, pass, vocabulary),
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
