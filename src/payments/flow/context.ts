import type { ChainPort, FacilitatorPort, PaymentRows } from '../ports.ts';
import type { PaidData } from '../protocol/answer.ts';
import type { ValidityLimits } from '../protocol/checks.ts';
import type { Hex, Network } from '../protocol/networks.ts';
import type { SentPayment } from '../protocol/payload.ts';
import type { PaidRequest } from '../protocol/request.ts';
import type { Terms } from '../protocol/terms.ts';

/** How long the steps of a paid request may take, and how many may run at once. All times in milliseconds. */
export interface ChargeLimits {
  readonly validity: ValidityLimits;
  /** How long a row is ours without renewal; it is renewed while the request lives. */
  readonly leaseMs: number;
  /** How long the chain is watched for a settlement whose outcome is unknown, while the client waits. */
  readonly reconcileMs: number;
  /** How long a request waits for another one that works on the same purchase. */
  readonly followMs: number;
  /** Payments of one payer that may be under way at the same time. */
  readonly openMax: number;
}

/** The paid search itself. A failure is the search backend's, told as it is on keyed search. */
export type SearchWork = () => Promise<
  | { readonly ok: true; readonly data: PaidData }
  | { readonly ok: false; readonly reason: string; readonly cause: unknown }
>;

/** One paid request. */
export interface Purchase {
  /** The PAYMENT-SIGNATURE header. */
  readonly header: string;
  readonly request: PaidRequest;
  readonly search: SearchWork;
  /** Aborted when nobody waits for the answer any more: then no settlement is begun. */
  readonly client: AbortSignal;
  /** Aborted when the process must end soon: then the request is answered at once. */
  readonly hurry: AbortSignal;
}

/** A logger's methods that are used here. */
export interface ChargeLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What charging needs. Time, tokens and waiting are given, so that tests decide them. */
export interface ChargeDeps {
  readonly terms: Terms;
  readonly limits: ChargeLimits;
  readonly rows: PaymentRows;
  readonly facilitator: FacilitatorPort;
  readonly chain: ChainPort;
  readonly clock: { now(): number; elapsed(): number };
  /** Resolves after the time, or at once when a signal is aborted; never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly newOwner: () => string;
  /** Whether the payer's own key has signed: false also for contract wallets. */
  readonly signedByKey: (sent: SentPayment, network: Network) => Promise<boolean>;
  /** What keeps those who have no money from taking the place of those who have. */
  readonly places: PaymentPlaces;
  /** Left out, every payer is looked at each time. */
  readonly poor?: PoorPayers;
  /** Goes on with an action in the background until the database has taken it. */
  readonly retryInBackground: (what: string, action: () => Promise<unknown>) => void;
  readonly log: ChargeLog;
}

/** Places for payments under way. */
export interface PaymentPlaces {
  /**
   * For asking the node about a payer of whom nothing is known yet, or (`seen`) whose signature is still to be proven;
   * may wait a little. Null where none became free.
   */
  forLook(seen: boolean): Promise<(() => void) | null>;
  /** For everything else; some places are kept for payers who have paid before, and no payer may take them all. */
  forPayment(payer: Hex, paidBefore: boolean): PaymentPlace;
}

/** A place and how to leave it, or why there is none: `payerMax` where this payer has as many as one may have. */
export type PaymentPlace =
  | { readonly ok: true; readonly leave: () => void }
  | { readonly ok: false; readonly payerMax: number | null };

/** Payers who had too little a moment ago. Who has enough is looked at each time. */
export interface PoorPayers {
  has(payer: Hex): boolean;
  add(payer: Hex): unknown;
}

/** A payment that its payer has certainly signed, with the identities it is compared by. */
export interface Proven {
  readonly sent: SentPayment;
  readonly requestHash: string;
  readonly signatureHash: string;
  /** This request's token as a holder of rows. */
  readonly owner: string;
}

/** One paid request with everything that its steps need. */
export interface PurchaseContext {
  readonly purchase: Purchase;
  readonly proven: Proven;
  readonly deps: ChargeDeps;
  /** Until when the request waits for others, on the monotonic clock in milliseconds. */
  readonly deadline: number;
  /** What the chain said of the new authorization before anything else; null where it could not be asked. */
  readonly seen: AuthorizationSeen | null;
  /** Refused payments for the same search of which the chain was asked already: they have not landed. */
  readonly looked: Set<number>;
}

/** An authorization as it was when it came. */
export interface AuthorizationSeen {
  /** The head at which the rest was read. */
  readonly block: number;
  readonly spent: boolean;
  /** The payer has the amount. */
  readonly funded: boolean;
}

/** How a paid request ends. */
export type Outcome =
  | {
      readonly kind: 'served';
      readonly body: string;
      /** The PAYMENT-RESPONSE header. */
      readonly receipt: string;
      /** The result of an earlier payment: nothing was charged now. */
      readonly replayed: boolean;
      /** To be told once, when the answer has left or can't any more. */
      readonly done: (delivered: boolean) => void;
    }
  /** 402: certain that this payment has taken nothing for this request. `receipt` where a settlement was refused. */
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly message: string;
      readonly receipt?: string;
      /** The chain itself says that the authorization moves no money. */
      readonly void?: true;
    }
  /** 503: this request has charged nothing. */
  | { readonly kind: 'uncharged'; readonly code: string; readonly message: string }
  /** 503: the outcome of a settlement is unknown, and the same payment may be sent again. */
  | { readonly kind: 'unknown' }
  /** 503: another request works on the same purchase. */
  | { readonly kind: 'in-progress' }
  /** 429: this many payments of the payer may be under way. */
  | { readonly kind: 'capped'; readonly openMax: number }
  /** 409: the payment identifier stands for something else. */
  | { readonly kind: 'conflict'; readonly message: string }
  /** 500: nothing was charged; or, where it is paid, the answer can be had later with the same payment. */
  | {
      readonly kind: 'search-failed';
      readonly reason: string;
      readonly cause: unknown;
      readonly paid: boolean;
    }
  /** Nobody waits for an answer. */
  | { readonly kind: 'gone' };

/** An outcome, or: the situation has changed, look again. */
export type Step = Outcome | 'again';

export function refused(code: string, message: string): Outcome {
  return { kind: 'refused', code, message };
}

export function chainAway(what: string): Outcome {
  return { kind: 'uncharged', code: 'chain_unavailable', message: what };
}

export function databaseLost(): Outcome {
  return {
    kind: 'uncharged',
    code: 'service_unavailable',
    message: 'The payment could not be recorded just now.',
  };
}
