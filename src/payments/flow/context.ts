import type {
  AuthorizationKey,
  AuthorizationState,
  ChainPort,
  FacilitatorPort,
  PaymentRow,
  PaymentRows,
} from '../ports.ts';
import type { Asset } from '../protocol/assets.ts';
import { checkValidity, type Refusal, type ValidityLimits } from '../protocol/checks.ts';
import type { Hex } from '../protocol/networks.ts';
import { type PaidData, type PaidRequest, receiptHeader, withTransaction } from '../protocol/paid-search.ts';
import type { PaymentPayload } from '../protocol/payload.ts';
import type { Terms } from '../protocol/terms.ts';

// The types that the steps of a purchase share, and its outcomes.

/** Limits on the time of a paid request's steps, and on concurrent payments. All times are in milliseconds. */
export interface PurchaseLimits {
  readonly validity: ValidityLimits;
  /** The life of a lease without renewal. A live request renews its lease. */
  readonly leaseMs: number;
  /** The time for which the chain is watched for a settlement of unknown outcome, while the client waits. */
  readonly reconcileMs: number;
  /** The time for which a request waits for another one that works on the same purchase. */
  readonly followMs: number;
  /** Payments of one payer that may be under way at the same time. */
  readonly openMax: number;
  /** The age up to which a payment whose row was lost is recovered from the chain. Rows are kept for longer. */
  readonly recoverMs: number;
}

/** The paid search itself. A failure comes from the search backend and is reported as on keyed search. */
export type SearchWork = () => Promise<
  | { readonly ok: true; readonly data: PaidData }
  | { readonly ok: false; readonly reason: string; readonly cause: unknown }
>;

export interface PurchaseRequest {
  /** The PAYMENT-SIGNATURE header. */
  readonly header: string;
  readonly request: PaidRequest;
  readonly search: SearchWork;
  /** The address that counts as one caller. */
  readonly caller: string;
  /** Aborted when the client has gone: then no settlement is started. */
  readonly clientSignal: AbortSignal;
  /** Aborted when the process must end soon: then the request is answered at once. */
  readonly shutdownSignal: AbortSignal;
}

/** The methods of a logger that payments use. */
export interface PaymentLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The dependencies of a purchase. Tests replace the clock, the tokens and the pauses. */
export interface PurchaseDeps {
  readonly terms: Terms;
  readonly limits: PurchaseLimits;
  readonly rows: PaymentRows;
  readonly facilitator: FacilitatorPort;
  readonly chain: ChainPort;
  readonly clock: { now(): number; elapsed(): number };
  /** Resolves after the time, or at once when a signal is aborted; never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly newOwner: () => string;
  /** Returns true if the payer's own key has signed; false also for contract wallets. */
  readonly signedByKey: (payment: PaymentPayload, asset: Asset) => Promise<boolean>;
  readonly slots: PaymentSlots;
  readonly log: PaymentLog;
}

/** Slots that keep payers without money from crowding out others. Acquiring a slot returns its release. */
export interface PaymentSlots {
  /**
   * Counts an attempt of an address, and of a payer if known. Returns null if either had too many attempts without an
   * answer, otherwise a function that takes the count back.
   */
  countAttempt(payer: Hex | null, caller: string): (() => void) | null;
  /**
   * Acquires a slot for a lookup on the chain: of a payer without rows or, with `hasRows`, of one whose signature is
   * not proven yet. Waits a little. Resolves with null if no slot became free, or the address had too many lookups.
   */
  acquireLookup(hasRows: boolean, caller: string): Promise<(() => void) | null>;
  /** Acquires a slot for all other work. `payerMax` is set if this payer has the maximum number. */
  acquirePayment(
    payer: Hex,
    paidBefore: boolean,
  ): { readonly release: () => void } | { readonly release: null; readonly payerMax: number | null };
}

/** A request with its payment, and the hashes by which both are compared. */
export interface PaymentAttempt {
  readonly purchase: PurchaseRequest;
  readonly payment: PaymentPayload;
  readonly requestHash: string;
  readonly signatureHash: string;
  /** The token with which this request holds leases. */
  readonly owner: string;
  readonly deps: PurchaseDeps;
}

/** The findings about a payment before its row is changed. */
export interface Admission {
  readonly key: AuthorizationKey;
  readonly terms: Terms;
  /** The refusal under today's terms, if any. An existing row keeps its own terms. */
  readonly refusal: Refusal | null;
  /** Null if its row decides alone. */
  readonly onChain: AuthorizationState | null;
  readonly paidBefore: boolean;
  readonly hadRow: boolean;
  /** The authorization is on the chain, so anyone can send it. */
  readonly isPublic: boolean;
}

/** One paid request with everything that its steps need. */
export interface PurchaseContext extends PaymentAttempt, Admission {
  /** The time until which the request waits for others, in milliseconds of the monotonic clock. */
  readonly deadline: number;
}

/** A row that still has the payment, which its settlement needs. */
export type OpenPayment = PaymentRow & { readonly payment: PaymentPayload };

export function isOpenPayment(row: PaymentRow): row is OpenPayment {
  return row.payment !== null;
}

/** Returns a refusal if the authorization is too early or too late now, else null. */
export function checkValidityNow({ authorization }: PaymentPayload, { limits, clock }: PurchaseDeps): Refusal | null {
  return checkValidity(authorization, limits.validity, Math.floor(clock.now() / 1000));
}

/** The reason for which a request was not charged. */
type UnchargedCode =
  | 'chain_unavailable'
  | 'facilitator_unavailable'
  | 'overloaded'
  | 'service_unavailable'
  | 'shutting_down';

/** The outcome of a paid request. */
export type Outcome =
  | {
      readonly kind: 'served';
      readonly body: string;
      /** The PAYMENT-RESPONSE header. */
      readonly receipt: string;
      /** The result of an earlier payment: nothing was charged now. */
      readonly replayed: boolean;
      /** Must be called once, when the answer was sent or can't be sent any more. */
      readonly done: (delivered: boolean) => void;
    }
  /** 402: this payment has taken nothing. `receipt` exists if the chain shows that it never can. */
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly message: string;
      readonly receipt?: string;
    }
  /** 503: this request has charged nothing. */
  | { readonly kind: 'uncharged'; readonly code: UnchargedCode; readonly message: string }
  /** 503: the outcome of a settlement is unknown, and the same payment may be sent again. */
  | { readonly kind: 'unknown' }
  /** 503: another request works on the same purchase. */
  | { readonly kind: 'in-progress' }
  /** 429: this many payments of the payer may be under way. */
  | { readonly kind: 'capped'; readonly openMax: number }
  /** 409: the payment identifier names another purchase. */
  | { readonly kind: 'conflict'; readonly message: string }
  /** 500: nothing was charged; or, if `paid`, the answer can be fetched later with the same payment. */
  | {
      readonly kind: 'search-failed';
      readonly reason: string;
      readonly cause: unknown;
      readonly paid: boolean;
    }
  /** The client has gone. */
  | { readonly kind: 'gone' };

/** An outcome, or `again` if another request has taken the row. */
export type Step = Outcome | { readonly kind: 'again' };

export const again: Step = { kind: 'again' };

/**
 * Returns the answer of a settled row, or a refusal if the answer is no longer kept.
 * @param provesPayer false if the caller only sent what everyone can read on the chain: then it stays undelivered
 */
export function served(
  row: PaymentRow,
  { replayed, provesPayer }: { readonly replayed: boolean; readonly provesPayer: boolean },
  deps: PurchaseDeps,
): Outcome {
  if (row.body === null || row.transaction === null) return alreadyUsed();
  const { transaction, network, payer } = row;
  return {
    kind: 'served',
    body: withTransaction(row.body, transaction),
    receipt: receiptHeader({ transaction, network, payer }),
    replayed,
    // Until delivered, the answer can be claimed with the same payment, or a new one of this payer for the same search.
    done: (delivered) => {
      if (delivered && provesPayer && row.deliveredAtMs === null) void recordDelivery(row, deps);
    },
  };
}

/** Records a delivery if the database is there. Without the record, the payer can fetch the answer again. */
async function recordDelivery({ id }: PaymentRow, { rows, log }: PurchaseDeps): Promise<void> {
  try {
    await rows.delivered(id);
  } catch (error) {
    log.warn({ err: error, payment: id }, 'the database could not record a delivery');
  }
}

export function refused(code: string, message: string): Outcome {
  return { kind: 'refused', code, message };
}

export function alreadyUsed(): Outcome {
  return refused('payment_already_used', 'this authorization has already paid for a search');
}

export function insufficientFunds(): Outcome {
  return refused('insufficient_funds', 'the payer has less than the amount in this token');
}

export function uncharged(code: UnchargedCode, message: string): Outcome {
  return { kind: 'uncharged', code, message };
}

export function chainUnavailable(message: string): Outcome {
  return uncharged('chain_unavailable', message);
}

export function facilitatorUnavailable(): Outcome {
  return uncharged('facilitator_unavailable', 'The payment facilitator is unreachable.');
}

export function databaseUnavailable(): Outcome {
  return uncharged('service_unavailable', 'The payment could not be recorded right now.');
}

export function overloaded(): Outcome {
  return uncharged('overloaded', 'Too many payments are in progress.');
}
