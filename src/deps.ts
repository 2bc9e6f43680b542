import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Outcome, Purchase } from './payment/outcome.ts';
import type { Terms } from './payment/terms.ts';

/** Wall clock and monotonic clock, both in milliseconds, so that tests decide what time it is. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since an arbitrary moment; never goes back. */
  elapsed(): number;
}

/** One request to Elasticsearch's `_search`. `indices` are aliases; `timeoutMs` bounds the whole exchange. */
export interface SearchCall {
  readonly indices: readonly string[];
  readonly body: object;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly filterPath?: string;
}

/** Why Elasticsearch gave no answer that can be used. */
export interface SearchFailure {
  readonly ok: false;
  readonly reason: 'unreachable' | 'timeout' | 'refused' | 'rejected' | 'invalid';
  readonly cause: unknown;
  readonly status?: number;
}

/** Elasticsearch, as far as answering questions goes. Its failures are values: the caller decides what they mean. */
interface SearchPort {
  search(call: SearchCall): Promise<{ readonly ok: true; readonly body: unknown } | SearchFailure>;
}

/** A limit of null means none. */
interface Plan {
  readonly name: string;
  readonly active: boolean;
  readonly callsPerMinute: number | null;
  readonly callsPerMonth: number | null;
}

/** What Postgres knows about a key. */
export interface KeyRecord {
  readonly keyId: number;
  readonly accountId: number;
  readonly accountActive: boolean;
  readonly plan: Plan;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
}

/** A found key, null for one that does not exist, or Postgres could not be asked. */
export type KeyFinding =
  | { readonly ok: true; readonly key: KeyRecord | null }
  | { readonly ok: false; readonly cause: unknown };

/** Where keys are looked up by their SHA-256 (32 bytes). */
export interface KeyDirectory {
  find(hash: Buffer): Promise<KeyFinding>;
}

/** The database's health. */
export interface DatabaseProbe {
  /** True when Postgres answers a query; never rejects. May take as long as its time-outs allow. */
  answers(): Promise<boolean>;
}

/** The paid search: what it costs, and the way to charge for it. */
export interface PaidSearch {
  readonly terms: Terms;
  /** The address under which payers reach the service; undefined where only the request tells. */
  readonly publicUrl: string | undefined;
  /** Whether a 402 tells catalogues how to call the route. */
  readonly bazaar: boolean;
  charge(purchase: Omit<Purchase, 'hurry'>): Promise<Outcome>;
}

/** Everything the HTTP side needs, put together in main.ts (and, with fakes, in tests). */
export interface Deps {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly keys: KeyDirectory;
  readonly search: SearchPort;
  readonly database: DatabaseProbe;
  /** Null where nothing is sold. */
  readonly paid: PaidSearch | null;
}
