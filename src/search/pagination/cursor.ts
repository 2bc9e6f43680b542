import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { type KindName, kindNames } from '../../kinds/kind.ts';
import { deflate, inflate } from '../../lib/deflate.ts';
import type { Pass } from '../passes.ts';
import { type Meaning, noMeaning, type SearchQuery, type Settled } from '../query.ts';
import { seedSchema } from '../ranking/similar.ts';
import { nothingRead, type Reading } from '../reading.ts';
import type { SortValue } from '../response.ts';

/**
 * Where pagination stands. It begins behind a page that was answered without a point in time; whatever changed since,
 * `shown` holds that page's entities, so that later pages leave them out, and for the first page nothing else: all that
 * it did not show is still to come.
 */
export interface Cursor extends Settled {
  readonly pass: Pass;
  /** `rankingHash` of the body that the page before was found with. */
  readonly ranking: string;
  /** The page that comes next; numbers go on where pages began. */
  readonly page: number;
  /** Null until the first cursor is used. */
  readonly pointInTime: string | null;
  /** The generations that the page before the point in time came from, as far as it showed them. */
  readonly generations: readonly string[];
  /** Sort values of the last hit before the next page; null for the beginning. */
  readonly searchAfter: readonly SortValue[] | null;
  /** What was shown before the point in time was taken. */
  readonly shown: readonly (readonly [KindName, number])[];
}

const passLetters = { strict: 's', partial: 'p', tolerant: 't', semantic: 'm', similar: 'l' } as const;
const passOf = { s: 'strict', p: 'partial', t: 'tolerant', m: 'semantic', l: 'similar' } as const;

// Nobody but this service makes them: they are signed.
const readingSchema = z.custom<Reading>((value) => typeof value === 'object' && value !== null);
const nearTerms = z.array(z.strictObject({ term: z.string(), weight: z.number() })).readonly();
const textMeaningSchema = z.strictObject({ vector: z.string(), concepts: nearTerms, tags: nearTerms });
const meaningSchema = z.strictObject({
  vectorField: z.string().nullable(),
  text: textMeaningSchema.nullable(),
  seed: seedSchema.nullable(),
});

// Short keys: a cursor travels in an address.
const wire = z.strictObject({
  q: z.string(),
  o: z.string(),
  m: z.enum(['s', 'p', 't', 'm', 'l']),
  n: z.int().positive(),
  t: z.string().nullable(),
  x: z.array(z.string()).readonly(),
  a: z
    .array(z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .readonly()
    .nullable(),
  /** What the text was read as; not there where nothing was. */
  r: readingSchema.optional(),
  v: meaningSchema.optional(),
  g: z.array(z.tuple([z.int().nonnegative(), z.int().positive()]).readonly()).readonly(),
});

/** The form's version; a cursor of another one is not understood. */
const version = '2';
const signatureBytes = 16;

function isNothing(settled: Reading | Meaning, nothing: Reading | Meaning): boolean {
  return settled === nothing || JSON.stringify(settled) === JSON.stringify(nothing);
}

/**
 * Longer ones are not ours: a long name to go on behind, a full page, a point in time and a vector of 4,096 numbers stay
 * below.
 */
export const cursorCharactersMax = 12_000;

/**
 * A cursor as consumers get it: opaque, safe in an address, and signed together with its query, so that nobody can make
 * the service search for what he wrote himself.
 * @param secret shared by all processes of an installation
 */
export function encodeCursor(cursor: Cursor, query: SearchQuery, secret: string): string {
  const content = JSON.stringify({
    q: queryHash(query),
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
  // Halves the digits of a vector, and the names of a region's countries.
  const body = deflate(content);
  return version + Buffer.concat([sign(body, secret), body]).toString('base64url');
}

/** Null where it is not ours, or not for this query. */
export function decodeCursor(text: string, query: SearchQuery, secret: string): Cursor | null {
  const content = verified(text, secret);
  if (content === null || content.q !== queryHash(query)) return null;
  const shown = content.g.flatMap(([place, id]) => {
    const kind = kindNames[place];
    return kind === undefined ? [] : [[kind, id] as const];
  });
  const { o: ranking, m, n: page, t: pointInTime, x: generations, a: searchAfter } = content;
  const { r: reading = nothingRead, v: meaning = noMeaning } = content;
  return { pass: passOf[m], ranking, page, pointInTime, generations, searchAfter, shown, reading, meaning };
}

function verified(text: string, secret: string): z.infer<typeof wire> | null {
  if (!text.startsWith(version) || !/^[\w-]+$/.test(text)) return null;
  const bytes = Buffer.from(text.slice(version.length), 'base64url');
  const body = bytes.subarray(signatureBytes);
  // Decoding is lenient about the last letter's spare bits; only the text that was given out is accepted.
  const canonical = version + bytes.toString('base64url') === text;
  if (bytes.length <= signatureBytes || !canonical) return null;
  if (!timingSafeEqual(bytes.subarray(0, signatureBytes), sign(body, secret))) return null;
  const parsed = wire.safeParse(JSON.parse(inflate(body)));
  return parsed.success ? parsed.data : null;
}

function sign(body: Buffer, secret: string): Buffer {
  return createHmac('sha256', secret).update(`cursor ${version}\n`).update(body).digest().subarray(0, signatureBytes);
}

/** Over all of a query but the page. */
function queryHash({ literal, collapse, ...query }: SearchQuery): string {
  const { type, text, limit, fields, filters, sort, facets, highlight } = query;
  const asked = [type, text, limit, fields ?? null, filters ?? {}, sort ?? null, facets ?? [], highlight ?? false];
  return shortHash([...asked, ...(literal ? ['literal'] : []), ...(collapse === undefined ? [] : [collapse])]);
}

export function shortHash(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'base64url').slice(0, 16);
}
