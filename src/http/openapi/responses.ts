import type { z } from 'zod';
import type { Json } from '../../lib/wire-schema.ts';
import { components, errorAnswer } from './components.ts';
import { type HeaderName, headerRefs, limitHeaders } from './headers.ts';

/** Where the document has a schema. */
export function schemaRef(schema: z.ZodType): Json {
  const { id } = components.get(schema) ?? {};
  if (id === undefined) throw new Error('a schema of an answer is no component');
  return { $ref: `#/components/schemas/${id}` };
}

/** A body of a component's schema, with examples by title. */
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
  readonly codes: readonly [string, ...string[]];
  readonly headers?: readonly HeaderName[];
  /** A body as it comes, without its code, which is the first. */
  readonly error: string;
  readonly details?: readonly { readonly path: string; readonly message: string }[];
}

/** An answer of the one form of errors, whose `code` is one of a few. */
export function errorResponse({ description, codes, headers = [], error, details }: ErrorAnswer): Json {
  const [code] = codes;
  const schema = {
    allOf: [schemaRef(errorAnswer), { properties: { code: { enum: codes } } }],
  };
  const example = { error, code, ...(details === undefined ? {} : { details }) };
  return {
    description,
    headers: headerRefs(['X-Request-Id', ...headers]),
    content: { 'application/json': { schema, example } },
  };
}

const missingType = 'is required, and must be one of companies, people, investors, events, all';

/** Errors that any address may answer with, by status. */
export const commonErrors = {
  400: errorResponse({
    description: 'The request is not valid HTTP: for example without a Host, or with two.',
    codes: ['malformed_request'],
    error: 'An HTTP/1.1 request must have exactly one valid Host header.',
  }),
  408: errorResponse({
    description: 'The request was not sent completely in time.',
    codes: ['request_timeout'],
    error: 'The request was not sent completely in time.',
  }),
  417: errorResponse({
    description: 'An Expect other than 100-continue.',
    codes: ['expectation_failed'],
    error: 'The only expectation that is understood is 100-continue.',
  }),
  431: errorResponse({
    description: 'Request line and headers are over 16 KiB.',
    codes: ['headers_too_large'],
    error: 'The request line and headers are over 16384 bytes.',
  }),
  500: errorResponse({
    description: 'A bug; the log has it under the request id.',
    codes: ['internal_error'],
    error: 'Internal server error',
  }),
} as const;

export const invalidParameters = {
  description:
    'Parameters are missing, unknown, repeated, out of range or do not fit each other; all problems at once.',
  error: `Invalid parameter "type": ${missingType}.`,
  details: [{ path: 'type', message: missingType }],
} as const;

export const badParameters = errorResponse({ ...invalidParameters, codes: ['invalid_parameter', 'malformed_request'] });

/** 503 of an address that needs no other system. */
export const loadErrors = {
  503: errorResponse({
    description: 'Too many requests are under way here.',
    codes: ['overloaded'],
    headers: ['Retry-After'],
    error: 'Too many requests are under way here: nothing was done or charged for this one, retry in a second.',
  }),
} as const;

/** Errors of every keyed address, by status. */
export const keyedErrors = {
  ...commonErrors,
  400: errorResponse({
    ...invalidParameters,
    codes: ['invalid_parameter', 'malformed_request'],
    headers: limitHeaders,
  }),
  401: errorResponse({
    description: 'The key is missing, malformed, unknown, revoked or expired; which of these is not told.',
    codes: ['invalid_api_key'],
    headers: ['X-Request-Cost', 'WWW-Authenticate'],
    error: 'The API key is missing or invalid: send a valid one as "Authorization: Bearer <API_KEY>".',
  }),
  403: errorResponse({
    description: 'The key is good, but its account or plan is not active.',
    codes: ['plan_inactive'],
    headers: ['X-Request-Cost'],
    error: "The API key is valid, but its account's plan is not active: renew it in the account settings.",
  }),
  500: errorResponse({
    description: 'A bug; the log has it under the request id. Costs nothing.',
    codes: ['internal_error'],
    headers: limitHeaders,
    error: 'Internal server error',
  }),
  503: errorResponse({
    description:
      'Postgres can not be asked now (service_unavailable), or too many requests are under way here (overloaded). Costs nothing.',
    codes: ['service_unavailable', 'overloaded'],
    headers: [...limitHeaders, 'Retry-After'],
    error: 'The service is temporarily unavailable: retry in a few seconds.',
  }),
} as const;

/** 429 of what is counted. */
export const limitErrors = {
  429: errorResponse({
    description: "The minute's (rate_limited) or the month's (quota_exceeded) calls are used up. Costs nothing.",
    codes: ['rate_limited', 'quota_exceeded'],
    headers: [...limitHeaders, 'Retry-After'],
    error: 'Too many calls: this one costs 1, and 0 of 60 a minute are left. Please retry in 12 s.',
  }),
} as const;

/** 429 of what hands out cursors. */
export const cursorLimitErrors = {
  429: errorResponse({
    description:
      "The minute's (rate_limited) or the month's (quota_exceeded) calls are used up, or too many walks by cursor are kept open (too_many_walks). Costs nothing.",
    codes: ['rate_limited', 'quota_exceeded', 'too_many_walks'],
    headers: [...limitHeaders, 'Retry-After'],
    error: 'Too many calls: this one costs 1, and 0 of 60 a minute are left. Please retry in 12 s.',
  }),
} as const;

/** 500 of what asks Elasticsearch. */
export const searchErrors = {
  500: errorResponse({
    description: 'The external search service failed, was too slow or refused; retry later. Costs nothing.',
    codes: ['search_unavailable', 'internal_error'],
    headers: limitHeaders,
    error: 'External search service error: the search could not be done now, retry later.',
  }),
} as const;
