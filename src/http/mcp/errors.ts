import type { Json } from '../../lib/wire-schema.ts';
import type { Context } from '../context.ts';
import type { Installation } from '../endpoint.ts';
import { ApiError, errorBody, errorOf } from '../errors/errors.ts';
import { answerJson } from '../response/json.ts';

/** Codes of JSON-RPC 2.0, and the statuses that the protocol has for them. */
const problems = {
  parseError: { code: -32_700, status: 400 },
  invalidRequest: { code: -32_600, status: 400 },
  methodNotFound: { code: -32_601, status: 404 },
  // The same as the SDK's status.
  invalidParams: { code: -32_602, status: 200 },
} as const;

/** A message that is refused before the SDK reads it. */
export class RefusedMessage extends Error {
  readonly problem: keyof typeof problems;
  /** The message's id, or null without a valid one. */
  readonly id: string | number | null;

  constructor(problem: keyof typeof problems, message: string, id: unknown = null) {
    super(message);
    this.name = 'RefusedMessage';
    this.problem = problem;
    this.id = typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id)) ? id : null;
  }
}

/** Answers with an error of JSON-RPC 2.0. */
export function answerRefused(ctx: Context, { problem, id, message }: RefusedMessage): void {
  const { code, status } = problems[problem];
  ctx.status = status;
  answerJson(ctx, { jsonrpc: '2.0', id, error: { code, message, data: { requestId: ctx.state.requestId } } });
}

/** Returns an error as data for programs: the body of the HTTP routes with `Retry-After` and the request's id. */
export function errorData(error: ApiError, { state }: Context): Json {
  const seconds = retryAfterSeconds(error);
  return {
    ...errorBody(error),
    ...(seconds === null ? {} : { retryAfterSeconds: seconds }),
    requestId: state.requestId,
  };
}

/** Maximum number of problems in the text. The data has more. */
const textProblemsMax = 10;

/** Returns an error as text for models, with the next step, the time to wait and the request's id. */
export function errorText(error: ApiError, { state }: Context): string {
  const { code, details = [] } = error.reply;
  const problems = details.slice(0, textProblemsMax).map(({ path, message }) => `"${path}": ${message}.`);
  const sentence = problems.length > 1 ? `Several arguments are wrong. ${problems.join(' ')}` : error.message;
  const seconds = retryAfterSeconds(error);
  const retry = seconds === null ? [] : [`retry after ${seconds} s`];
  return `${sentence} (${[`code ${code}`, ...retry, `request ${state.requestId}`].join(', ')})`;
}

function retryAfterSeconds({ reply }: ApiError): number | null {
  const seconds = Number(reply.headers?.['Retry-After']);
  return Number.isFinite(seconds) ? seconds : null;
}

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
