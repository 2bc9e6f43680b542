import type { Logger } from 'pino';
import type { CallCounter } from './access/calls.ts';
import type { KeyDirectory, KeyUsage } from './access/keys.ts';
import type { PlanLimits, QuotaStore } from './access/quota.ts';
import type { Config } from './config/api.ts';
import type { AccountData } from './connect-account.ts';
import type { EmbeddingModel } from './embeddings/model.ts';
import type { KindName } from './kinds/kind.ts';
import type { ConcurrencyLimiter } from './lib/concurrency/limiter.ts';
import type { PageState } from './pages/page.ts';
import type { Outcome, PurchaseRequest } from './payments/flow/context.ts';
import type { Terms } from './payments/protocol/terms.ts';
import type { EntityStore } from './records/ports.ts';
import type { QueryVectors, SearchPort } from './search/ports.ts';
import type { KnowledgeSource } from './search/questions/knowledge-source.ts';
import type { Vocabulary } from './search/vocabulary/vocabulary.ts';

/** A wall clock and a monotonic clock, both in milliseconds. Tests replace them. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since an arbitrary time; never goes back. */
  elapsed(): number;
}

export interface DatabaseProbe {
  /** Resolves with true if Postgres answers a query. Never rejects. May take as long as its timeouts. */
  answers(): Promise<boolean>;
}

/** The lag of the indices behind the tables, from the last measurement. */
export interface IndexLag {
  /**
   * Returns the age in seconds of the oldest change that an index of these kinds lacks, 0 if there is none, and null if
   * that is unknown.
   */
  seconds(kinds: readonly KindName[]): number | null;
}

interface AnsweredRequest {
  readonly method: string;
  /** The route's template, not the path, which can be any text from a caller. */
  readonly route: string;
  /** The status code, or `aborted` if the caller left before the end. */
  readonly status: string;
  readonly seconds: number;
}

interface CalledTool {
  readonly tool: string;
  /** `answered`, `payment_required`, or the code of the error. */
  readonly outcome: string;
  readonly seconds: number;
}

/** A receiver of events for metrics. Never throws, never waits. */
export interface Meter {
  /** Called when a request arrives; `answered` is called for it later, once. */
  began(): void;
  answered(request: AnsweredRequest): void;
  toolCalled(call: CalledTool): void;
  keyRefused(reason: 'invalid' | 'inactive' | 'unavailable'): void;
  healthChecked(check: string, operational: boolean): void;
}

/** The paid search: its price, and the function that sells one. */
export interface PaidSearch {
  readonly terms: Terms;
  /** The address under which payers reach the service; undefined if it depends on the request. */
  readonly publicUrl: string | undefined;
  purchase(request: Omit<PurchaseRequest, 'shutdownSignal'>): Promise<Outcome>;
}

/** The built pages: their renderer, and the files that browsers load. File names contain a hash of the content. */
export interface Pages {
  /** Returns the content of a page as HTML. */
  render(state: PageState): string;
  /** Reads the search in a query string of the search page: its title, and the API's parameters for it. */
  readSearch(queryString: string): { readonly title: string; readonly parameters: string };
  /** The script of every page, and the modules that it imports. */
  readonly script: string;
  readonly preload: readonly string[];
  /** The script of the account pages. */
  readonly account: string;
  readonly style: string;
  readonly icon: string;
  /** Every file that browsers may request, by name. */
  readonly texts: ReadonlyMap<string, string>;
}

/** The limits of accounts that wallets open. */
export interface PlanOffer {
  /** Returns null if the limits are not known yet, or there is no such plan. Returns immediately. */
  latest(): PlanLimits | null;
}

/** The limiters of a process. They are separate, so that hanging work in one leaves slots in the others. */
export interface Limiters {
  /** Requests after their bodies have arrived, by class of their caller, until the answer is built. */
  readonly requests: Readonly<Record<'keyed' | 'account' | 'payer' | 'visitor', ConcurrencyLimiter>>;
  /** Work that waits for Elasticsearch. */
  readonly searches: ConcurrencyLimiter;
  /** Work that waits for Postgres: records, bulk, usage. */
  readonly records: ConcurrencyLimiter;
}

/** The slot of a point in time of an account. */
export interface CursorSlot {
  assign(pointInTime: string): void;
  /** Releases the slot: the point in time is closed, or was never opened. */
  release(): void;
}

/** The points in time of each account that Elasticsearch may hold open. */
export interface OpenCursors {
  /**
   * Throws `TooManyCursors` if the account has reached its limit and this is not one of its points in time.
   * @param pointInTime an open point in time, or null for one that will be opened
   */
  acquire(account: number, pointInTime: string | null): CursorSlot;
}

/** The vectors of queries. Searches without a vector in time use words only. */
export interface QueryEmbedder extends QueryVectors {
  readonly model: EmbeddingModel;
  /** Returns the result of the last attempt. Returns immediately. */
  state(): 'ready' | 'unavailable';
  /** Requests a vector as a check. Never rejects. */
  check(): Promise<'ready' | 'unavailable'>;
}

/** The dependencies of the HTTP API, created in connect.ts, or with fakes in tests. */
export interface Deps {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly keys: KeyDirectory;
  readonly keyUsage: KeyUsage;
  readonly quotas: QuotaStore;
  readonly calls: CallCounter;
  readonly entities: EntityStore;
  readonly search: SearchPort;
  /** Null if vectors are off. */
  readonly embeddings: QueryEmbedder | null;
  /** The meanings of phrases, the same for questions as in the indices. */
  readonly vocabulary: Vocabulary;
  /** The places and topics of the data, for understanding questions. */
  readonly knowledge: KnowledgeSource;
  readonly database: DatabaseProbe;
  readonly lag: IndexLag;
  readonly meter: Meter;
  readonly limiters: Limiters;
  /** One count for all routes and tools. */
  readonly openCursors: OpenCursors;
  readonly paidSearch: PaidSearch | null;
  /** Null if the account page is off. */
  readonly account: AccountData | null;
  /** Null if wallets can't open accounts. */
  readonly planOffer: PlanOffer | null;
  /** Null if the pages are off or were not built. */
  readonly pages: Pages | null;
}
