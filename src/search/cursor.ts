import { hash } from 'node:crypto';
import { z } from 'zod';
import { isObject } from '../lib/is-object.ts';
import { seal, unseal } from '../lib/sealed-text.ts';
import {
  type Meaning,
  noMeaning,
  nothingRead,
  type PreparedQuery,
  type Reading,
  type SearchBody,
  type SearchQuery,
  searchBody,
} from './query.ts';
import { type Pass, passes } from './ranking/ranked-query.ts';
import { type RawResponse, sortValue, toSearchResponse } from './response.ts';

const id = z.int().positive();

/** Cursors are sealed, so only this service creates their parts. */
const ownPart = <Part extends object>() => z.custom<Part>(isObject);

/**
 * A position in a paginated list. Pagination starts with a page that was answered without a point in time. `shown`
 * holds the entities of that page. Later pages leave them out, so an entity that moves in the meantime is not repeated.
 */
const cursorSchema = z
  .strictObject({
    pass: z.enum(passes),
    /** `rankingHash` of the body that found the page before. */
    ranking: z.string(),
    page: z.int().positive(),
    /** Null until the first cursor is used. */
    pointInTime: z.string().nullable(),
    /** Sort values of the last hit before the next page; null for the beginning. */
    searchAfter: z.array(sortValue).readonly().nullable(),
    /** The entities shown before the point in time was opened, by generation. */
    shown: z.record(z.string(), z.array(id).readonly()),
    reading: ownPart<Reading>().default(nothingRead),
    meaning: ownPart<Meaning>().default(noMeaning),
  })
  .readonly();
export type Cursor = z.infer<typeof cursorSchema>;

/** The version of the format. Cursors of other versions are rejected. */
const version = '3';

/** Longer texts aren't ours. A long name as sort value, a full page, a point in time and 4,096 numbers fit. */
export const cursorCharactersMax = 12_000;

/**
 * Encodes a cursor as an opaque text that is safe in a URL and sealed (AES-256-GCM) for its query. Callers can neither
 * read index names in it nor forge one. The same cursor always has the same text.
 * @param secret shared by all processes of an installation
 */
export function encodeCursor(cursor: Cursor, query: SearchQuery, secret: string): string {
  const { reading, meaning, ...others } = cursor;
  // Cursors are part of addresses, so parts without content are left out.
  const content = { ...others, reading: unless(nothingRead, reading), meaning: unless(noMeaning, meaning) };
  return seal(JSON.stringify(content), sealOf(query), secret);
}

function unless<Part>(nothing: Part, part: Part): Part | undefined {
  return JSON.stringify(part) === JSON.stringify(nothing) ? undefined : part;
}

/** Returns null if the cursor is not ours, or belongs to another query. */
export function decodeCursor(text: string, query: SearchQuery, secret: string): Cursor | null {
  return unseal(text, sealOf(query), cursorSchema, secret);
}

function sealOf({ page: _, ...query }: SearchQuery) {
  return { purpose: 'cursor', version, sealedFor: hashOf(query) };
}

export function rankingHash({ query, sort, track_scores }: SearchBody): string {
  return hashOf({ query, sort, track_scores });
}

function hashOf(value: object): string {
  return hash('sha256', JSON.stringify(value), 'base64url').slice(0, 16);
}

/**
 * Returns the cursor after a page without a point in time, or null after the last page. Documents may move before the
 * next page is read, so the cursor starts at the top again and leaves out the shown entities.
 */
export function firstCursor(query: PreparedQuery, pass: Pass, raw: RawResponse, body: SearchBody): Cursor | null {
  const { hits, total } = raw.hits;
  const last = hits.at(-1);
  if (last === undefined || (query.page - 1) * query.limit + hits.length >= total.value) return null;
  const shown: Record<string, number[]> = {};
  for (const { _index: generation, _source } of hits) {
    shown[generation] = [...(shown[generation] ?? []), id.parse(_source.id)];
  }
  return {
    pass,
    ranking: rankingHash(body),
    page: query.page + 1,
    pointInTime: null,
    searchAfter: query.page === 1 ? null : last.sort,
    shown,
    reading: query.reading,
    meaning: query.meaning,
  };
}

/** Returns the body for the page at a cursor; null if a release with another ranking created the cursor. */
export function cursorPageBody(query: PreparedQuery, cursor: Cursor): SearchBody | null {
  // The entities came from these generations, as the point in time does.
  const shown = Object.entries(cursor.shown).map(([generation, ids]) => ({
    bool: { filter: [{ term: { _index: generation } }, { terms: { id: ids } }] },
  }));
  const body = searchBody(query, cursor.pass, {
    // The additional hit shows that another page follows.
    size: query.limit + 1,
    // This is not part of the query, because facets also count shown entities.
    post_filter: { bool: { must_not: shown } },
    ...(cursor.searchAfter === null ? {} : { search_after: cursor.searchAfter }),
  });
  return rankingHash(body) === cursor.ranking ? body : null;
}

/**
 * Returns the page at a cursor, whose total includes the entities shown before the point in time, the next cursor, null
 * on the last page, and the point in time to use from now on: Elasticsearch may rename it with each use.
 */
export function toCursorPage(query: PreparedQuery, cursor: Cursor, raw: RawResponse & { readonly pit_id: string }) {
  const { hits, total } = raw.hits;
  const pointInTime = raw.pit_id;
  const value = total.value + Object.values(cursor.shown).flat().length;
  const page = hits.slice(0, query.limit);
  const last = page.at(-1);
  const whole = { ...raw, hits: { ...raw.hits, hits: page, total: { value } } };
  const isLast = last === undefined || hits.length === page.length;
  const next: Cursor | null = isLast ? null : { ...cursor, page: cursor.page + 1, pointInTime, searchAfter: last.sort };
  return { pointInTime, response: toSearchResponse({ ...query, page: cursor.page }, cursor.pass, whole), next };
}
