import type { Hex } from './networks.ts';

/** The result of a request to the facilitator. Only `answered` reveals anything about the payment. */
export type FacilitatorReply<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** It certainly did not get the request: no connection was made. */
  | { readonly kind: 'not-sent'; readonly cause: unknown }
  /** It may have got the request: cut, timed out, or answered something that is no answer. */
  | { readonly kind: 'unclear'; readonly cause: unknown };

export interface VerifyAnswer {
  readonly isValid: boolean;
  /** The facilitator's own word; not a closed set. */
  readonly invalidReason: string | null;
}

export interface SettleAnswer {
  readonly success: boolean;
  /** Null if it is empty or no transaction hash. */
  readonly transaction: Hex | null;
  readonly errorReason: string | null;
}

/** The meaning of a facilitator's answer to a settlement. */
export type SettleMeaning =
  | { readonly kind: 'success'; readonly transaction: Hex | null }
  /** Sent to the chain and not confirmed yet. */
  | { readonly kind: 'pending'; readonly transaction: Hex | null }
  /** Refused before anything was sent to the chain. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Refused, but a transaction may exist or have existed. */
  | { readonly kind: 'vague'; readonly reason: string; readonly transaction: Hex | null };

const refusedBeforeSending = /^(invalid|insufficient|unsupported)_/;
// "nonce already used" after our own intent may well mean that our own settlement used it.
const aboutTransactions = /nonce|transaction|transfer|pending|state/;

export function meaningOf(answer: SettleAnswer): SettleMeaning {
  if (answer.success) return { kind: 'success', transaction: answer.transaction };
  const reason = publicReason(answer.errorReason);
  if (reason.includes('pending')) return { kind: 'pending', transaction: answer.transaction };
  const certain = refusedBeforeSending.test(reason) && !aboutTransactions.test(reason) && answer.transaction === null;
  return certain ? { kind: 'refused', reason } : { kind: 'vague', reason, transaction: answer.transaction };
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
