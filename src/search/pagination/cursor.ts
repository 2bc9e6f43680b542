import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { type KindName, kindNames } from '../../kinds/kind.ts';
import type { Pass } from '../pass.ts';
import type { SearchQuery } from '../query.ts';
import { orderedPart } from '../request-body.ts';
import type { SortValue } from '../response.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';

/**
 * Where a walk through results stands. It begins behind a page that was answered without a point in time; whatever
 * changed since, `given` holds that page's entities, so that the walk leaves them out, and for the first page nothing
 * else: all that it did not show is still to come.
 */
export interface Cursor {
  readonly pass: Pass;
  /** The page that comes next; numbers go on where pages began. */
  readonly page: number;
  /** Of a walk that is under way; null until its first cursor is used. */
  readonly pointInTime: string | null;
  /** The generations that the page before the walk came from, as far as it showed them. */
  readonly generations: readonly string[];
  /** Sort values of the last hit before the next page; null for the beginning. */
  readonly after: readonly SortValue[] | null;
  /** What was shown before the point in time was taken. */
  readonly given: readonly (readonly [KindName, number])[];
}

/** What is wrong with a cursor that is presented: it is not ours or not for this query, or its time is over. */
export type CursorProblem = 'invalid' | 'expired';

const passLetters = { strict: 's', partial: 'p', tolerant: 't' } as const;
const passOf = { s: 'strict', p: 'partial', t: 'tolerant' } as const;

// Short keys: a cursor travels in an address.
const wire = z.strictObject({
  q: z.string(),
  o: z.string(),
  m: z.enum(['s', 'p', 't']),
  n: z.int().positive(),
  t: z.string().nullable(),
  x: z.array(z.string()).readonly(),
  a: z
    .array(z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .readonly()
    .nullable(),
  g: z.array(z.tuple([z.int().nonnegative(), z.int().positive()]).readonly()).readonly(),
});

/** The form's version; a cursor of another one is not understood. */
const version = '1';
const sealBytes = 16;

/** Longer ones are not ours: a long name to go on behind, a full page and a point in time stay well below. */
export const cursorCharactersMax = 10_000;

/**
 * A cursor as consumers get it: opaque, safe in an address, and sealed for one query, so that nobody can make the
 * service ask for what he wrote himself.
 * @param secret shared by all processes of an installation
 */
export function sealCursor(cursor: Cursor, query: SearchQuery, vocabulary: Vocabulary, secret: string): string {
  const content = JSON.stringify({
    q: queryHash(query),
    o: orderHash(query, cursor.pass, vocabulary),
    m: passLetters[cursor.pass],
    n: cursor.page,
    t: cursor.pointInTime,
    x: cursor.generations,
    a: cursor.after,
    g: cursor.given.map(([kind, id]) => [kindNames.indexOf(kind), id]),
  } satisfies z.infer<typeof wire>);
  const body = Buffer.from(content);
  return version + Buffer.concat([seal(body, secret), body]).toString('base64url');
}

export function openCursor(
  text: string,
  query: SearchQuery,
  vocabulary: Vocabulary,
  secret: string,
): { readonly ok: true; readonly cursor: Cursor } | { readonly ok: false; readonly problem: CursorProblem } {
  const content = unsealed(text, secret);
  if (content === null || content.q !== queryHash(query)) return { ok: false, problem: 'invalid' };
  const pass = passOf[content.m];
  // Ours and for this query, but of a release that ranked otherwise: it can't be gone on with.
  if (content.o !== orderHash(query, pass, vocabulary)) return { ok: false, problem: 'expired' };
  const given = content.g.flatMap(([place, id]) => {
    const kind = kindNames[place];
    return kind === undefined ? [] : [[kind, id] as const];
  });
  const { n: page, t: pointInTime, x: generations, a: after } = content;
  return { ok: true, cursor: { pass, page, pointInTime, generations, after, given } };
}

function unsealed(text: string, secret: string): z.infer<typeof wire> | null {
  if (!text.startsWith(version) || !/^[\w-]+$/.test(text)) return null;
  const bytes = Buffer.from(text.slice(version.length), 'base64url');
  const body = bytes.subarray(sealBytes);
  // Decoding is lenient about the last letter's spare bits; only the text that was given out is accepted.
  const canonical = version + bytes.toString('base64url') === text;
  if (bytes.length <= sealBytes || !canonical) return null;
  if (!timingSafeEqual(bytes.subarray(0, sealBytes), seal(body, secret))) return null;
  const parsed = wire.safeParse(JSON.parse(body.toString('utf8')));
  return parsed.success ? parsed.data : null;
}

function seal(body: Buffer, secret: string): Buffer {
  return createHmac('sha256', secret).update(`cursor ${version}\n`).update(body).digest().subarray(0, sealBytes);
}

/** Over all that a consumer asked but the page. */
function queryHash(query: SearchQuery): string {
  const { type, text, limit, fields, filters, sort, facets, highlight } = query;
  return shortHash([type, text, limit, fields ?? null, filters ?? {}, sort ?? null, facets ?? [], highlight ?? false]);
}

/** Over what we make of it. */
function orderHash(query: SearchQuery, pass: Pass, vocabulary: Vocabulary): string {
  return shortHash(orderedPart(query, pass, vocabulary));
}

function shortHash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 16);
}
