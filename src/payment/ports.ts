import type { Hex, NetworkName } from './networks.ts';
import type { ChainFacts } from './reconcile.ts';
import type { PaidRequest } from './request.ts';
import type { FacilitatorReply, SettleAnswer, VerifyAnswer } from './settlement.ts';
import type { Event, State } from './states.ts';
import type { SentPayment } from './wire.ts';

/** The facilitator. Its failures are values; neither call ever rejects. */
export interface FacilitatorPort {
  verify(sent: SentPayment): Promise<FacilitatorReply<VerifyAnswer>>;
  settle(sent: SentPayment): Promise<FacilitatorReply<SettleAnswer>>;
}

/** An authorization, as the chain is asked about it. */
export interface OnChain {
  readonly from: Hex;
  readonly nonce: Hex;
  readonly value: bigint;
  /** The block from which on it may have been used for us; null where that could not be asked. */
  readonly fromBlock: number | null;
  /** When this service first dealt with it, seconds since 1970. */
  readonly sinceSeconds: number;
  /** The transaction that the facilitator named. */
  readonly named: Hex | null;
}

/** The chain, read only. All reject when the node can't be asked. */
export interface ChainPort {
  blockNumber(): Promise<number>;
  facts(authorization: OnChain): Promise<ChainFacts>;
  /** Whether the authorization was used or cancelled. */
  isSpent(authorization: { readonly from: Hex; readonly nonce: Hex }): Promise<boolean>;
  /** Whether the signature is good for its payer: a contract is asked (ERC-1271), also one not deployed yet (ERC-6492). */
  signatureHolds(sent: SentPayment): Promise<boolean>;
}

/** A payment as its row tells it. Times are milliseconds since 1970. */
export interface PaymentRow {
  readonly id: number;
  readonly network: NetworkName;
  readonly asset: Hex;
  readonly payTo: Hex;
  readonly payer: Hex;
  readonly nonce: Hex;
  readonly amount: bigint;
  readonly status: Exclude<State, 'absent'>;
  readonly requestHash: string;
  readonly signatureHash: string;
  readonly paymentId: string | null;
  /** What is needed to settle again; null once the matter is decided. */
  readonly payment: SentPayment | null;
  /** The answer's text with `transactionMark` in place of the transaction; null before the search and after retention. */
  readonly body: string | null;
  readonly transaction: Hex | null;
  /** True when the chain itself has shown the transfer. */
  readonly confirmed: boolean;
  readonly fromBlock: number | null;
  readonly validBefore: bigint;
  readonly createdAtMs: number;
  readonly deliveredAtMs: number | null;
  /** Somebody works on it now. */
  readonly leased: boolean;
  /** Who holds or last held the lease. */
  readonly leaseOwner: string | null;
  /** A delivered result can be fetched again until then; null before delivery. */
  readonly replayable: boolean;
}

/** What claims a row. `owner` is a token of this one request. */
export interface Claim {
  readonly sent: SentPayment;
  readonly request: PaidRequest;
  readonly requestHash: string;
  readonly signatureHash: string;
  readonly owner: string;
  readonly leaseMs: number;
}

export type ClaimResult =
  /** A new row of ours. */
  | { readonly kind: 'claimed'; readonly row: PaymentRow }
  /** This very authorization is known. */
  | { readonly kind: 'known'; readonly row: PaymentRow }
  /** Another authorization of this payer for the same purchase is open, or paid and not delivered. */
  | { readonly kind: 'earlier'; readonly row: PaymentRow }
  /** The client's identifier names a purchase. */
  | { readonly kind: 'identified'; readonly row: PaymentRow }
  /** The payer has too many payments under way. */
  | { readonly kind: 'capped' };

/** What an event writes beside the status. */
export interface Change {
  readonly leaseMs?: number;
  readonly body?: string;
  readonly fromBlock?: number | null;
  readonly transaction?: Hex | null;
  readonly confirmed?: boolean;
}

/** The database could not be asked. What a rejected change has done is not known. */
export class DatabaseLostError extends Error {
  constructor(cause: unknown) {
    super('The database of payments could not be asked.', { cause });
    this.name = 'DatabaseLostError';
  }
}

/** The rows. Every method rejects with `DatabaseLostError` when the database can't be asked. */
export interface PaymentRows {
  claim(claim: Claim): Promise<ClaimResult>;
  find(authorization: { readonly from: Hex; readonly nonce: Hex }): Promise<PaymentRow | null>;
  read(id: number): Promise<PaymentRow | null>;
  /**
   * Applies an event to the row if its status and lease owner are still those of `row`, else does nothing.
   * @returns false when the row has changed hands meanwhile
   */
  advance(row: PaymentRow, event: Event, change?: Change): Promise<boolean>;
  /** Takes over a row whose lease has lapsed; null when somebody else was quicker. */
  take(row: PaymentRow, owner: string, leaseMs: number): Promise<PaymentRow | null>;
  /** Prolongs the lease; false when the row has changed hands. */
  renew(row: PaymentRow, leaseMs: number): Promise<boolean>;
  /** Gives a lease back without any other change. */
  release(row: PaymentRow): Promise<void>;
}

/** What is done for the rows when no payer waits. Every method rejects with `DatabaseLostError`. */
export interface PaymentUpkeep {
  /** Rows with an intent on which nobody works, the oldest first. */
  leftBehind(max: number): Promise<readonly PaymentRow[]>;
  /** Settled rows that the chain has not confirmed and on which nobody works. */
  unconfirmed(max: number): Promise<readonly PaymentRow[]>;
  /** Forgets claims left behind, results that can't be fetched any more, and rows kept long enough. */
  clear(keepMs: number): Promise<void>;
}
