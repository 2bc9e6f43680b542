import type { PaidData } from './answer.ts';
import type { ValidityLimits } from './checks.ts';
import type { ChainPort, FacilitatorPort, PaymentRows } from './ports.ts';
import type { PaidRequest } from './request.ts';
import type { Terms } from './terms.ts';
import type { SentPayment } from './wire.ts';

/** How long the steps of a paid request may take, and how many may run at once. All times in milliseconds. */
export interface ChargeLimits {
  readonly validity: ValidityLimits;
  /** How long a row is ours without renewal; it is renewed while the request lives. */
  readonly leaseMs: number;
  /** How long the chain is watched for a settlement whose outcome is unknown, while the client waits. */
  readonly reconcileMs: number;
  /** How long a request waits for another one that works on the same purchase. */
  readonly followMs: number;
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
  /** Goes on with an action in the background until the database has taken it. */
  readonly keep: (what: string, action: () => Promise<unknown>) => void;
  readonly log: ChargeLog;
}

/** A payment that its payer has certainly signed, with the identities it is compared by. */
export interface Proven {
  readonly sent: SentPayment;
  readonly requestHash: string;
  readonly signatureHash: string;
  /** This request's token as a holder of rows. */
  readonly owner: string;
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
  | { readonly kind: 'refused'; readonly code: string; readonly message: string; readonly receipt?: string }
  /** 503: this request has charged nothing. */
  | { readonly kind: 'uncharged'; readonly code: string; readonly message: string }
  /** 503: the outcome of a settlement is unknown, and the same payment may be sent again. */
  | { readonly kind: 'unknown' }
  /** 503: another request works on the same purchase. */
  | { readonly kind: 'in-progress' }
  /** 429 */
  | { readonly kind: 'capped' }
  /** 409: the payment identifier stands for something else. */
  | { readonly kind: 'conflict'; readonly message: string }
  /** 500: nothing was charged. */
  | { readonly kind: 'search-failed'; readonly reason: string; readonly cause: unknown }
  /** Nobody waits for an answer. */
  | { readonly kind: 'gone' };

/** An outcome, or: the situation has changed, look again. */
export type Step = Outcome | 'again';

export function refused(code: string, message: string): Outcome {
  return { kind: 'refused', code, message };
}

export function databaseLost(): Outcome {
  return {
    kind: 'uncharged',
    code: 'service_unavailable',
    message: 'The payment could not be recorded just now.',
  };
}
