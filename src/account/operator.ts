import type { AccountKey } from './keys.ts';
import type { Actor, Stored } from './ports.ts';

// What operators see and do, in all accounts. Times are ISO 8601 in UTC.

export interface OperatorAccount {
  readonly id: number;
  readonly name: string;
  readonly plan: string;
  readonly role: 'member' | 'operator';
  readonly active: boolean;
  readonly live_keys: number;
  readonly used_this_month: number;
  readonly created_at: string;
}

export interface OperatorAccountDetail {
  readonly account: OperatorAccount;
  readonly keys: readonly AccountKey[];
  /** All that was called on a day, whatever came of it; the oldest day first. */
  readonly calls_by_day: readonly { readonly day: string; readonly calls: number }[];
}

/** Null: no limit. */
export interface OperatorPlan {
  readonly name: string;
  readonly calls_per_minute: number | null;
  readonly calls_per_month: number | null;
  readonly active: boolean;
}

/** One index, as far as Postgres knows it. */
export interface GenerationState {
  readonly kind: string;
  readonly index: string;
  readonly state: string;
  /** Searches go there. */
  readonly searched: boolean;
  /** Entries of the change log that it does not have (counting stops at 100,000), and the age of the oldest. */
  readonly pending: number | null;
  readonly lag_seconds: number | null;
  /** Why it is not followed. */
  readonly halted: string | null;
  readonly created_at: string;
}

/** A document that Elasticsearch would not take. */
export interface DeadLetterEntry {
  readonly kind: string;
  readonly generation: string;
  readonly entity_id: number;
  /** Not all of a long one. */
  readonly reason: string;
  readonly attempts: number;
  readonly at: string;
}

/** The last comparison of a kind's index with its table. */
export interface Verification {
  readonly kind: string;
  readonly generation: string;
  readonly at: string;
  readonly outcome: string;
  readonly rows: number;
  readonly differences: number;
  readonly deep: boolean;
}

export interface IndexOverview {
  readonly generations: readonly GenerationState[];
  readonly dead_letters: readonly DeadLetterEntry[];
  readonly dead_letters_total: number;
  readonly verifications: readonly Verification[];
}

/** Payments of one state and token; `amount` is in base units. */
export interface PaymentSum {
  readonly status: string;
  readonly network: string;
  readonly asset: string;
  readonly count: number;
  readonly amount: string;
}

export interface LedgerOverview {
  readonly sums: readonly PaymentSum[];
  /** When all recipients had been compared with the chain; null where none was, or one never was. */
  readonly audited_at: string | null;
  readonly recipients: number;
  readonly open_findings: number;
}

/** Of which account, and who does it. */
export interface OperatorAct {
  readonly accountId: number;
  /** The operator's own account. */
  readonly operatorId: number;
  readonly actor: Actor;
}

/** Never rejects; null where there is no such account or key. */
export interface OperatorDesk {
  /**
   * By id, which come after `after`.
   * @param text part of a name, or a whole wallet address; null: all
   */
  accounts(text: string | null, after: number, limit: number): Promise<Stored<readonly OperatorAccount[]>>;
  account(id: number): Promise<Stored<OperatorAccountDetail | null>>;
  plans(): Promise<Stored<readonly OperatorPlan[]>>;
  index(): Promise<Stored<IndexOverview>>;
  ledger(): Promise<Stored<LedgerOverview>>;
  suspend(act: OperatorAct, suspended: boolean): Promise<Stored<OperatorAccount | null>>;
  /** `no plan`: there is no active plan of that name. */
  changePlan(act: OperatorAct, plan: string): Promise<Stored<OperatorAccount | 'no plan' | null>>;
  revokeKey(keyId: number, act: Omit<OperatorAct, 'accountId'>): Promise<Stored<AccountKey | null>>;
}
