import type { z } from 'zod';
import type { PlanLimits } from '../access/quota.ts';
import type { Generation, SignInMethod, storedPayment } from './answers.ts';

/** A valid session of an account. */
export interface Session {
  readonly sessionId: number;
  readonly method: SignInMethod;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /**
   * The end of the time in which one change of wallets or passkeys may be made; null if no change was confirmed, or the
   * confirmation was used.
   */
  readonly confirmedUntilMs: number | null;
  readonly account: {
    readonly id: number;
    readonly name: string;
    readonly role: 'member' | 'operator';
    readonly active: boolean;
    readonly plan: PlanLimits & { readonly name: string; readonly active: boolean };
  };
}

/** The author of a change and their address, for audits. */
export interface Actor {
  /** Such as `wallet 0x12…ef` or `session 7`. */
  readonly name: string;
  readonly ip: string;
}

/** Thrown by all stores and services if Postgres or the chain's node did not answer. */
export class Unavailable extends Error {
  readonly system: 'postgres' | 'chain';

  constructor(system: 'postgres' | 'chain', cause: unknown) {
    super(`The ${system} did not answer.`, { cause });
    this.name = 'Unavailable';
    this.system = system;
  }
}

/** A session to create for a browser. */
export interface NewSession {
  /** SHA-256 of its token. */
  readonly hash: Buffer;
  /** SHA-256 of the token of the browser's earlier session, which ends. */
  readonly replaces: Buffer | null;
  readonly ip: string;
  readonly userAgent: string;
}

/**
 * The reason for a refusal.
 * - `used`: the challenge was used by another request, or has expired
 * - `unknown`: the wallet has no account
 * - `invalid`: the invitation
 * - `taken`: the credential belongs to an account
 * - `unconfirmed`: the session has no confirmation
 * - `missing`: the account does not have the credential; `last`: it has no other one
 */
export type Refusal =
  | 'used'
  | 'unknown'
  | 'suspended'
  | 'no plan'
  | 'invalid'
  | 'taken'
  | 'too many'
  | 'unconfirmed'
  | 'missing'
  | 'last';

export interface Invitation {
  readonly accountId: number;
  readonly account: string;
  readonly plan: string;
  readonly expiresAt: Date;
}

/** The account whose credentials are changed, and the session that changes them. */
export interface Changing {
  readonly accountId: number;
  readonly sessionId: number;
  readonly actor: Actor;
}

// The data and actions of operators, in all accounts. Times are ISO 8601 in UTC.

/** The state of one index according to Postgres. */
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

export interface OperatorAct {
  readonly accountId: number;
  /** The operator's own account. */
  readonly operatorId: number;
  readonly actor: Actor;
}

export type AccountPayment = z.output<typeof storedPayment>;
