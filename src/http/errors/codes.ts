interface Meaning {
  readonly status: number;
  /** For callers. */
  readonly when: string;
  readonly header?: string;
}

/** Every `code` of an error's body but the reasons in a 402. docs/reference/errors.md is written from this. */
export const errorCodes = {
  invalid_parameter: { status: 400, when: 'A parameter is missing, unknown, repeated or out of range.' },
  invalid_cursor: { status: 400, when: 'The cursor is not one that this address gave for these parameters.' },
  cursor_expired: { status: 400, when: 'The cursor has expired; start again from the first page.' },
  removals_unknown: {
    status: 400,
    when: 'What was removed since the cursor is not known any more; list everything again.',
  },
  exceeds_plan: {
    status: 400,
    when: 'The request costs more calls than the plan has in a minute or month; send less at once. It costs nothing.',
  },
  malformed_request: {
    status: 400,
    when: 'The request cannot be read, or an HTTP/1.1 request does not have exactly one valid `Host`.',
  },
  malformed_body: { status: 400, when: 'The body is not a JSON object.' },
  invalid_api_key: {
    status: 401,
    when: 'The key is missing, malformed, unknown, revoked or expired; which of these is not told.',
    header: '`WWW-Authenticate: Bearer`',
  },
  not_signed_in: { status: 401, when: 'Account page: nobody is signed in, or the session has ended.' },
  sign_in_failed: {
    status: 401,
    when: 'Account page: the signature does not match, or what was signed has expired, was used, or was given to another browser.',
  },
  payment_required: {
    status: 402,
    when: 'Nothing was paid; sign one of the accepted payments. Any other code of a 402 says why the payment sent is not good; nothing was taken, and a new one may be signed.',
    header: '`PAYMENT-REQUIRED`',
  },
  x402_v1_not_supported: {
    status: 402,
    when: 'The payment is in the header `X-PAYMENT` of x402 version 1; send `PAYMENT-SIGNATURE` of version 2.',
    header: '`PAYMENT-REQUIRED`',
  },
  plan_inactive: { status: 403, when: 'The key is good, but its account or plan is not active.' },
  foreign_origin: {
    status: 403,
    when: 'Account page: a change that no page of this service asked for. MCP: a page of an origin that is not allowed.',
  },
  confirmation_required: {
    status: 403,
    when: 'Account page: the change needs a fresh signature of a wallet or passkey of the account.',
  },
  operator_only: { status: 403, when: 'Account page: the account is no operator.' },
  sign_up_closed: { status: 403, when: 'Account page: the wallet has no account, and none is opened for it.' },
  account_suspended: { status: 403, when: 'Account page: the account is suspended.' },
  invitation_invalid: {
    status: 404,
    when: 'Account page: the invitation is unknown, used or expired; which of these is not told.',
  },
  not_found: { status: 404, when: 'There is nothing at this address, or nothing has the id or slug.' },
  paid_search_off: { status: 404, when: 'This installation sells no searches; asking again changes nothing.' },
  method_not_allowed: { status: 405, when: 'The address does not offer the method.', header: '`Allow`' },
  request_timeout: { status: 408, when: 'The request was not sent completely in time.' },
  payment_identifier_used: { status: 409, when: 'The payment identifier stands for another search.' },
  last_credential: { status: 409, when: 'Account page: the last wallet or passkey of an account cannot be removed.' },
  already_registered: { status: 409, when: 'Account page: the wallet or passkey belongs to an account already.' },
  too_many: { status: 409, when: 'Account page: the account has as many of these as it may.' },
  body_too_large: { status: 413, when: 'The body is over 256 KiB, unpacked.' },
  unsupported_media_type: {
    status: 415,
    when: 'The body is not JSON in UTF-8, or is packed in a way that is not supported.',
    header: '`Accept`',
  },
  expectation_failed: { status: 417, when: 'An `Expect` other than `100-continue`.' },
  rate_limited: {
    status: 429,
    when: 'The minute has fewer calls left than this request costs; without a key, an address has asked too often.',
    header: '`Retry-After`',
  },
  quota_exceeded: {
    status: 429,
    when: 'The month has fewer calls left; the message says when the next one begins.',
    header: '`Retry-After`',
  },
  too_many_cursors: {
    status: 429,
    when: 'The account keeps too many cursors open; follow one to its end, or wait.',
    header: '`Retry-After`',
  },
  too_many_payments: {
    status: 429,
    when: 'This payer has 8 payments in progress, or 16 requests with payments; nothing was charged.',
    header: '`Retry-After`',
  },
  headers_too_large: { status: 431, when: 'Request line and headers are over 16 KiB.' },
  search_unavailable: {
    status: 500,
    when: 'Elasticsearch failed, was too slow or refused; retry later. Nothing is charged.',
  },
  internal_error: { status: 500, when: 'A bug; the log has it under the request id.' },
  service_unavailable: {
    status: 503,
    when: 'Postgres cannot be asked, for the key or for entities.',
    header: '`Retry-After`',
  },
  overloaded: {
    status: 503,
    when: 'Too many requests are in progress; nothing was done, counted or charged. Repeat it.',
    header: '`Retry-After`',
  },
  facilitator_unavailable: {
    status: 503,
    when: 'The facilitator cannot be asked; nothing was charged. Repeat the same payment.',
    header: '`Retry-After`',
  },
  chain_unavailable: {
    status: 503,
    when: "The chain's node cannot be asked; nothing was charged. Repeat the same payment.",
    header: '`Retry-After`',
  },
  shutting_down: {
    status: 503,
    when: 'The server is about to stop; nothing was charged. Repeat the same payment.',
    header: '`Retry-After`',
  },
  payment_in_progress: {
    status: 503,
    when: 'Another request works on the same purchase. Repeat the same payment.',
    header: '`Retry-After`',
  },
  settlement_unknown: {
    status: 503,
    when: 'Whether money moved is not known yet. Repeat the same payment; it is found out.',
    header: '`Retry-After`',
  },
} as const satisfies Readonly<Record<string, Meaning>>;

export type ErrorCode = keyof typeof errorCodes;
