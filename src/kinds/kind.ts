import { z } from 'zod';

/** The kinds of entities, in the order in which answers and listings name them. */
export const kindNames = ['companies', 'people', 'investors', 'events'] as const;
export type KindName = (typeof kindNames)[number];

/** For people: `companies, people, investors and events`. */
export function listKinds(last: 'and' | 'or'): string {
  const type = last === 'and' ? 'conjunction' : 'disjunction';
  return new Intl.ListFormat('en-GB', { type }).format(kindNames);
}

/** Returns a value for each kind. */
export function mapKinds<Value>(value: (kind: KindName) => Value): Readonly<Record<KindName, Value>> {
  const entries = kindNames.map((kind) => [kind, value(kind)] as const);
  // Exactly the kinds' names.
  return Object.fromEntries(entries) as Record<KindName, Value>;
}

/**
 * One kind: what its records and documents look like, and the SQL that builds both as JSON text in Postgres.
 *
 * A record is what consumers may see. A document is the record plus `hash` and `search`, which never leave the index.
 */
export interface Kind {
  readonly name: KindName;
  /** One of the kind, as schemas are named: `FundingRound`. */
  readonly singular: string;
  /** The word for the kind that documents hold, and no other kind has. Their index makes all of `words` of it. */
  readonly noun: string;
  /** Words that only name the kind, so that a question may contain them ("startup", "fund"), with blanks between. */
  readonly words: string;
  /** An id or slug of the sample, to try. */
  readonly exampleIdentifier: string;
  readonly record: z.ZodObject;
  readonly document: z.ZodObject;
  /** Fields of a keyed search item, unless the caller asks for others. */
  readonly itemFields: readonly string[];
  readonly sql: KindSql;
  /** Tables whose rows this kind asserts: what its entities have to do with others. */
  readonly relations: readonly Relation[];
}

/** A table of pairs: an entity of the kind that asserts them, and one of another kind. */
export interface Relation {
  readonly table: string;
  /** Column of the asserting entity's id. Its document shows the other's id, name or slug. */
  readonly id: string;
  readonly other: KindName;
  /** Column of the other entity's id. The table has an index that begins with it. */
  readonly otherId: string;
  /** True if the other's document shows the asserting entity as well. */
  readonly mutual: boolean;
}

/**
 * SQL texts of a kind. `from` binds the alias that the others refer to. `document` begins with its hash.
 */
export interface KindSql {
  /** The kind's own table with its alias, which is all that `id`, `slug` and `text` need. */
  readonly table: string;
  readonly from: string;
  readonly id: string;
  readonly slug: string;
  readonly record: string;
  /** The text for the entity's vector: its name and its subject, in at most some 2,000 characters. */
  readonly text: string;
  readonly document: string;
  readonly hash: string;
  /** The same with the entity's vector of a model in the document. */
  readonly withVectors: (model: { readonly key: string }) => Pick<KindSql, 'from' | 'document' | 'hash'>;
}

export const location = z.strictObject({ city: z.string().nullable(), country: z.string().nullable() });
export const links = z.record(z.string(), z.string());
/** A calendar date, YYYY-MM-DD, without a time zone. */
export const calendarDate = z.iso.date();
/** A decimal number with two fraction digits, carried as a string. */
export const money = z
  .string()
  .regex(/^\d+\.\d{2}$/)
  .describe('A decimal number with two fraction digits, as a string: JSON numbers may lose digits of large amounts');
/** ISO 8601 in UTC with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 });
export const entityId = z.int().positive();
/** A reference to an entity of another kind; id and slug are null when it is not one of ours. */
export const reference = z
  .strictObject({ id: entityId.nullable(), name: z.string(), slug: z.string().nullable() })
  .describe('An entity of another kind. Id and slug are null where it is not in the database');

/** The search-only part of a document, the same for every kind so that one query text serves all of them. */
export const searchFields = z.strictObject({
  /** Name, aliases and former names. */
  names: z.array(z.string()),
  /** Identifiers other than names: tickers, handles, hosts, proposal numbers. */
  ids: z.array(z.string()),
  /** Proposal numbers alone, because a question about them has other words as well. */
  proposals: z.array(z.string()),
  /** City up to a comma, and country. */
  city: z.array(z.string()),
  place: z.array(z.string()),
  year: z.array(z.string()),
  tags: z.array(z.string()),
  /** Names of what it is connected to. */
  relations: z.array(z.string()),
  /** Ids of our companies and investors that it is connected to, for filters. */
  company_ids: z.array(entityId),
  investor_ids: z.array(entityId),
  /** Tagline or headline, roles: a short description of the entity. */
  short: z.array(z.string()),
  /** The word for the kind; the index has its synonyms. */
  kind_words: z.string(),
  /** Prominence: sources, links, mentions; counted, never normalised over the kind. */
  popularity: z.int().nonnegative(),
});
export type SearchFields = z.infer<typeof searchFields>;

/** The parts of a document in addition to its record. */
export const documentParts = {
  /** Over all of its other contents: two documents of one index with the same hash are the same. */
  hash: z.string().regex(/^[0-9a-f]{16}$/),
  search: searchFields,
} as const;
