import { hash } from 'node:crypto';
import { z } from 'zod';
import { type KindName, kindNames } from '../../kinds/kind.ts';
import { seal, unseal } from '../../lib/sealed-text.ts';
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

// Nobody but this service makes them: they are sealed.
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

/** The form's version. Cursors of an earlier one were given by an earlier release, and are not understood any more. */
const form = { purpose: 'cursor', version: '3' } as const;
const earlierForm = /^[12][\w-]{40,}$/;

function isNothing(settled: Reading | Meaning, nothing: Reading | Meaning): boolean {
  return settled === nothing || JSON.stringify(settled) === JSON.stringify(nothing);
}

/**
 * Longer ones are not ours: a long name to go on behind, a full page, a point in time and a vector of 4,096 numbers stay
 * below.
 */
export const cursorCharactersMax = 12_000;

/**
 * A cursor as consumers get it: opaque, safe in an address, and sealed (AES-256-GCM) for its query alone, so that nobody
 * reads which indices there are, or makes the service search for what he wrote himself. The same cursor has the same text.
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

/** Null where it is not ours, or not for this query. */
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

/** Whether it looks like a cursor of an earlier release, which may have been good. */
export function isEarlierCursor(text: string): boolean {
  return earlierForm.test(text);
}

/** Over all of a query but the page. */
function queryHash({ literal, collapse, ...query }: SearchQuery): string {
  const { type, text, limit, fields, filters, sort, facets, highlight } = query;
  const asked = [type, text, limit, fields ?? null, filters ?? {}, sort ?? null, facets ?? [], highlight ?? false];
  return textHash(
    JSON.stringify([...asked, ...(literal ? ['literal'] : []), ...(collapse === undefined ? [] : [collapse])]),
  );
}

export function textHash(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 16);
}
