import type { Outcome } from '../../payments/flow/context.ts';
import type { ErrorCode } from '../errors/codes.ts';
import { ApiError } from '../errors/errors.ts';

export const retrySame = 'Retry the same request with the same PAYMENT-SIGNATURE: you are never charged twice for it.';
export const retryCall =
  'Call the tool again with the same arguments and the same payment in _meta["x402/payment"]: you are never charged twice for it.';
export const nothingCharged = 'Nothing was charged by this request.';

/** Seconds to wait before a retry. */
const retryAfter = { soon: '1', later: '5' } as const;

class PaymentError extends ApiError {
  constructor(code: ErrorCode, message: string, retry?: keyof typeof retryAfter) {
    super({ code, ...(retry === undefined ? {} : { headers: { 'Retry-After': retryAfter[retry] } }) }, message);
  }
}

type Failed = Exclude<Outcome, { readonly kind: 'served' | 'refused' | 'search-failed' | 'gone' }>;

/**
 * Returns the error to answer with. None is a 402, because generic clients sign a new payment for every 402.
 * @param retry instructions for a retry without another payment
 */
export function paymentError(outcome: Failed, retry = retrySame): ApiError {
  switch (outcome.kind) {
    case 'uncharged':
      return new PaymentError(outcome.code, `${outcome.message} ${nothingCharged} ${retry}`, 'soon');
    case 'unknown':
      return new PaymentError(
        'settlement_unknown',
        `The outcome of the settlement is not known yet. ${retry}`,
        'later',
      );
    case 'in-progress':
      return new PaymentError(
        'payment_in_progress',
        `A payment of this payer for the same search is in progress. ${retry}`,
        'soon',
      );
    case 'capped':
      return new PaymentError(
        'too_many_payments',
        `This payer has too many payments in progress: at most ${outcome.openMax} are allowed at the same time. ${nothingCharged} Retry when some have ended.`,
        'soon',
      );
    case 'conflict':
      return new PaymentError('payment_identifier_used', `${outcome.message} ${nothingCharged}`);
    default:
      return outcome satisfies never;
  }
}
