import type { z } from 'zod';
import type { KeyEnvironment } from '../access/api-key.ts';
import type { CallCount } from '../access/calls.ts';
import type { AccountKey, Generation, OperatorAccount, OperatorAccountDetail, Plan, storedPayment } from './answers.ts';
import type { AccountPorts, Actor } from './ports.ts';

interface NewAccountKey {
  readonly name: string;
  readonly key: string;
  readonly expiresAt: Date | null;
}

interface KeyRotation {
  /** Time during which the old key still works. */
  readonly overlapMs: number;
  newKey(environment: KeyEnvironment): string;
}

export interface RotatedKey {
  /** The text of the new key. */
  readonly key: string;
  readonly created: AccountKey;
  readonly replaced: AccountKey;
}

/**
 * `unknown`: the account has no such key. `ended`: the key no longer works. `too_many`: the account has too many keys.
 */
type RotationRefusal = 'unknown' | 'ended' | 'too_many';

/** The keys of accounts. Each method sees only the keys of the given account. */
export interface AccountKeys {
  /** Lists live keys first, then the newest; a few hundred at most. */
  list(accountId: number): Promise<readonly AccountKey[]>;
  create(accountId: number, key: NewAccountKey, actor: Actor): Promise<AccountKey | 'too_many'>;
  /**
   * Creates a key of the same name, environment and lifetime next to a good one, which ends with the overlap, or at its
   * own earlier expiry.
   */
  rotate(accountId: number, keyId: number, rotation: KeyRotation, actor: Actor): Promise<RotatedKey | RotationRefusal>;
  /** Ends a key and returns it, also if it had already ended; null if there is none. */
  revoke(accountId: number, keyId: number, actor: Actor): Promise<AccountKey | null>;
}

// The data and actions of operators, in all accounts. Times are ISO 8601 in UTC.

/** One index, as far as Postgres knows it. */
export type GenerationState = Omit<Generation, 'documents'>;

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
  index(): Promise<readonly GenerationState[]>;
  ledger(): Promise<LedgerOverview>;
  suspend(act: OperatorAct, suspended: boolean): Promise<OperatorAccount | null>;
  /** `no plan`: there is no active plan of that name. */
  changePlan(act: OperatorAct, plan: string): Promise<OperatorAccount | 'no plan' | null>;
  revokeKey(keyId: number, act: Omit<OperatorAct, 'accountId'>): Promise<AccountKey | null>;
}

export type AccountPayment = z.output<typeof storedPayment>;

/** The payments of an account's wallets, the newest first. */
export interface AccountPayments {
  /** @param before the id of a payment; only older ones are returned. Null: start with the newest */
  list(accountId: number, page: { limit: number; before: number | null }): Promise<readonly AccountPayment[]>;
  find(accountId: number, paymentId: number): Promise<AccountPayment | null>;
}

/** All stores and services behind the account pages. */
export interface AccountData extends AccountPorts {
  readonly keys: AccountKeys;
  readonly callCounts: {
    /** Returns the oldest day first. */
    read(accountId: number, days: number): Promise<readonly CallCount[]>;
  };
  readonly payments: AccountPayments;
  readonly operator: OperatorDesk;
}
