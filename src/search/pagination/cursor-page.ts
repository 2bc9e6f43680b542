import { z } from 'zod';
import { kindOfIndex } from '../../kinds/index-names.ts';
import type { Pass } from '../passes.ts';
import type { PreparedQuery } from '../query.ts';
import type { Clause } from '../ranking/clauses.ts';
import { rankingText, type SearchBody, searchBody } from '../request-body.ts';
import { type RawResponse, type SearchResponse, toSearchResponse } from '../response.ts';
import { type Cursor, textHash } from './cursor.ts';

const id = z.int().positive();

/**
 * The cursor behind a page that was answered without a point in time, or null where nothing follows. Between such a
 * page and the next documents may change and move: behind the first page the list therefore begins anew at the top and
 * leaves out what the page showed, so that nothing is missed and nothing repeated.
 * @param ranking what the page's body says about it, as JSON
 */
export function firstCursor(query: PreparedQuery, pass: Pass, raw: RawResponse, ranking: string): Cursor | null {
  const { hits, total } = raw.hits;
  const last = hits.at(-1);
  if (last === undefined || (query.page - 1) * query.limit + hits.length >= total.value) return null;
  return {
    pass,
    ranking: textHash(ranking),
    page: query.page + 1,
    pointInTime: null,
    generations: [...new Set(hits.map((hit) => hit._index))],
    searchAfter: query.page === 1 ? null : last.sort,
    shown: hits.map((hit) => [hit.kind, id.parse(hit._source.id)] as const),
    reading: query.reading,
    meaning: query.meaning,
  };
}

/**
 * The body for the page at a cursor, all but its point in time. Null where a release that ranks otherwise gave the
 * cursor: its list can't be gone on with.
 */
export function cursorPageBody(query: PreparedQuery, cursor: Cursor): SearchBody | null {
  const body = searchBody(query, cursor.pass, {
    // One more than is shown tells whether another page follows.
    size: query.limit + 1,
    // Not part of the query: facets count what was shown before, too.
    post_filter: { bool: { must_not: shownClauses(cursor) } },
    ...(cursor.searchAfter === null ? {} : { search_after: cursor.searchAfter }),
  });
  return textHash(rankingText(body)) === cursor.ranking ? body : null;
}

/** What was shown came from these generations, and the point in time is of the same. */
function shownClauses({ shown, generations }: Cursor): Clause[] {
  return generations.map((generation) => {
    const ids = shown.flatMap(([kind, id]) => (kind === kindOfIndex(generation) ? [id] : []));
    return { bool: { filter: [{ term: { _index: generation } }, { terms: { id: ids } }] } };
  });
}

export interface CursorPage {
  /** To be used from now on: Elasticsearch may give it another name with each use. */
  readonly pointInTime: string;
  readonly response: SearchResponse;
  /** Null behind the last page. */
  readonly next: Cursor | null;
}

/** The page at a cursor, as one of all that pagination gives: what was shown before the point in time counts. */
export function toCursorPage(
  query: PreparedQuery,
  cursor: Cursor,
  raw: RawResponse & { readonly pit_id: string },
): CursorPage {
  const { hits, total } = raw.hits;
  const pointInTime = raw.pit_id;
  const page = hits.slice(0, query.limit);
  const last = page.at(-1);
  const whole = { ...raw, hits: { ...raw.hits, hits: page, total: { value: total.value + cursor.shown.length } } };
  const isLast = last === undefined || hits.length === page.length;
  return {
    pointInTime,
    response: toSearchResponse({ ...query, page: cursor.page }, cursor.pass, whole),
    next: isLast ? null : { ...cursor, page: cursor.page + 1, pointInTime, searchAfter: last.sort },
  };
}
