interface Meaning {
  readonly status: number;
  /** The condition, for callers. */
  readonly when: string;
  readonly header?: string;
}

/** An error that may be gone after the time in `Retry-After`. */
function later<const Status extends number>(status: Status, when: string) {
  return { status, when, header: '`Retry-After`' };
}

/** Every `code` of an error's body, except the reasons in a 402. `npm run docs` generates docs/reference/errors.md from it. */
export const errorCodes = {
  invalid_parameter: { status: 400, when: 'A parameter is missing, unknown, repeated or out of range.' },
  invalid_cursor: { status: 400, when: 'The cursor was changed, or belongs to another address or other parameters.' },
  cursor_expired: { status: 400, when: 'The cursor has expired. Start again from the first page.' },
  removals_unknown: { status: 400, when: 'Removals since this cursor are unknown. List everything again.' },
  exceeds_plan: {
    status: 400,
    when: 'The request costs more calls than the plan ever allows. Send fewer identifiers. It costs nothing.',
  },
  malformed_request: { status: 400, when: 'The request is not valid HTTP, or does not have exactly one valid `Host`.' },
  malformed_body: { status: 400, when: 'The body is not a JSON object.' },
  invalid_api_key: {
    status: 401,
    when: 'The key is missing, malformed, unknown, revoked or expired.',
    header: '`WWW-Authenticate: Bearer`',
  },
  not_signed_in: { status: 401, when: 'Account page: the browser is not signed in, or the session has ended.' },
  sign_in_failed: {
    status: 401,
    when: 'Account page: the signature is wrong, or the challenge has expired, was used, or belongs to another browser.',
  },
  payment_required: {
    status: 402,
    when: 'The request has no payment. Sign one of the accepted payments. Every other code of a 402 is the reason why a payment was refused; nothing was charged, and you can sign a new one.',
    header: '`PAYMENT-REQUIRED`',
  },
  x402_v1_not_supported: {
    status: 402,
    when: 'The payment is in the header `X-PAYMENT` of x402 version 1. Send `PAYMENT-SIGNATURE` of version 2.',
    header: '`PAYMENT-REQUIRED`',
  },
  plan_inactive: { status: 403, when: 'The key is valid, but its account or plan is not active.' },
  foreign_origin: {
    status: 403,
    when: 'Account page: the change came from another site. MCP: the origin is not allowed.',
  },
  confirmation_required: {
    status: 403,
    when: 'Account page: the change needs a fresh signature of a wallet or passkey of the account.',
  },
  operator_only: { status: 403, when: 'Account page: the account is not an operator.' },
  sign_up_closed: { status: 403, when: 'Account page: the wallet has no account, and sign-up is closed for it.' },
  account_suspended: { status: 403, when: 'Account page: the account is suspended.' },
  invitation_invalid: { status: 404, when: 'Account page: the invitation is unknown, used or expired.' },
  not_found: { status: 404, when: 'The address does not exist, or no entity has the id or slug.' },
  paid_search_off: { status: 404, when: 'This installation sells no searches. Retrying does not help.' },
  method_not_allowed: { status: 405, when: 'The address does not support the method.', header: '`Allow`' },
  request_timeout: { status: 408, when: 'The request was not sent completely in time.' },
  payment_identifier_used: { status: 409, when: 'The payment identifier belongs to another search.' },
  last_credential: { status: 409, when: 'Account page: the last wallet or passkey of an account cannot be removed.' },
  already_registered: { status: 409, when: 'Account page: the wallet or passkey already belongs to an account.' },
  too_many: { status: 409, when: 'Account page: the account has reached its limit.' },
  body_too_large: { status: 413, when: 'The uncompressed body is over 256 KiB.' },
  unsupported_media_type: {
    status: 415,
    when: 'The body is not JSON in UTF-8, or its `Content-Encoding` is not supported.',
    header: '`Accept`',
  },
  expectation_failed: { status: 417, when: 'The `Expect` header is not `100-continue`.' },
  rate_limited: later(
    429,
    'The request costs more calls than are left in this minute. Without a key: the address sent too many requests.',
  ),
  quota_exceeded: later(
    429,
    'The request costs more calls than are left in this month. The message names the start of the next month.',
  ),
  too_many_cursors: later(429, 'The account has too many open cursors. Follow one to its end, or wait.'),
  too_many_payments: later(429, 'The payer has 8 payments or 16 requests in progress. Nothing was charged.'),
  headers_too_large: { status: 431, when: 'The request line and headers are over 16 KiB.' },
  search_unavailable: {
    status: 500,
    when: 'Elasticsearch failed, timed out or refused the search. Retry later. Nothing is charged.',
  },
  internal_error: { status: 500, when: 'The service has a bug. The log has it under the request id.' },
  service_unavailable: later(503, 'Postgres is not available.'),
  overloaded: later(503, 'Too many requests are in progress. Nothing was counted or charged. Repeat the request.'),
  facilitator_unavailable: later(
    503,
    'The facilitator is not available. Nothing was charged. Repeat the same payment.',
  ),
  chain_unavailable: later(503, "The chain's node is not available. Nothing was charged. Repeat the same payment."),
  shutting_down: later(503, 'The server is stopping. Nothing was charged. Repeat the same payment.'),
  payment_in_progress: later(503, 'Another request is processing the same purchase. Repeat the same payment.'),
  settlement_unknown: later(503, 'The result of the settlement is not known yet. Repeat the same payment to find out.'),
} as const satisfies Readonly<Record<string, Meaning>>;

export type ErrorCode = keyof typeof errorCodes;
