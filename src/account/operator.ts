import type {
  AccountKey,
  DeadLetter,
  Generation,
  OperatorAccount,
  OperatorAccountDetail,
  Plan,
  Verification,
} from './answers.ts';
import type { Actor } from './ports.ts';

// The data and actions of operators, in all accounts. Times are ISO 8601 in UTC.

/** One index, as far as Postgres knows it. */
export type GenerationState = Omit<Generation, 'documents'>;

/** The last comparison of a kind's index with its table. */
export interface KindVerification extends Verification {
  readonly kind: string;
}

export interface IndexOverview {
  readonly generations: readonly GenerationState[];
  readonly dead_letters: readonly DeadLetter[];
  readonly dead_letters_total: number;
  readonly verifications: readonly KindVerification[];
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
  /** The time of the last complete comparison with the chain; null if a recipient was never compared. */
  readonly audited_at: string | null;
  readonly recipients: number;
  readonly open_findings: number;
}

/** The account concerned, and the acting operator. */
export interface OperatorAct {
  readonly accountId: number;
  /** The operator's own account. */
  readonly operatorId: number;
  readonly actor: Actor;
}

/** Null if there is no such account or key. */
export interface OperatorDesk {
  /**
   * By id, which come after `after`.
   * @param text part of a name, or a whole wallet address; null: all
   */
  accounts(text: string | null, after: number, limit: number): Promise<readonly OperatorAccount[]>;
  account(id: number): Promise<OperatorAccountDetail | null>;
  plans(): Promise<readonly Plan[]>;
  index(): Promise<IndexOverview>;
  ledger(): Promise<LedgerOverview>;
  suspend(act: OperatorAct, suspended: boolean): Promise<OperatorAccount | null>;
  /** `no plan`: there is no active plan of that name. */
  changePlan(act: OperatorAct, plan: string): Promise<OperatorAccount | 'no plan' | null>;
  revokeKey(keyId: number, act: Omit<OperatorAct, 'accountId'>): Promise<AccountKey | null>;
}
