import type { KindName } from '../kinds/kind.ts';
import type { Identifiers, RecordIdentifier } from './identifiers.ts';

/**
 * The outcome of a query for entities: `timeout` and `failed` concern the one statement; with `unreachable`, Postgres
 * does not answer at all.
 */
export type Fetched<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: 'unreachable' | 'timeout' | 'failed'; readonly cause: unknown };

/** Returns the same answer with another value; a failure stays what it is. */
export function mapFetched<From, To>(fetched: Fetched<From>, change: (value: From) => To): Fetched<To> {
  return fetched.ok ? { ok: true, value: change(fetched.value) } : fetched;
}

/** An entity that was found, by what identifies it. */
export interface FoundEntity {
  readonly id: number;
  readonly slug: string;
}

/** The same, and its record as JSON text, as Postgres has written it. */
export interface FoundRecord extends FoundEntity {
  readonly json: string;
}

/** A record of its kind; the kind's schema lists its fields. */
export type EntityRecord = Readonly<Record<string, unknown>>;

/** @param json as Postgres has written it */
export function parseRecord(json: string): EntityRecord {
  // Built by the kind's own SQL, which is tested to agree with the kind's schema.
  // nosemgrep: outside-data-is-checked
  return JSON.parse(json) as EntityRecord;
}

/** An entity that another one has to do with. */
export interface RelatedEntity extends FoundEntity {
  readonly kind: KindName;
  readonly name: string;
}

/** A place in the order of removals: the number of the last one before it, and the epoch that counts them. */
export interface RemovalPlace {
  readonly epoch: string;
  readonly number: number;
}

/** An entity that is not there. */
export interface Removal {
  readonly id: number;
  /** ISO 8601, when it was noticed. */
  readonly removedAt: string;
}

/** The removals after a position, in the order of their numbers. */
export interface RemovalPage {
  /** Each that is not there now. */
  readonly removals: readonly Removal[];
  /** Behind all that this page is about. */
  readonly next: RemovalPlace;
  readonly hasMore: boolean;
}

/** The entities themselves, one statement a call, in no order. Never rejects. */
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
   * @param after null: from now on
   * @param limit of the entries read, including entities that exist again
   */
  removals(kind: KindName, after: RemovalPlace | null, limit: number): Promise<Fetched<RemovalPage | null>>;
}
