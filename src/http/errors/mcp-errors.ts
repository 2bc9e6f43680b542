import type { Installation } from '../endpoint.ts';
import { ApiError, errorOf } from './errors.ts';

/** A call without a key. Lists are free, but calls need a plan. */
export class KeyMissing extends ApiError {
  constructor({ accountPage, sold }: Installation) {
    const where = accountPage
      ? 'create one at /account/keys of this service'
      : 'ask the operator of this service for one';
    const paid = sold ? ' Without a key, search_entities can be paid for by x402, call by call.' : '';
    super(
      { code: 'invalid_api_key' },
      `This call needs an API key: connect with the header "Authorization: Bearer <API_KEY>"; ${where}.${paid}`,
    );
  }
}

/** A page in a browser from an origin that is not allowed. */
export const ForeignPage = errorOf(
  'foreign_origin',
  'Pages of this origin may not call this service: its operator can allow them with CORS_ORIGINS, and the service itself with PUBLIC_URL. Programs must not send Origin.',
);
