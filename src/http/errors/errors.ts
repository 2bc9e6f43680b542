import type { Allowance } from '../../access/quota.ts';
import { Unavailable } from '../../account/ports.ts';
import { dayMs, toSeconds } from '../../lib/durations.ts';
import { counted } from '../../lib/text/counted.ts';
import { type ErrorCode, errorCodes } from './codes.ts';

/** A problem of a request. `path` names the parameter or the place in the body. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

interface Reply {
  /** Stable, for programs. It determines the status. */
  readonly code: ErrorCode;
  readonly headers?: Readonly<Record<string, string>>;
  readonly details?: readonly Problem[];
}

/** An error that callers see. Its message is in the body, so it must not contain host names, queries or stacks. */
export abstract class ApiError extends Error {
  readonly reply: Reply & { readonly status: number };

  constructor(reply: Reply, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.reply = { status: errorCodes[reply.code].status, ...reply };
  }
}

/** Returns the class of an error that always has the same message. */
export function errorOf(
  code: ErrorCode,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): new (
  cause?: unknown,
) => ApiError {
  return class extends ApiError {
    constructor(cause?: unknown) {
      super({ code, headers }, message, { cause });
      this.name = code;
    }
  };
}

/** Maximum number of listed problems: more would not help a caller. */
const problemsMax = 50;

export class InvalidParameters extends ApiError {
  constructor(problems: readonly [Problem, ...Problem[]]) {
    const [first, ...rest] = problems;
    const more = rest.length === 0 ? '' : ` (and ${rest.length} more: see details)`;
    super(
      { code: 'invalid_parameter', details: problems.slice(0, problemsMax) },
      `Invalid parameter "${first.path}": ${first.message}${more === '' && first.message.endsWith('?') ? '' : `${more}.`}`,
    );
  }
}

/** A cursor that this service has not issued, or not for this search. */
export const InvalidCursor = errorOf(
  'invalid_cursor',
  'Invalid parameter "cursor": does not belong to this search; send data.nextCursor unchanged, with the same other parameters and without page.',
);

/** A cursor whose results are no longer kept. */
export const CursorExpired = errorOf(
  'cursor_expired',
  'Invalid parameter "cursor": has expired; start again from the first page, without a cursor.',
);

/** A cursor of removals that this service has not issued, or not for this kind. */
export const InvalidRemovalsCursor = errorOf(
  'invalid_cursor',
  'Invalid parameter "cursor": does not belong to this address and type; send data.nextCursor unchanged.',
);

/**
 * Removals since a cursor are unknown: too much time has passed, a table was truncated, or the database was replaced.
 */
export const RemovalsUnknown = errorOf(
  'removals_unknown',
  'Invalid parameter "cursor": the removals since then are unknown; request a new cursor by leaving it out, then list everything again.',
);

const MalformedRequest = errorOf('malformed_request', 'The request is malformed: check its address and headers.');

/**
 * A missing, malformed, unknown, revoked or expired key. These are not distinguished, so that guesses reveal nothing.
 */
export const KeyRefused = errorOf(
  'invalid_api_key',
  'The API key is missing or invalid: send a valid one as "Authorization: Bearer <API_KEY>".',
  { 'WWW-Authenticate': 'Bearer' },
);

/** A valid key whose account or plan is not active. */
export class PlanInactive extends ApiError {
  /** @param what part that is not active */
  constructor(what: 'account' | 'plan' = 'plan') {
    super(
      { code: 'plan_inactive' },
      what === 'account'
        ? 'The API key is valid, but its account is not active: ask the operator of this service to activate it.'
        : "The API key is valid, but its account's plan is not active: renew it in the account settings.",
    );
  }
}

/** A request that costs more than the plan ever allows, so that waiting does not help. */
export class ExceedsPlan extends ApiError {
  /** @param limit calls per minute or month */
  constructor(cost: number, limit: number, per: 'minute' | 'month') {
    super(
      { code: 'exceeds_plan' },
      `This request is too large for the plan: it costs ${counted(cost, 'call')}, and the plan has ${limit} a ${per}. Send fewer identifiers at once, or change the plan.`,
    );
  }
}

export class RateLimited extends ApiError {
  constructor(cost: number, { limit, left, resetMs }: Allowance) {
    const seconds = toSeconds(resetMs);
    super(
      { code: 'rate_limited', headers: { 'Retry-After': String(seconds) } },
      `Too many calls: this one costs ${cost}, and ${left} of ${limit} a minute ${left === 1 ? 'is' : 'are'} left. Please retry in ${seconds} s.`,
    );
  }
}

export class QuotaExceeded extends ApiError {
  constructor(cost: number, { limit, left, resetMs }: Allowance, nowMs: number) {
    // Months begin on whole days. Rounding hides a small difference between the database's clock and this one.
    const reset = new Date(Math.round((nowMs + resetMs) / dayMs) * dayMs).toISOString().slice(0, 10);
    super(
      { code: 'quota_exceeded', headers: { 'Retry-After': String(toSeconds(resetMs)) } },
      `The quota is exceeded: this call costs ${cost}, and ${left} of ${limit} a month ${left === 1 ? 'is' : 'are'} left until ${reset} (UTC). Wait, or change the plan.`,
    );
  }
}

export class TooManyCursors extends ApiError {
  /** @param leftMs time until the first of them expires unless it is used */
  constructor(max: number, leftMs: number) {
    const seconds = Math.max(1, toSeconds(leftMs));
    super(
      { code: 'too_many_cursors', headers: { 'Retry-After': String(seconds) } },
      `Too many cursors are open: this account may have ${max} here. Follow one to its last page, or retry in ${seconds} s.`,
    );
  }
}

export class RecordNotFound extends ApiError {
  constructor(kind: string) {
    super({ code: 'not_found' }, `None of the ${kind} has this id or slug: search for it, or check the spelling.`);
  }
}

export const PagesNotBuilt = errorOf(
  'service_unavailable',
  'The pages of this service are not built: the operator must run "npm run build" and restart it. The API works.',
);

export class MalformedBody extends ApiError {
  constructor(what: string, cause?: unknown) {
    super({ code: 'malformed_body' }, `The body ${what}: send one JSON object.`, { cause });
  }
}

export class BodyTooLarge extends ApiError {
  constructor(maxBytes: number) {
    super({ code: 'body_too_large' }, `The body is over ${maxBytes} bytes: send less.`);
  }
}

export const BodyNotJson = errorOf(
  'unsupported_media_type',
  'The body must be JSON in UTF-8, sent with "Content-Type: application/json", uncompressed or compressed with gzip, deflate or br.',
  { Accept: 'application/json' },
);

export const RouteNotFound = errorOf('not_found', 'There is nothing at this address: check its path.');

export class MethodNotAllowed extends ApiError {
  constructor(allowed: readonly string[]) {
    const list = allowed.join(', ');
    super(
      { code: 'method_not_allowed', headers: { Allow: list } },
      `This address does not offer the method used: it offers ${list}.`,
    );
  }
}

/** A failure of Elasticsearch. Only the log has its reason. */
export class SearchFailed extends ApiError {
  readonly reason: string;

  /** @param more a sentence about the consequences for the caller */
  constructor(reason: string, cause: unknown, more = '') {
    super(
      { code: 'search_unavailable' },
      `External search service error: the search could not be done now, retry later. ${more}`.trimEnd(),
      { cause },
    );
    this.reason = reason;
  }
}

export const PaidSearchOff = errorOf(
  'paid_search_off',
  'Pay-per-use search is not offered by this installation: no recipient is configured. Use the keyed API.',
);

/** Seconds to wait while Postgres or the chain is unavailable. */
const retryAfterSeconds = '2';

/** A failure of Postgres or of the chain's node. */
export class ServiceUnavailable extends ApiError {
  readonly system: 'postgres' | 'chain';

  constructor(cause: unknown, system: 'postgres' | 'chain' = 'postgres') {
    super(
      { code: 'service_unavailable', headers: { 'Retry-After': retryAfterSeconds } },
      'The service is temporarily unavailable: retry in a few seconds.',
      { cause },
    );
    this.system = system;
  }
}

/** The body did not arrive in time. The rest is not read. */
export const RequestTimeout = errorOf('request_timeout', 'The request was not sent completely in time.', {
  Connection: 'close',
});

/** A refusal because of load, before any work. */
export const Overloaded = errorOf(
  'overloaded',
  'Too many requests are in progress: nothing was done or charged for this one, retry in a second.',
  { 'Retry-After': '1', 'X-Request-Cost': '0' },
);

/** A bug. The caller gets no details. */
export const InternalError = errorOf('internal_error', 'Internal server error');

/** Returns the error to answer with, for any thrown value. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof Unavailable) return new ServiceUnavailable(thrown.cause, thrown.system);
  // Koa and its middleware mark errors of the caller with a 4xx status.
  const status = thrown instanceof Error && 'status' in thrown ? Number(thrown.status) : 500;
  return status >= 400 && status < 500 ? new MalformedRequest(thrown) : new InternalError(thrown);
}

export function errorBody(error: { readonly message: string; readonly reply: Reply }): Record<string, unknown> {
  const { code, details } = error.reply;
  return { error: error.message, code, ...(details === undefined ? {} : { details }) };
}
