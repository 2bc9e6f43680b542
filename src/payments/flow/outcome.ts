import type { PaymentRow } from '../ports.ts';
import { receiptHeader, withTransaction } from '../protocol/paid-search.ts';
import type { PurchaseDeps } from './purchase-types.ts';

/** What kept a request from being charged. */
type UnchargedCode =
  | 'chain_unavailable'
  | 'facilitator_unavailable'
  | 'overloaded'
  | 'service_unavailable'
  | 'shutting_down';

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
  | { readonly kind: 'uncharged'; readonly code: UnchargedCode; readonly message: string }
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

/** An outcome, or: the row has changed hands, look again. */
export type Step = Outcome | { readonly kind: 'again' };

export const again: Step = { kind: 'again' };

/** The answer of a settled row, which has one. */
export function served(row: PaymentRow, options: { readonly replayed: boolean }, deps: PurchaseDeps): Outcome {
  if (row.body === null || row.transaction === null) return alreadyUsed();
  const { transaction, network, payer } = row;
  return {
    kind: 'served',
    body: withTransaction(row.body, transaction),
    receipt: receiptHeader({ transaction, network, payer }),
    replayed: options.replayed,
    // Undelivered it stays claimable: by the same payment, or by a new one of this payer for the same search.
    done: (delivered) => {
      if (delivered && row.deliveredAtMs === null)
        deps.retryInBackground('delivered', () => deps.rows.delivered(row.id));
    },
  };
}

export function refused(code: string, message: string): Outcome {
  return { kind: 'refused', code, message };
}

export function alreadyUsed(): Outcome {
  return refused('payment_already_used', 'this authorization has already paid for a search');
}

export function spentBefore(): Outcome {
  return refused('invalid_exact_evm_nonce_already_used', 'the authorization was used before');
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
  return uncharged('facilitator_unavailable', 'The payment facilitator can not be reached just now.');
}

export function databaseUnavailable(): Outcome {
  return uncharged('service_unavailable', 'The payment could not be recorded just now.');
}

export function overloaded(): Outcome {
  return uncharged('overloaded', 'Too many payments are under way here just now.');
}
