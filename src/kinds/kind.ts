import { z } from 'zod';

/** The kinds of entities, in the order in which answers and listings name them. */
export const kindNames = ['companies', 'people', 'investors', 'events'] as const;
export type KindName = (typeof kindNames)[number];

/** For people: `companies, people, investors and events`. */
export function listKinds(last: 'and' | 'or'): string {
  const type = last === 'and' ? 'conjunction' : 'disjunction';
  return new Intl.ListFormat('en-GB', { type }).format(kindNames);
}

export function mapKinds<Value>(value: (kind: KindName) => Value): Readonly<Record<KindName, Value>> {
  const entries = kindNames.map((kind) => [kind, value(kind)] as const);
  // The keys are exactly the names of kinds.
  return Object.fromEntries(entries) as Record<KindName, Value>;
}

/**
 * A kind: the form of its records and documents, and the SQL with which Postgres builds both as JSON text.
 *
 * A record has the public fields. A document is a record with `hash` and `search`, which never leave the index.
 */
export interface Kind {
  readonly name: KindName;
  /** The name of an entity in schemas, such as `FundingRound`. */
  readonly singular: string;
  /** The word for the kind in documents, which no other kind has. The index replaces it by all of `words`. */
  readonly noun: string;
  /** Words in questions that only name the kind ("startup", "fund"), separated by blanks. */
  readonly words: string;
  /** An id or slug of the sample, for examples. */
  readonly exampleIdentifier: string;
  readonly record: z.ZodObject;
  readonly document: z.ZodObject;
  /** Fields of a keyed search item, unless the caller asks for others. */
  readonly itemFields: readonly string[];
  readonly sql: KindSql;
  /** Tables of relations that this kind's entities assert. */
  readonly relations: readonly Relation[];
}

/** A table of pairs of an asserting entity and an entity of another kind. */
export interface Relation {
  readonly table: string;
  /** Column of the asserting entity's id. Its document shows the other entity's id, name or slug. */
  readonly id: string;
  readonly other: KindName;
  /** Column of the other entity's id. The table has an index that begins with it. */
  readonly otherId: string;
  /** True if the other entity's document shows the asserting entity as well. */
  readonly mutual: boolean;
}

/** The SQL of a kind. `from` binds the alias that the others use. `document` begins with its hash. */
export interface KindSql {
  /** The kind's own table with its alias, which is enough for `id`, `slug` and `text`. */
  readonly table: string;
  readonly from: string;
  readonly id: string;
  readonly slug: string;
  readonly record: string;
  /** The text for the entity's vector: its name and its subject, in at most about 2,000 characters. */
  readonly text: string;
  readonly document: string;
  readonly hash: string;
  /** The SQL of documents that contain the entity's vector of a model. */
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
export const entityId = z.int().positive();
/** A reference to an entity of another kind; id and slug are null if we don't have it. */
export const reference = z
  .strictObject({ id: entityId.nullable(), name: z.string(), slug: z.string().nullable() })
  .describe('An entity of another kind. Id and slug are null where it is not in the database');

/** The search-only part of a document, the same for every kind so that one query text serves all of them. */
export const searchFields = z.strictObject({
  /** Name, aliases and former names. */
  names: z.array(z.string()),
  /** Identifiers other than names: tickers, handles, hosts, proposal numbers. */
  ids: z.array(z.string()),
  /** The number of proposals of each series: "eip:12". */
  series: z.array(z.string()),
  /** Only proposal numbers, because a question about them has other words as well. */
  proposals: z.array(z.string()),
  /** City up to a comma, and country. */
  city: z.array(z.string()),
  place: z.array(z.string()),
  year: z.array(z.string()),
  tags: z.array(z.string()),
  /** Names of connected entities. */
  relations: z.array(z.string()),
  /** Ids of connected companies and investors, for filters. */
  company_ids: z.array(entityId),
  investor_ids: z.array(entityId),
  /** Tagline or headline, roles: a short description of the entity. */
  short: z.array(z.string()),
  /** The word for the kind; the index has its synonyms. */
  kind_words: z.string(),
  /** Prominence, as a count of sources, links and mentions that is not normalised over the kind. */
  popularity: z.int().nonnegative(),
  /** The number that questions compare: investors of a company, proposals of a person, a portfolio, a capacity. */
  size: z.int().nonnegative().nullable(),
});
export type SearchFields = z.infer<typeof searchFields>;

export const documentParts = {
  /** Hash of the rest of the document. Two documents of an index with the same hash are equal. */
  hash: z.string().regex(/^[0-9a-f]{16}$/),
  search: searchFields,
} as const;
