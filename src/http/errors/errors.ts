import type { Allowance } from '../../access/quota.ts';
import { dayMs, toSeconds } from '../../lib/durations.ts';
import { counted } from '../../lib/text/counted.ts';
import { type ErrorCode, errorCodes } from './codes.ts';

/** One thing that is wrong with a request. `path` names the parameter or the place in the body. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

interface Reply {
  /** Stable and meant for programs; the status follows from it. */
  readonly code: ErrorCode;
  readonly headers?: Readonly<Record<string, string>>;
  /** Only where there are several problems. */
  readonly details?: readonly Problem[];
}

/** An error that the caller is told about. Its message is the sentence in the body: no host name, query or stack. */
export abstract class ApiError extends Error {
  readonly reply: Reply & { readonly status: number };

  constructor(reply: Reply, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.reply = { status: errorCodes[reply.code].status, ...reply };
  }
}

/** Every list in an answer has a limit; more problems than this help nobody. */
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

/** Not a cursor of ours, or one of another question. */
export class InvalidCursor extends ApiError {
  constructor() {
    super(
      { code: 'invalid_cursor' },
      'Invalid parameter "cursor": is not one that this search gave; send data.nextCursor unchanged, with the same other parameters and without page.',
    );
  }
}

/** A cursor that was good once: the results that it goes on with are not kept any longer. */
export class CursorExpired extends ApiError {
  constructor(cause?: unknown) {
    super(
      { code: 'cursor_expired' },
      'Invalid parameter "cursor": has expired; begin again with the first page, without a cursor.',
      { cause },
    );
  }
}

/** A cursor of removals that is not ours, or of another kind. */
export class InvalidRemovalsCursor extends ApiError {
  constructor() {
    super(
      { code: 'invalid_cursor' },
      'Invalid parameter "cursor": is not one that this address gave for this type; send data.nextCursor unchanged.',
    );
  }
}

/** Nobody knows what was removed since a cursor: too much time has passed, all was removed, or the database is another. */
export class RemovalsUnknown extends ApiError {
  constructor() {
    super(
      { code: 'removals_unknown' },
      'Invalid parameter "cursor": what was removed since is not known any more; ask without a cursor for a new one, then list everything again.',
    );
  }
}

/** The request itself can't be understood, before any parameter of it is looked at. */
class MalformedRequest extends ApiError {
  constructor(cause?: unknown) {
    super({ code: 'malformed_request' }, 'The request is malformed: check its address and headers.', {
      cause,
    });
  }
}

/** Missing, malformed, unknown, revoked and expired keys are not told apart, so that nothing is learnt by trying. */
export class KeyRefused extends ApiError {
  constructor() {
    super(
      { code: 'invalid_api_key', headers: { 'WWW-Authenticate': 'Bearer' } },
      'The API key is missing or invalid: send a valid one as "Authorization: Bearer <API_KEY>".',
    );
  }
}

/** The key is good; what belongs to it is not in use. */
export class PlanInactive extends ApiError {
  /** @param what is not active: somebody else can help with each */
  constructor(what: 'account' | 'plan' = 'plan') {
    super(
      { code: 'plan_inactive' },
      what === 'account'
        ? 'The API key is valid, but its account is not active: ask the operator of this service to activate it.'
        : "The API key is valid, but its account's plan is not active: renew it in the account settings.",
    );
  }
}

/** A request that costs more than the plan ever allows at once: waiting changes nothing. */
export class ExceedsPlan extends ApiError {
  /** @param limit of calls in each of these */
  constructor(cost: number, limit: number, per: 'minute' | 'month') {
    super(
      { code: 'exceeds_plan' },
      `This request is too large for the plan: it costs ${counted(cost, 'call')}, and the plan has ${limit} a ${per}. Send fewer identifiers at once, or change the plan.`,
    );
  }
}

/** The minute has not as many calls left as the request costs. */
export class RateLimited extends ApiError {
  constructor(cost: number, { limit, left, resetMs }: Allowance) {
    const seconds = toSeconds(resetMs);
    super(
      { code: 'rate_limited', headers: { 'Retry-After': String(seconds) } },
      `Too many calls: this one costs ${cost}, and ${left} of ${limit} a minute ${left === 1 ? 'is' : 'are'} left. Please retry in ${seconds} s.`,
    );
  }
}

/** The month has not as many calls left as the request costs. */
export class QuotaExceeded extends ApiError {
  constructor(cost: number, { limit, left, resetMs }: Allowance, nowMs: number) {
    // Months begin on whole days; the database's clock and ours may differ a little.
    const reset = new Date(Math.round((nowMs + resetMs) / dayMs) * dayMs).toISOString().slice(0, 10);
    super(
      { code: 'quota_exceeded', headers: { 'Retry-After': String(toSeconds(resetMs)) } },
      `The quota is exceeded: this call costs ${cost}, and ${left} of ${limit} a month ${left === 1 ? 'is' : 'are'} left until ${reset} (UTC). Wait, or change the plan.`,
    );
  }
}

/** The account keeps as many cursors open as it may. */
export class TooManyCursors extends ApiError {
  /** @param leftMs until the first of them has ended, if nobody uses it */
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

/** This process has no pages, as nobody has built them. */
export class PagesNotBuilt extends ApiError {
  constructor() {
    super(
      { code: 'service_unavailable' },
      'The pages of this service are not built: its operator runs "npm run build" and restarts it. The API works.',
    );
  }
}

/** The body is no JSON that can be read, or no object. */
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

export class BodyNotJson extends ApiError {
  constructor() {
    super(
      { code: 'unsupported_media_type', headers: { Accept: 'application/json' } },
      'The body must be JSON in UTF-8, sent with "Content-Type: application/json", uncompressed or compressed with gzip, deflate or br.',
    );
  }
}

export class RouteNotFound extends ApiError {
  constructor() {
    super({ code: 'not_found' }, 'There is nothing at this address: check its path.');
  }
}

export class MethodNotAllowed extends ApiError {
  constructor(allowed: readonly string[]) {
    const list = allowed.join(', ');
    super(
      { code: 'method_not_allowed', headers: { Allow: list } },
      `This address does not offer the method used: it offers ${list}.`,
    );
  }
}

/** Elasticsearch failed, whatever the way; which one stands in the log only. */
export class SearchFailed extends ApiError {
  readonly reason: string;

  /** @param more a sentence for callers who want to know what that means for them */
  constructor(reason: string, cause: unknown, more = '') {
    super(
      { code: 'search_unavailable' },
      `External search service error: the search could not be done now, retry later. ${more}`.trimEnd(),
      { cause },
    );
    this.reason = reason;
  }
}

/** The paid search is not set up here, and will not be by asking again; everything else works. */
export class PaidSearchOff extends ApiError {
  constructor() {
    super(
      { code: 'paid_search_off' },
      'Pay-per-use search is not offered by this installation: no recipient is configured. Use the keyed API.',
    );
  }
}

/** Seconds after which a caller may try again when Postgres could not be asked. */
const retryAfterSeconds = '2';

/** Postgres, or the chain, could not be asked for something that the endpoint can't do without. */
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

/** More is under way than is good for those who are served; refused before any of the work. */
export class Overloaded extends ApiError {
  constructor() {
    super(
      { code: 'overloaded', headers: { 'Retry-After': '1', 'X-Request-Cost': '0' } },
      'Too many requests are under way here: nothing was done or charged for this one, retry in a second.',
    );
  }
}

/** What a caller is told of an error that is a bug of ours: nothing. */
export class InternalError extends ApiError {
  constructor(cause: unknown) {
    super({ code: 'internal_error' }, 'Internal server error', { cause });
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
export function errorBody(error: { readonly message: string; readonly reply: Reply }): Record<string, unknown> {
  const { code, details } = error.reply;
  return { error: error.message, code, ...(details === undefined ? {} : { details }) };
}
