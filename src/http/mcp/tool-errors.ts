import type { Json } from '../../lib/wire-schema.ts';
import type { Context } from '../context.ts';
import { type ApiError, errorBody } from '../errors/errors.ts';
import { at } from './tools/schemas.ts';

/** What a program is told of an error: the body that the HTTP routes have for it, and what they say in headers. */
export function errorData(error: ApiError, { state }: Context): Json {
  const seconds = retryAfterSeconds(error);
  return {
    ...errorBody(error),
    ...(seconds === null ? {} : { retryAfterSeconds: seconds }),
    requestId: state.requestId,
  };
}

/** Problems that a model is told of at once; a program gets more. */
const toldMax = 10;

/** What a model is told of it: what to do next, when, and what to quote to people. */
export function errorText(error: ApiError, { state }: Context): string {
  const { code, details = [] } = error.reply;
  const problems = details.slice(0, toldMax).map(({ path, message }) => `"${path}": ${message}.`);
  const sentence = problems.length > 1 ? `Several arguments are wrong. ${problems.join(' ')}` : error.message;
  const seconds = retryAfterSeconds(error);
  const retry = seconds === null ? [] : [`retry after ${seconds} s`];
  return `${sentence} (${[`code ${code}`, ...retry, `request ${state.requestId}`].join(', ')})`;
}

function retryAfterSeconds({ reply }: ApiError): number | null {
  const seconds = Number(reply.headers?.['Retry-After']);
  return Number.isFinite(seconds) ? seconds : null;
}

/**
 * A tool's output schema with errors beside answers. Clients that know the schema check the data of errors against it, too
 * (those of the 1.x SDK do), so the root is open, and what must be there is said for each of the two.
 */
export function orError(answer: Json): Json {
  const { additionalProperties: _, required = [], ...rest } = answer;
  return {
    ...rest,
    properties: {
      ...at(answer, 'properties'),
      error: { type: 'string', description: 'Only of errors: what to do' },
      code: { type: 'string' },
      retryAfterSeconds: { type: 'number' },
      requestId: { type: 'string' },
    },
    anyOf: [{ required }, { required: ['error'] }],
  };
}
