import type { KindName } from '../kinds/kind.ts';
import type { Identifiers, RecordIdentifier } from './identifiers.ts';

/**
 * The outcome of a query for entities. With `timeout` and `failed`, one statement failed; with `unreachable`, Postgres
 * does not answer at all.
 */
export type Fetched<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: 'unreachable' | 'timeout' | 'failed'; readonly cause: unknown };

/** Returns the answer with another value; failures are returned unchanged. */
export function mapFetched<From, To>(fetched: Fetched<From>, change: (value: From) => To): Fetched<To> {
  return fetched.ok ? { ok: true, value: change(fetched.value) } : fetched;
}

export interface FoundEntity {
  readonly id: number;
  readonly slug: string;
}

export interface FoundRecord extends FoundEntity {
  readonly json: string;
}

/** A record of its kind; the kind's schema lists its fields. */
export type EntityRecord = Readonly<Record<string, unknown>>;

/** @param json text from Postgres */
export function parseRecord(json: string): EntityRecord {
  // The kind's SQL built it, and tests compare that SQL with the kind's schema.
  // nosemgrep: outside-data-is-checked
  return JSON.parse(json) as EntityRecord;
}

export interface RelatedEntity extends FoundEntity {
  readonly kind: KindName;
  readonly name: string;
  /** The first day of an event; null if it is unknown, and for other kinds. */
  readonly date: string | null;
}

/** A position in the order of removals: the number of the last removal before it, and its epoch. */
export interface RemovalPlace {
  readonly epoch: string;
  readonly number: number;
}

export interface Removal {
  readonly id: number;
  /** The time when it was noticed, in ISO 8601. */
  readonly removedAt: string;
}

/** The removals after a position, in the order of their numbers. */
export interface RemovalPage {
  /** The removed entities, without those that exist again. */
  readonly removals: readonly Removal[];
  /** The position after this page. */
  readonly next: RemovalPlace;
  readonly hasMore: boolean;
}

/** Returns the entities in no particular order, with one statement per call. Never rejects. */
export interface EntityStore {
  /** Null if there is none. */
  record(kind: KindName, wanted: RecordIdentifier): Promise<Fetched<FoundRecord | null>>;
  records(kind: KindName, wanted: Identifiers): Promise<Fetched<readonly FoundRecord[]>>;
  /** Returns each once. */
  existing(kind: KindName, wanted: Identifiers): Promise<Fetched<readonly FoundEntity[]>>;
  /**
   * Returns related entities that the entity's own record does not link to, by name.
   * @param limit for each kind
   */
  related(kind: KindName, id: number, limit: number): Promise<Fetched<readonly RelatedEntity[]>>;
  /**
   * Returns null if the removals since then are unknown.
   * @param after position to continue from; null: the current end
   * @param limit of the entries read, including entities that exist again
   */
  removals(kind: KindName, after: RemovalPlace | null, limit: number): Promise<Fetched<RemovalPage | null>>;
}
