import type { Event, RowStatus } from './ledger/states.ts';
import type { FacilitatorReply, SettleAnswer, VerifyAnswer } from './protocol/facilitator-answer.ts';
import type { Hex, NetworkName } from './protocol/networks.ts';
import type { PaidRequest } from './protocol/paid-search.ts';
import type { PaymentPayload } from './protocol/payload.ts';
import type { Terms } from './protocol/terms.ts';

/** The facilitator. Failures are returned; neither call rejects. The terms are those of the payment's row. */
export interface FacilitatorPort {
  verify(sent: PaymentPayload, terms: Terms): Promise<FacilitatorReply<VerifyAnswer>>;
  settle(sent: PaymentPayload, terms: Terms): Promise<FacilitatorReply<SettleAnswer>>;
}

/** A token on a chain. Addresses are in lower case. */
export interface TokenOnChain {
  readonly network: NetworkName;
  readonly asset: Hex;
}

/** A token accepts an authorization once, and a row is unique by it. */
export interface AuthorizationKey extends TokenOnChain {
  readonly payer: Hex;
  readonly nonce: Hex;
}

/** An event that a token logged in a transaction. Addresses and nonces are in lower case. */
export type TokenEvent =
  | { readonly kind: 'used'; readonly authorizer: Hex; readonly nonce: Hex }
  | { readonly kind: 'cancelled'; readonly authorizer: Hex; readonly nonce: Hex }
  | { readonly kind: 'transfer'; readonly from: Hex; readonly to: Hex; readonly value: bigint }
  | { readonly kind: 'something-else' };

/** A transaction in a block, with its events of one token. */
export interface TransactionReceipt {
  readonly transaction: Hex;
  readonly block: number;
  readonly success: boolean;
  readonly events: readonly TokenEvent[];
}

/** A block's number, and its time in seconds since 1970. */
export interface Block {
  readonly number: number;
  readonly seconds: number;
}

/** The transaction that spent an authorization. */
export interface AuthorizationUse {
  readonly kind: 'used' | 'cancelled';
  readonly transaction: Hex;
  readonly block: number;
}

/** A chain's node, read only. Every method rejects if the node gives no answer or is of another network. */
export interface ChainReads {
  /** Number of the latest blocks that may still be replaced. Older ones are final. */
  readonly reorgBlocks: number;
  /** Usual seconds between two blocks, to estimate a block's number from a time. */
  readonly blockSeconds: number;
  readonly logRangeBlocks: number;
  block(network: NetworkName, which: number | 'latest'): Promise<Block>;
  /** Returns true if the authorization was used or cancelled, as of a block. */
  isSpent(authorization: AuthorizationKey, atBlock: number): Promise<boolean>;
  /** Returns the owner's balance of the token, in base units. */
  balance(token: TokenOnChain, owner: Hex, atBlock: number): Promise<bigint>;
  /** Null if the transaction is in no block that the node knows. */
  receipt(token: TokenOnChain, transaction: Hex): Promise<TransactionReceipt | null>;
  /** Returns true if the node knows the transaction, in a block or waiting for one. */
  isKnown(token: TokenOnChain, transaction: Hex): Promise<boolean>;
  /** The transaction that used or cancelled the authorization within these blocks, both ends included. */
  findUse(authorization: AuthorizationKey, fromBlock: number, toBlock: number): Promise<AuthorizationUse | null>;
}

/** The methods of a chain that charging uses. */
export interface ChainPort extends ChainReads {
  /** Returns true if a contract wallet accepts its signature (ERC-1271), even one not deployed yet (ERC-6492). */
  signatureHolds(sent: PaymentPayload, terms: Terms): Promise<boolean>;
}

/** A payment as its row records it. Times are milliseconds since 1970. */
export interface PaymentRow extends AuthorizationKey {
  readonly id: number;
  readonly payTo: Hex;
  readonly amount: bigint;
  readonly status: RowStatus;
  readonly requestHash: string;
  readonly signatureHash: string;
  readonly paymentId: string | null;
  /** The payment, which settling again needs; null once the money has moved. */
  readonly payment: PaymentPayload | null;
  /**
   * The answer's text with `transactionMark` in place of the transaction; null before the search and after retention.
   */
  readonly body: string | null;
  /** The transaction that moved the money; before that, the one that the facilitator named. */
  readonly transaction: Hex | null;
  /** True when the chain has shown the transfer in a final block. */
  readonly final: boolean;
  /** The first block in which the authorization may have been used for us. */
  readonly fromBlock: number;
  readonly validBefore: bigint;
  readonly createdAtMs: number;
  readonly deliveredAtMs: number | null;
  /** True while a lease is held. */
  readonly leased: boolean;
  /** The current or last holder of the lease. */
  readonly leaseOwner: string | null;
  /** It is paid, and its answer can be fetched with the same payment: undelivered, or delivered recently. */
  readonly claimable: boolean;
}

export interface AuthorizationState {
  /** The latest block when the rest was read. */
  readonly block: number;
  /** The authorization was used or cancelled. */
  readonly spent: boolean;
  /** The payer's balance of the token, in base units. */
  readonly balance: bigint;
  /** The first block in which the authorization may have been used for us. */
  readonly fromBlock: number;
}

/** The claim of a row. `owner` is a token of this one request. */
export interface Claim {
  readonly payment: PaymentPayload;
  readonly terms: Terms;
  readonly request: PaidRequest;
  readonly requestHash: string;
  readonly signatureHash: string;
  readonly owner: string;
  readonly leaseMs: number;
  /** Null if the node gave no answer: then no row is inserted. */
  readonly onChain: AuthorizationState | null;
}

export type ClaimResult =
  /** A new row: `processing`, or `released` if the authorization is spent, which means that its row was lost. */
  | { readonly kind: 'claimed'; readonly row: PaymentRow }
  /** There is a row with this authorization. */
  | { readonly kind: 'known'; readonly row: PaymentRow }
  /**
   * Another authorization of this payer for the same purchase is open, was given up and may still land, or is paid and
   * not delivered, or was delivered a short while ago.
   */
  | { readonly kind: 'earlier'; readonly row: PaymentRow }
  /** There is a purchase with the client's payment identifier. */
  | { readonly kind: 'identified'; readonly row: PaymentRow }
  /** The payer has too many payments that are in progress, or were released and have not expired. */
  | { readonly kind: 'capped' }
  /** There is no row, and the payer's balance doesn't cover another payment. */
  | { readonly kind: 'barred' };

/** The columns that an event writes in addition to the status. A column that is left out keeps its value. */
export interface Change {
  /** The row's new lease; without it the row is released. */
  readonly leaseMs?: number;
  readonly body?: string;
  readonly transaction?: Hex | null;
  readonly final?: boolean;
  readonly block?: number;
}

/** The database gave no answer. The change may or may not have been written. */
export class DatabaseLostError extends Error {
  constructor(cause: unknown) {
    super('The database of payments could not be asked.', { cause });
    this.name = 'DatabaseLostError';
  }
}

/** The payer's earlier rows. */
export interface PayerHistory {
  /** The row of this very authorization. */
  readonly row: PaymentRow | null;
  /** The payer has rows, of whatever state. */
  readonly seen: boolean;
  /** The payer has paid before. */
  readonly paid: boolean;
}

/** The rows. Every method rejects with `DatabaseLostError` if the database gives no answer. */
export interface PaymentRows {
  claim(claim: Claim): Promise<ClaimResult>;
  history(authorization: AuthorizationKey): Promise<PayerHistory>;
  find(key: AuthorizationKey): Promise<PaymentRow | null>;
  /** Returns true if the address was ever configured as a recipient of the token. */
  isRecipient(token: TokenOnChain, address: Hex): Promise<boolean>;
  /**
   * Applies an event to the row if its status and lease owner are still those of `row`, else does nothing.
   * @returns false if another request has taken the row, or another purchase of the same search is open
   */
  advance(row: PaymentRow, event: Event, change?: Change): Promise<boolean>;
  /** Takes over a row whose lease has lapsed; null if another request was quicker. */
  take(row: PaymentRow, owner: string, leaseMs: number): Promise<PaymentRow | null>;
  /** Renews the lease; false if another request has taken the row. */
  renew(row: PaymentRow, leaseMs: number): Promise<boolean>;
  /** Records that the answer was sent to the payer, whatever the row's state and holder. */
  delivered(id: number): Promise<void>;
}

/** The upkeep of rows while no payer waits. Every method rejects with `DatabaseLostError`. */
export interface PaymentUpkeep {
  /**
   * Returns rows without a lease that the chain can still decide: settling, settled in a block that is not final, or
   * released and expired. The least recently checked come first, so that undecidable rows do not hold up others.
   */
  due(max: number): Promise<readonly PaymentRow[]>;
  /** Records that a row was checked. */
  looked(id: number): Promise<void>;
  /** Releases abandoned claims, and deletes answers that can't be fetched any more and rows kept long enough. */
  clear(keepMs: number): Promise<void>;
}
