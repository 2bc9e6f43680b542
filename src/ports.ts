import type { Logger } from 'pino';
import type { CallCounter } from './access/calls.ts';
import type { KeyDirectory, KeyUsage } from './access/keys.ts';
import type { PlanLimits, QuotaStore } from './access/quota.ts';
import type { AccountData } from './account/ports.ts';
import type { Config } from './config/api.ts';
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

/** Wall clock and monotonic clock, both in milliseconds, so that tests decide what time it is. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since an arbitrary moment; never goes back. */
  elapsed(): number;
}

/** The database's health. */
export interface DatabaseProbe {
  /** True when Postgres answers a query; never rejects. May take as long as its time-outs allow. */
  answers(): Promise<boolean>;
}

/** The lag of the indices behind the tables, from the last measurement. */
export interface IndexLag {
  /**
   * Age in seconds of the oldest change that one of the kinds' indices does not have, 0 when they have all; null where
   * that is not known.
   */
  seconds(kinds: readonly KindName[]): number | null;
}

/** One answered request. */
interface AnsweredRequest {
  readonly method: string;
  /** The route's template, never the path: a path holds what callers make up. */
  readonly route: string;
  /** The status code, or `aborted` where the caller went before the end. */
  readonly status: string;
  readonly seconds: number;
}

/** One call of a tool. */
interface CalledTool {
  readonly tool: string;
  /** `answered`, `payment_required`, or the code of the error. */
  readonly outcome: string;
  readonly seconds: number;
}

/** A receiver of events for metrics. Never throws, never waits. */
export interface Meter {
  /** A request came; `answered` is called for it later, once. */
  began(): void;
  answered(request: AnsweredRequest): void;
  toolCalled(call: CalledTool): void;
  keyRefused(reason: 'invalid' | 'inactive' | 'unavailable'): void;
  healthChecked(check: string, operational: boolean): void;
}

/** The paid search: what it costs, and the way to buy one. */
export interface PaidSearch {
  readonly terms: Terms;
  /** The address under which payers reach the service; undefined if it depends on the request. */
  readonly publicUrl: string | undefined;
  purchase(request: Omit<PurchaseRequest, 'shutdownSignal'>): Promise<Outcome>;
}

/** The built pages: what renders them, and the files that browsers load. Names hold a hash of what they name. */
export interface Pages {
  /** The inside of a page as HTML. */
  render(state: PageState): string;
  /** The script of every page, and its imports. */
  readonly script: string;
  readonly preload: readonly string[];
  /** The script of the account's pages. */
  readonly account: string;
  readonly style: string;
  readonly icon: string;
  /** Every file that browsers may ask for, by its name. */
  readonly texts: ReadonlyMap<string, string>;
}

/** The limits of accounts that wallets open. */
export interface PlanOffer {
  /** Null as long as it is not known, and where there is no such plan. Answers at once. */
  latest(): PlanLimits | null;
}

/** A process's limiters, each with limits of its own, so that what hangs in one leaves the others their slots. */
export interface Limiters {
  /** Requests after their bodies have arrived, by class of their caller, until the answer is built. */
  readonly requests: Readonly<Record<'keyed' | 'account' | 'payer' | 'visitor', ConcurrencyLimiter>>;
  /** Look-ups of keys and sessions. */
  readonly identities: ConcurrencyLimiter;
  /** Work that waits for Elasticsearch. */
  readonly searches: ConcurrencyLimiter;
  /** Work that waits for Postgres: records, bulk, usage. */
  readonly records: ConcurrencyLimiter;
}

/** The place of one point in time among those of its account. */
export interface CursorSlot {
  /** The slot is that of this point in time from now on. */
  assign(pointInTime: string): void;
  /** The point in time is closed, or was never opened. */
  release(): void;
}

/** The points in time of each account that Elasticsearch may hold open. */
export interface OpenCursors {
  /**
   * Throws `TooManyCursors` if the account has reached its limit and this is not one of its points in time.
   * @param pointInTime an open one, or null for one that will be opened
   */
  acquire(account: number, pointInTime: string | null): CursorSlot;
}

/** The vectors of queries. Searches without a vector in time use words only. */
export interface QueryEmbedder extends QueryVectors {
  readonly model: EmbeddingModel;
  /** As the last attempt has shown it. Answers at once. */
  state(): 'ready' | 'unavailable';
  /** Asks for a vector to find out. Never rejects. */
  check(): Promise<'ready' | 'unavailable'>;
}

/** Everything the HTTP side needs, put together in connect.ts (and, with fakes, in tests). */
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
  /** Null where no vectors are made. */
  readonly embeddings: QueryEmbedder | null;
  /** The meanings of phrases in questions, the same as in the indices. */
  readonly vocabulary: Vocabulary;
  /** Places and topics of the data, for understanding questions. */
  readonly knowledge: KnowledgeSource;
  readonly database: DatabaseProbe;
  readonly lag: IndexLag;
  readonly meter: Meter;
  readonly limiters: Limiters;
  /** One count for all ways in. */
  readonly openCursors: OpenCursors;
  /** Null where nothing is sold. */
  readonly paidSearch: PaidSearch | null;
  /** Null where the account page is off. */
  readonly account: AccountData | null;
  /** Null where wallets open no accounts. */
  readonly planOffer: PlanOffer | null;
  /** Null where the pages are off, or were not built. */
  readonly pages: Pages | null;
}
