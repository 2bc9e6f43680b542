import type { Allowance } from '../../access/quota.ts';
import { dayMs, toSeconds } from '../../lib/durations.ts';
import type { ErrorCode } from './codes.ts';

/** One thing that is wrong with a request. `path` names the parameter or the place in the body. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** How an error is answered. `code` is stable and meant for programs; `details` only where there are several problems. */
interface Reply {
  readonly status: number;
  readonly code: ErrorCode;
  readonly headers?: Readonly<Record<string, string>>;
  readonly details?: readonly Problem[];
}

/** An error that the caller is told about. Its message is the sentence in the body: no host name, query or stack. */
export abstract class ApiError extends Error {
  abstract readonly reply: Reply;

  /** Without a stack, which nobody is ever shown and which costs as much as a whole layer: of a bug its cause is told. */
  constructor(message: string, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Every list in an answer has a limit; more problems than this help nobody. */
const problemsMax = 50;

export class InvalidParameters extends ApiError {
  override readonly name = 'InvalidParameters';
  readonly reply: Reply;

  constructor(problems: readonly [Problem, ...Problem[]]) {
    const [first, ...rest] = problems;
    const more = rest.length === 0 ? '' : ` (and ${rest.length} more: see details)`;
    super(`Invalid parameter "${first.path}": ${first.message}${more}.`);
    this.reply = { status: 400, code: 'invalid_parameter', details: problems.slice(0, problemsMax) };
  }
}

/** Not a cursor of ours, or one of another question. */
export class InvalidCursor extends ApiError {
  override readonly name = 'InvalidCursor';
  readonly reply: Reply = { status: 400, code: 'invalid_cursor' };

  constructor() {
    super(
      'Invalid parameter "cursor": is not one that this search gave; send data.nextCursor unchanged, with the same other parameters and without page.',
    );
  }
}

/** A cursor that was good once: what it walks through is not kept any longer. */
export class CursorExpired extends ApiError {
  override readonly name = 'CursorExpired';
  readonly reply: Reply = { status: 400, code: 'cursor_expired' };

  constructor(cause?: unknown) {
    super('Invalid parameter "cursor": has expired; begin again with the first page, without a cursor.', { cause });
  }
}

/** The request itself can't be understood, before any parameter of it is looked at. */
class MalformedRequest extends ApiError {
  override readonly name = 'MalformedRequest';
  readonly reply: Reply = { status: 400, code: 'malformed_request' };

  constructor(cause?: unknown) {
    super('The request is malformed: check its address and headers.', { cause });
  }
}

/** Missing, malformed, unknown, revoked and expired keys are not told apart, so that nothing is learnt by trying. */
export class KeyRefused extends ApiError {
  override readonly name = 'KeyRefused';
  readonly reply: Reply = { status: 401, code: 'invalid_api_key', headers: { 'WWW-Authenticate': 'Bearer' } };

  constructor() {
    super('The API key is missing or invalid: send a valid one as "Authorization: Bearer <API_KEY>".');
  }
}

export class PlanInactive extends ApiError {
  override readonly name = 'PlanInactive';
  readonly reply: Reply = { status: 403, code: 'plan_inactive' };

  constructor() {
    super("The API key is valid, but its account's plan is not active: renew it in the account settings.");
  }
}

/** The minute has not as many calls left as the request costs. */
export class RateLimited extends ApiError {
  override readonly name = 'RateLimited';
  readonly reply: Reply;

  constructor(cost: number, { limit, left, resetMs }: Allowance) {
    const seconds = toSeconds(resetMs);
    const retry = cost > limit ? 'send fewer identifiers at once' : `retry in ${seconds} s`;
    super(`Too many calls: this one costs ${cost}, and ${left} of ${limit} a minute are left. Please ${retry}.`);
    this.reply = { status: 429, code: 'rate_limited', headers: { 'Retry-After': String(seconds) } };
  }
}

/** The month has not as many calls left as the request costs. */
export class QuotaExceeded extends ApiError {
  override readonly name = 'QuotaExceeded';
  readonly reply: Reply;

  constructor(cost: number, { limit, left, resetMs }: Allowance, nowMs: number) {
    // Months begin on whole days; the database's clock and ours may differ a little.
    const reset = new Date(Math.round((nowMs + resetMs) / dayMs) * dayMs).toISOString().slice(0, 10);
    super(
      `The quota is exceeded: this call costs ${cost}, and ${left} of ${limit} a month are left until ${reset} (UTC). Wait, or change the plan.`,
    );
    this.reply = { status: 429, code: 'quota_exceeded', headers: { 'Retry-After': String(toSeconds(resetMs)) } };
  }
}

/** The account keeps as many walks open as it may. */
export class TooManyWalks extends ApiError {
  override readonly name = 'TooManyWalks';
  readonly reply: Reply;

  /** @param leftMs until the first of them has ended, if nobody goes on with it */
  constructor(max: number, leftMs: number) {
    const seconds = Math.max(1, toSeconds(leftMs));
    super(
      `Too many walks by cursor are under way: ${max} of this account are kept here. Walk one of them to its end, or retry in ${seconds} s.`,
    );
    this.reply = { status: 429, code: 'too_many_walks', headers: { 'Retry-After': String(seconds) } };
  }
}

export class RecordNotFound extends ApiError {
  override readonly name = 'RecordNotFound';
  readonly reply: Reply = { status: 404, code: 'not_found' };

  constructor(kind: string) {
    super(`None of the ${kind} has this id or slug: search for it, or check the spelling.`);
  }
}

/** The body is no JSON that can be read, or no object. */
export class MalformedBody extends ApiError {
  override readonly name = 'MalformedBody';
  readonly reply: Reply = { status: 400, code: 'malformed_body' };

  constructor(what: string, cause?: unknown) {
    super(`The body ${what}: send one JSON object.`, { cause });
  }
}

export class BodyTooLarge extends ApiError {
  override readonly name = 'BodyTooLarge';
  readonly reply: Reply = { status: 413, code: 'body_too_large' };

  constructor(maxBytes: number) {
    super(`The body is over ${maxBytes} bytes: send fewer identifiers.`);
  }
}

export class BodyNotJson extends ApiError {
  override readonly name = 'BodyNotJson';
  readonly reply: Reply = { status: 415, code: 'unsupported_media_type', headers: { Accept: 'application/json' } };

  constructor() {
    super('The body must be JSON in UTF-8, sent with "Content-Type: application/json".');
  }
}

export class RouteNotFound extends ApiError {
  override readonly name = 'RouteNotFound';
  readonly reply: Reply = { status: 404, code: 'not_found' };

  constructor() {
    super('There is nothing at this address: check its path.');
  }
}

export class MethodNotAllowed extends ApiError {
  override readonly name = 'MethodNotAllowed';
  readonly reply: Reply;

  constructor(allowed: readonly string[]) {
    const list = allowed.join(', ');
    super(`This address does not offer the method used: it offers ${list}.`);
    this.reply = { status: 405, code: 'method_not_allowed', headers: { Allow: list } };
  }
}

/** Elasticsearch failed, whatever the way; which one stands in the log only. */
export class SearchFailed extends ApiError {
  override readonly name = 'SearchFailed';
  readonly reply: Reply = { status: 500, code: 'search_unavailable' };
  readonly reason: string;

  /** @param more a sentence for callers who want to know what that means for them */
  constructor(reason: string, cause: unknown, more = '') {
    super(`External search service error: the search could not be done now, retry later. ${more}`.trimEnd(), { cause });
    this.reason = reason;
  }
}

/** The paid search is not set up here, and will not be by asking again; everything else works. */
export class PaidSearchOff extends ApiError {
  override readonly name = 'PaidSearchOff';
  readonly reply: Reply = { status: 404, code: 'paid_search_off' };

  constructor() {
    super('Pay-per-use search is not offered by this installation: no recipient is configured. Use the keyed API.');
  }
}

/** Seconds after which a caller may try again when Postgres could not be asked. */
const retryAfterSeconds = '2';

/** Postgres could not be asked for something that the endpoint can't do without. */
export class ServiceUnavailable extends ApiError {
  override readonly name = 'ServiceUnavailable';
  readonly reply: Reply = { status: 503, code: 'service_unavailable', headers: { 'Retry-After': retryAfterSeconds } };

  constructor(cause: unknown) {
    super('The service is temporarily unavailable: retry in a few seconds.', { cause });
  }
}

/** More is under way than is good for those who are served; refused before any of the work. */
export class Overloaded extends ApiError {
  override readonly name = 'Overloaded';
  readonly reply: Reply = { status: 503, code: 'overloaded', headers: { 'Retry-After': '1', 'X-Request-Cost': '0' } };

  constructor() {
    super('Too many requests are under way here: nothing was done or charged for this one, retry in a second.');
  }
}

/** What a caller is told of an error that is a bug of ours: nothing. */
export class InternalError extends ApiError {
  override readonly name = 'InternalError';
  readonly reply: Reply = { status: 500, code: 'internal_error' };

  constructor(cause: unknown) {
    super('Internal server error', { cause });
  }
}

/** The error to answer with, for anything that was thrown. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  // Koa and its middleware mark errors that are the caller's with a 4xx status.
  const status = thrown instanceof Error && 'status' in thrown ? Number(thrown.status) : 500;
  return status >= 400 && status < 500 ? new MalformedRequest(thrown) : new InternalError(thrown);
}

/** The one form of every error body. */
export function errorBody(error: ApiError): Record<string, unknown> {
  const { code, details } = error.reply;
  return { error: error.message, code, ...(details === undefined ? {} : { details }) };
}
