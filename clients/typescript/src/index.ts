export {
  type AnswerOf,
  type CallOptions,
  type ClientOptions,
  createClient,
  type EntitySearchClient,
  type Item,
  type OperationName,
  type ParametersOf,
  type SearchAnswer,
  type SearchParameters,
} from './client.ts';
export {
  AnswerError,
  ApiError,
  ConnectionFailedError,
  EntitySearchError,
  hasCode,
  MissingCredentialsError,
  OfferRefusedError,
  PaymentRefusedError,
  type Problem,
  SpendingLimitError,
  UnexpectedAnswerError,
} from './errors.ts';
export type { ErrorCode } from './generated/error-codes.ts';
export type { components } from './generated/schema.ts';
export type { Payment, PaymentState } from './payment.ts';
export type { Limits } from './retry.ts';
export type { Asset, Spending } from './spending.ts';
export type { Account, TypedData } from './wallet.ts';
