import { hash } from 'node:crypto';
import { z } from 'zod';
import { kindOfIndex } from '../kinds/index-names.ts';
import { type KindName, kindNames } from '../kinds/kind.ts';
import { seal, unseal } from '../lib/sealed-text.ts';
import {
  type Meaning,
  noMeaning,
  nothingRead,
  type PreparedQuery,
  type Reading,
  type SearchBody,
  type SearchQuery,
  type Settled,
  searchBody,
} from './query.ts';
import type { Clause } from './ranking/clauses.ts';
import type { Pass } from './ranking/ranked-query.ts';
import { seedSchema } from './ranking/similar.ts';
import { type RawResponse, type SearchResponse, type SortValue, toSearchResponse } from './response.ts';

/**
 * A position in a paginated list. Pagination starts with a page that was answered without a point in time. `shown`
 * holds the entities of that page. Later pages leave them out, so an entity that moves in the meantime is not repeated.
 */
export interface Cursor extends Settled {
  readonly pass: Pass;
  /** `rankingHash` of the body that found the page before. */
  readonly ranking: string;
  /** The number of the next page. */
  readonly page: number;
  /** Null until the first cursor is used. */
  readonly pointInTime: string | null;
  /** The generations of the entities in `shown`. */
  readonly generations: readonly string[];
  /** Sort values of the last hit before the next page; null for the beginning. */
  readonly searchAfter: readonly SortValue[] | null;
  /** The entities shown before the point in time was opened. */
  readonly shown: readonly (readonly [KindName, number])[];
}

const passLetters = { strict: 's', partial: 'p', tolerant: 't', semantic: 'm', similar: 'l' } as const;
const passOf = { s: 'strict', p: 'partial', t: 'tolerant', m: 'semantic', l: 'similar' } as const;

// Cursors are sealed, so only this service creates them.
const readingSchema = z.custom<Reading>((value) => typeof value === 'object' && value !== null);
const nearTerms = z.array(z.strictObject({ term: z.string(), weight: z.number() })).readonly();
const textMeaningSchema = z.strictObject({
  vector: z.string(),
  concepts: nearTerms,
  similarityMin: z.number(),
});
const meaningSchema = z.strictObject({
  vectorField: z.string().nullable(),
  text: textMeaningSchema.nullable(),
  seed: seedSchema.nullable(),
});

// The keys are short, because cursors are part of addresses.
const wire = z.strictObject({
  o: z.string(),
  m: z.enum(['s', 'p', 't', 'm', 'l']),
  n: z.int().positive(),
  t: z.string().nullable(),
  x: z.array(z.string()).readonly(),
  a: z
    .array(z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .readonly()
    .nullable(),
  /** The reading of the text; missing if nothing was understood. */
  r: readingSchema.optional(),
  v: meaningSchema.optional(),
  g: z.array(z.tuple([z.int().nonnegative(), z.int().positive()]).readonly()).readonly(),
});

/** The version of the format. Cursors of other versions are rejected. */
const form = { purpose: 'cursor', version: '2' } as const;

function isNothing(settled: Reading | Meaning, nothing: Reading | Meaning): boolean {
  return settled === nothing || JSON.stringify(settled) === JSON.stringify(nothing);
}

/**
 * Longer texts are not our cursors: a long name as sort value, a full page, a point in time and a vector of 4,096
 * numbers fit.
 */
export const cursorCharactersMax = 12_000;

/**
 * Encodes a cursor as an opaque text that is safe in a URL and sealed (AES-256-GCM) for its query. Callers can neither
 * read index names in it nor forge one. The same cursor always has the same text.
 * @param secret shared by all processes of an installation
 */
export function encodeCursor(cursor: Cursor, query: SearchQuery, secret: string): string {
  const content = JSON.stringify({
    o: cursor.ranking,
    m: passLetters[cursor.pass],
    n: cursor.page,
    t: cursor.pointInTime,
    x: cursor.generations,
    a: cursor.searchAfter,
    ...(isNothing(cursor.reading, nothingRead) ? {} : { r: cursor.reading }),
    ...(isNothing(cursor.meaning, noMeaning) ? {} : { v: cursor.meaning }),
    g: cursor.shown.map(([kind, id]) => [kindNames.indexOf(kind), id]),
  } satisfies z.infer<typeof wire>);
  return seal(content, { ...form, sealedFor: queryHash(query) }, secret);
}

/** Returns null if the cursor is not ours, or belongs to another query. */
export function decodeCursor(text: string, query: SearchQuery, secret: string): Cursor | null {
  const content = unseal(text, { ...form, sealedFor: queryHash(query) }, wire, secret);
  if (content === null) return null;
  const shown = content.g.flatMap(([place, id]) => {
    const kind = kindNames[place];
    return kind === undefined ? [] : [[kind, id] as const];
  });
  const { o: ranking, m, n: page, t: pointInTime, x: generations, a: searchAfter } = content;
  const { r: reading = nothingRead, v: meaning = noMeaning } = content;
  return { pass: passOf[m], ranking, page, pointInTime, generations, searchAfter, shown, reading, meaning };
}

/** Returns a hash of the whole query except the page. */
function queryHash({ literal, collapse, ...query }: SearchQuery): string {
  const { type, text, limit, fields, filters, sort, facets, highlight } = query;
  const asked = [type, text, limit, fields ?? null, filters ?? {}, sort ?? null, facets ?? [], highlight ?? false];
  return textHash(
    JSON.stringify([...asked, ...(literal ? ['literal'] : []), ...(collapse === undefined ? [] : [collapse])]),
  );
}

/** Returns a hash of the body's ranking. */
export function rankingHash({ query, sort, track_scores }: SearchBody): string {
  return textHash(JSON.stringify({ query, sort, track_scores }));
}

function textHash(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 16);
}

const id = z.int().positive();

/**
 * Returns the cursor after a page that was answered without a point in time, or null after the last page. Documents may
 * move before the next page is read. The cursor after the first page therefore starts at the top of the list again and
 * leaves out the shown entities, so that no entity is missed or repeated.
 * @param body the body that found the page
 */
export function firstCursor(query: PreparedQuery, pass: Pass, raw: RawResponse, body: SearchBody): Cursor | null {
  const { hits, total } = raw.hits;
  const last = hits.at(-1);
  if (last === undefined || (query.page - 1) * query.limit + hits.length >= total.value) return null;
  return {
    pass,
    ranking: rankingHash(body),
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
 * Returns the body for the page at a cursor, without its point in time. Returns null if a release with another ranking
 * created the cursor, because its list can't be continued.
 */
export function cursorPageBody(query: PreparedQuery, cursor: Cursor): SearchBody | null {
  const body = searchBody(query, cursor.pass, {
    // The additional hit shows that another page follows.
    size: query.limit + 1,
    // This is not part of the query, because facets also count shown entities.
    post_filter: { bool: { must_not: shownClauses(cursor) } },
    ...(cursor.searchAfter === null ? {} : { search_after: cursor.searchAfter }),
  });
  return rankingHash(body) === cursor.ranking ? body : null;
}

/** Returns clauses for the shown entities. They came from these generations, as the point in time does. */
function shownClauses({ shown, generations }: Cursor): Clause[] {
  return generations.map((generation) => {
    const ids = shown.flatMap(([kind, id]) => (kind === kindOfIndex(generation) ? [id] : []));
    return { bool: { filter: [{ term: { _index: generation } }, { terms: { id: ids } }] } };
  });
}

export interface CursorPage {
  /** The point in time to use from now on, because Elasticsearch may rename it with each use. */
  readonly pointInTime: string;
  readonly response: SearchResponse;
  /** Null on the last page. */
  readonly next: Cursor | null;
}

/** Returns the page at a cursor. Its total includes the entities shown before the point in time. */
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
