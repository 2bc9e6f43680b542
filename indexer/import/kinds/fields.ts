import { z } from 'zod';

// Schemas of a line's values. They refuse every value that Postgres would refuse, with the line's number: one bad line
// must not fail its batch.

const maxInteger = 2_147_483_647;
/** Names and slugs are indexed, and an index entry holds only a third of a page. */
const maxIndexedLength = 500;

/** Text that both Postgres and JSON can carry: no NUL, no half of a surrogate pair. */
export const text = z.string().refine((value) => value.isWellFormed() && !value.includes('\0'), {
  error: 'has a character that cannot be stored (NUL or half of a surrogate pair)',
});

/**
 * Prose, as `text`, except that half of a surrogate pair, which remains of an emoji in a text that was cut, becomes
 * U+FFFD, as UTF-8 encoders have it. Only prose: a name is refused instead of changed.
 */
export const prose = z
  .string()
  .refine((value) => !value.includes('\0'), { error: 'has a character that cannot be stored (NUL)' })
  .transform((value) => value.toWellFormed());

/** A name or a slug. */
export const indexedText = text.max(maxIndexedLength);

const name = indexedText
  .min(1, 'must not be empty')
  .refine((value) => value === value.trim(), { error: 'must not begin or end with white space' });

const slug = indexedText
  .min(1, 'must not be empty')
  .refine((value) => !/\s/.test(value), { error: 'must not contain white space' });

const id = z.int().positive();
export const wholeNumber = z.int().min(0).max(maxInteger);
export const year = z.int().min(1).max(9999);

/** A day that the calendar has, YYYY-MM-DD. */
export const calendarDay = z.iso
  .date('must be a day of the calendar, written YYYY-MM-DD')
  .refine((day) => day >= '0001-01-01', { error: 'must not be before the year 0001' });

/** US dollars as text. A JSON number is refused: it may have lost cents on its way. */
export const money = z
  .string({ error: 'must be a string such as "1500000.00"' })
  .regex(
    /^(0|[1-9]\d{0,17})(\.\d{1,2})?$/,
    'must be a decimal number with at most two fraction digits, such as "1500000.00"',
  );

/** A value that may be absent or null. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? null);
}

/** A list; absent or null means empty. */
export function list<Schema extends z.ZodType>(schema: Schema) {
  return z
    .array(schema)
    .nullish()
    .transform((value) => value ?? []);
}

const location = z.strictObject({ city: optional(text), country: optional(text) });
const links = z
  .record(text, text)
  .nullish()
  .transform((value) => value ?? {});

// Flat, because Postgres limits how deep JSON may nest, and provenance needs no depth.
const source = z.record(text, z.union([text, z.number(), z.boolean(), z.null()]));

/** Fields of every kind. Keys that begin with `_` are provenance; other unknown keys are refused. */
export const commonFields = {
  id,
  name,
  slug,
  logo: optional(text),
  overview: optional(prose),
  location_json: optional(location),
  links,
  _src: list(source),
  _synthetic: optional(z.boolean()),
} as const;

export type CommonLine = z.output<z.ZodObject<typeof commonFields>>;

/** The columns of `commonFields`, which all four tables have. */
export const commonColumns = 'id name slug logo overview city country links sources synthetic'.split(' ');

/** Returns their values by column. */
export function commonValues({ id, name, slug, logo, overview, links, ...line }: CommonLine) {
  const { city = null, country = null } = line.location_json ?? {};
  const provenance = { sources: line._src, synthetic: line._synthetic ?? false };
  return { id, name, slug, logo, overview, city, country, links, ...provenance };
}
