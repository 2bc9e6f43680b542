import type { z } from 'zod';
import { kindNames } from '../../kinds/kind.ts';
import type { Json } from '../../lib/wire-schema.ts';
import type { ErrorCode } from '../errors/codes.ts';
import {
  errorBody,
  InternalError,
  InvalidParameters,
  KeyRefused,
  Overloaded,
  PlanInactive,
  RateLimited,
  SearchFailed,
  ServiceUnavailable,
} from '../errors/errors.ts';
import { accountComponents, components, errorAnswer, problem } from './components.ts';
import { type HeaderName, headerRefs, limitHeaders } from './headers.ts';
import { pascalCase } from './name-schemas.ts';
import { toSchema } from './to-schema.ts';

/** Returns a reference to a component. */
export function schemaRef(schema: z.ZodType): Json {
  const { id } = components.get(schema) ?? accountComponents.get(schema) ?? {};
  if (id === undefined) throw new Error('The schema of an answer is not a component; register it.');
  return { $ref: `#/components/schemas/${id}` };
}

/** Returns the content of a response with a component's schema, and examples by title. */
export function jsonContent(schema: z.ZodType, examples: Json = {}): Json {
  const titled = Object.entries(examples).map(([title, value]) => [title, { value }] as const);
  return {
    'application/json': {
      schema: schemaRef(schema),
      ...(titled.length === 0 ? {} : { examples: Object.fromEntries(titled) }),
    },
  };
}

interface ErrorAnswer {
  readonly description: string;
  /**
   * Name of its schema in the document, by default from the first code. Other errors with the same code need another.
   */
  readonly title?: string;
  /** An example, whose code is the first one. */
  readonly example: Parameters<typeof errorBody>[0];
  readonly otherCodes?: readonly string[];
  readonly headers?: readonly HeaderName[];
}

/** Returns a response for errors with one of a few codes. */
export function errorResponse({ description, example, otherCodes = [], headers = [], title }: ErrorAnswer): Json {
  const codes = [example.reply.code, ...otherCodes];
  return {
    description,
    headers: headerRefs(['X-Request-Id', ...headers]),
    content: { 'application/json': { schema: errorSchema(codes, title), example: errorBody(example) } },
  };
}

/**
 * Returns the schema of errors with a few codes. It repeats the general schema, which generators of clients handle
 * best.
 */
export function errorSchema(codes: readonly string[], title = `${errorName(codes)}Error`): Json {
  // The schema is an object's.
  const { properties, ...rest } = toSchema(errorAnswer, 'output') as Json & {
    readonly properties: Readonly<Record<string, Json>>;
  };
  const { error, code: { description } = {}, details } = properties;
  const listed = codes.includes('invalid_parameter') ? { details: { ...details, items: schemaRef(problem) } } : {};
  return { title, ...rest, properties: { error, code: { type: 'string', enum: codes, description }, ...listed } };
}

function errorName([code = '']: readonly string[]): string {
  return pascalCase(code).replace(/Error$/, '');
}

/** Returns an error that occurs before the app sees the request. */
function rawError(code: ErrorCode, message: string) {
  return { message, reply: { code } };
}

/** Errors of every address by status. */
export const commonErrors = {
  400: errorResponse({
    description: 'The request is not valid HTTP, for example without a Host, or with two.',
    example: rawError('malformed_request', 'An HTTP/1.1 request must have exactly one valid Host header.'),
  }),
  408: errorResponse({
    description: 'The request was not sent completely in time.',
    example: rawError('request_timeout', 'The request was not sent completely in time.'),
  }),
  417: errorResponse({
    description: 'The Expect header is not 100-continue.',
    example: rawError('expectation_failed', 'The only supported value of Expect is 100-continue.'),
  }),
  431: errorResponse({
    description: 'Request line and headers are over 16 KiB.',
    example: rawError('headers_too_large', 'The request line and headers are over 16384 bytes.'),
  }),
  500: errorResponse({
    description: 'A bug; the log has it under the request id.',
    example: new InternalError(null),
  }),
  default: {
    description: 'Any other error, such as 405 for another method.',
    headers: headerRefs(['X-Request-Id']),
    content: jsonContent(errorAnswer),
  },
} as const;

const missingType = {
  path: 'type',
  message: `is required, and must be one of ${[...kindNames, 'all'].join(', ')}`,
};

export const invalidParameters = {
  description: 'Parameters are missing, unknown, repeated, out of range or do not fit each other; lists all problems.',
  example: new InvalidParameters([missingType]),
} as const;

export const badParameters = errorResponse({ ...invalidParameters, otherCodes: ['malformed_request'] });

/** The 503 of addresses that need no other system. */
export const loadErrors = {
  503: errorResponse({
    description: 'Too many requests are in progress.',
    example: new Overloaded(),
    headers: ['Retry-After'],
  }),
} as const;

/** Errors of every keyed address by status. */
export const keyedErrors = {
  ...commonErrors,
  400: errorResponse({
    ...invalidParameters,
    otherCodes: ['malformed_request'],
    headers: limitHeaders,
  }),
  401: errorResponse({
    description: 'The key is missing, malformed, unknown, revoked or expired. These are not distinguished.',
    example: new KeyRefused(),
    headers: ['X-Request-Cost', 'WWW-Authenticate'],
  }),
  403: errorResponse({
    description: 'The key is valid, but its account or plan is not active.',
    example: new PlanInactive(),
    headers: ['X-Request-Cost'],
  }),
  500: errorResponse({
    description: 'A bug; the log has it under the request id. Costs nothing.',
    example: new InternalError(null),
    headers: limitHeaders,
  }),
  503: errorResponse({
    description:
      'Postgres is not available (service_unavailable), or too many requests are in progress (overloaded). Costs nothing.',
    example: new ServiceUnavailable(null),
    otherCodes: ['overloaded'],
    headers: [...limitHeaders, 'Retry-After'],
  }),
} as const;

const rateLimited = new RateLimited(1, { limit: 60, left: 0, resetMs: 12_000 });

/** The 429 of counted endpoints. */
export const limitErrors = {
  429: errorResponse({
    description: "The minute's (rate_limited) or the month's (quota_exceeded) calls are used up. Costs nothing.",
    example: rateLimited,
    otherCodes: ['quota_exceeded'],
    headers: [...limitHeaders, 'Retry-After'],
  }),
} as const;

/** The 429 of endpoints with cursors. */
export const cursorLimitErrors = {
  429: errorResponse({
    title: 'SearchLimitedError',
    description:
      "The minute's (rate_limited) or the month's (quota_exceeded) calls are used up, or too many cursors are open (too_many_cursors). Costs nothing.",
    example: rateLimited,
    otherCodes: ['quota_exceeded', 'too_many_cursors'],
    headers: [...limitHeaders, 'Retry-After'],
  }),
} as const;

/** The 500 of endpoints that use Elasticsearch. */
export const searchErrors = {
  500: errorResponse({
    description: 'Elasticsearch failed, timed out or refused the search; retry later. Costs nothing.',
    example: new SearchFailed('timeout', null),
    otherCodes: ['internal_error'],
    headers: limitHeaders,
  }),
} as const;

interface KeyedOperation {
  readonly operationId: string;
  readonly tag: 'Search' | 'Records' | 'Account';
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  /** Schema of the answer, a component. */
  readonly answer: z.ZodType;
  /** Answers by title. */
  readonly examples: Json;
  /** Headers of the answer, in addition to the usual ones. */
  readonly headers?: readonly HeaderName[];
  /** Responses by status, in addition to 200 and the errors of every keyed endpoint. */
  readonly responses?: Json;
}

/** Returns the operation of an endpoint that needs a key. */
export function keyedOperation({ tag, answer, examples, headers = [], responses, ...rest }: KeyedOperation): Json {
  return {
    ...rest,
    tags: [tag],
    security: [{ apiKey: [] }],
    responses: {
      200: {
        description: 'The answer.',
        headers: headerRefs(['X-Request-Id', ...limitHeaders, ...headers]),
        content: jsonContent(answer, examples),
      },
      ...keyedErrors,
      ...responses,
    },
  };
}
