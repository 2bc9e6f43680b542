import type { Json } from '../../lib/wire-schema.ts';
import type { Context } from '../context.ts';
import { type ApiError, errorBody } from '../errors/errors.ts';

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
