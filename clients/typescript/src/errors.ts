import type { ErrorCode } from './generated/error-codes.ts';
import type { Payment } from './payment.ts';

/**
 * Anything that this client throws by itself. `payment` is set once a payment was signed for the call: whether it was
 * charged is then `payment.state`, and `resumePaidSearch(payment)` asks again without paying a second time.
 */
export class EntitySearchError extends Error {
  override name = 'EntitySearchError';
  payment?: Payment;
}

/** The call needs a key or a wallet that the client was not given. */
export class MissingCredentialsError extends EntitySearchError {
  override name = 'MissingCredentialsError';
}

/** No answer came: the address cannot be reached, the connection broke, or no complete answer came in time. */
export class ConnectionFailedError extends EntitySearchError {
  override name = 'ConnectionFailedError';
}

/** The server's price or payment method is not one that this client accepts; nothing was signed. */
export class OfferRefusedError extends EntitySearchError {
  override name = 'OfferRefusedError';
}

/** The price is over what one call, or all calls together, may cost; nothing was signed. */
export class SpendingLimitError extends OfferRefusedError {
  override name = 'SpendingLimitError';
}

export class AnswerError extends EntitySearchError {
  override name = 'AnswerError';
  readonly status: number;
  /** The id of this call in the server's log. */
  readonly requestId: string | null;

  constructor(text: string, { status, requestId }: { readonly status: number; readonly requestId: string | null }) {
    super(`${text} (HTTP ${status}${requestId === null ? '' : `, request ${requestId}`})`);
    this.status = status;
    this.requestId = requestId;
  }
}

/** The answer is not one of this API: another type or form, a redirect, or too large. */
export class UnexpectedAnswerError extends AnswerError {
  override name = 'UnexpectedAnswerError';
}

/** A problem with one parameter, or with one place in the body. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

interface ApiErrorParts {
  readonly status: number;
  readonly requestId: string | null;
  readonly code: string;
  readonly details: readonly Problem[];
  readonly retryAfterMs: number | null;
}

/** An error of the API. A newer server may send codes that this version does not know. */
export class ApiError<Code extends string = ErrorCode | (string & {})> extends AnswerError {
  override name = 'ApiError';
  readonly code: Code;
  readonly details: readonly Problem[];
  /** Milliseconds to wait before the call is repeated, from Retry-After. */
  readonly retryAfterMs: number | null;

  constructor(text: string, parts: ApiErrorParts & { readonly code: Code }) {
    super(`${parts.code}: ${text}`, parts);
    this.code = parts.code;
    this.details = parts.details;
    this.retryAfterMs = parts.retryAfterMs;
  }
}

/** The payment was not accepted; `code` gives the reason. The server took nothing. */
export class PaymentRefusedError extends ApiError {
  override name = 'PaymentRefusedError';
}

/** Returns true for an error of the API that has this code, or one of these. */
export function hasCode<const Code extends ErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is ApiError<Code> {
  return error instanceof ApiError && codes.some((code) => code === error.code);
}
