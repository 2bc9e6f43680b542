import { ApiError } from './errors.ts';

/** What may be had here without a key. */
export interface Offers {
  /** Whether there is a page where people make keys. */
  readonly accountPage: boolean;
  /** Whether searches are sold one by one. */
  readonly sold: boolean;
}

/** Who has connected without a key sees what there is; what costs calls needs somebody who has some. */
export class KeyMissing extends ApiError {
  constructor({ accountPage, sold }: Offers) {
    const where = accountPage
      ? 'make one at /account/keys of this service'
      : 'ask the operator of this service for one';
    const paid = sold ? ' Without a key, search_entities can be paid for by x402, call by call.' : '';
    super(
      { code: 'invalid_api_key' },
      `This needs an API key: connect with the header "Authorization: Bearer <API_KEY>"; ${where}.${paid}`,
    );
  }
}

/** A page in a browser, of an origin that is not known here. */
export class ForeignPage extends ApiError {
  constructor() {
    super(
      { code: 'foreign_origin' },
      'Pages of this origin may not ask here: the operator of this service allows origins with CORS_ORIGINS, and its own with PUBLIC_URL. Programs send no Origin.',
    );
  }
}
