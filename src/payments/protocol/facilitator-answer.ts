import type { Hex } from './networks.ts';

/** The result of a request to the facilitator. Only `answered` reveals anything about the payment. */
export type FacilitatorReply<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** The facilitator did not get the request: no connection was made. */
  | { readonly kind: 'not-sent'; readonly cause: unknown }
  /** The facilitator may have got the request: it was cut off, timed out, or the answer was invalid. */
  | { readonly kind: 'unclear'; readonly cause: unknown };

export interface VerifyAnswer {
  readonly isValid: boolean;
  /** The facilitator's own word, from an open set. */
  readonly invalidReason: string | null;
}

export interface SettleAnswer {
  readonly success: boolean;
  /** Null if it is empty or no transaction hash. */
  readonly transaction: Hex | null;
  readonly errorReason: string | null;
}

const word = /^[a-z0-9_]{1,100}$/;

const plainer: Readonly<Record<string, string>> = {
  invalid_exact_evm_insufficient_balance: 'insufficient_funds',
  invalid_exact_evm_signature: 'invalid_exact_evm_payload_signature',
};

/** Returns a facilitator's reason for callers, in the specification's spelling if it has one. */
export function publicReason(reason: string | null): string {
  if (reason === null || !word.test(reason)) return 'payment_rejected';
  return plainer[reason] ?? reason;
}
