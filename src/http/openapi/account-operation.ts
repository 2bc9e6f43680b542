import type { z } from 'zod';
import type { Json } from '../../lib/wire-schema.ts';
import type { Gate } from '../endpoint.ts';
import { type ErrorCode, errorCodes } from '../errors/codes.ts';
import { type HeaderName, type headerComponents, headerRefs } from './headers.ts';
import { commonErrors, errorSchema } from './responses.ts';
import { toSchema } from './to-schema.ts';

/** Tags and their descriptions in the order of the document. */
export const accountTags = {
  Account: 'Signing in and out, wallets, passkeys, sessions and events.',
  Keys: 'API keys of the account.',
  Usage: 'Calls of the account.',
  Payments: "Searches that the account's wallets have paid for.",
  Search: 'Search without a key, for the pages.',
  Operator: 'Other accounts, plans and indices, for operators.',
  Documentation: 'This document.',
} as const;
type AccountTag = keyof typeof accountTags;
export const accountTagNames = Object.keys(accountTags) as readonly AccountTag[];

export interface AccountOperation {
  readonly operationId: string;
  readonly tag: AccountTag;
  readonly summary: string;
  readonly description?: string;
  /** Gates of the endpoint, whose errors are documented. */
  readonly gates: readonly Gate[];
  readonly parameters?: readonly Json[];
  /** Schema of the request's body. */
  readonly body?: z.ZodType | undefined;
  /** The answer by media type. */
  readonly content: Json;
  /** Status of the answer. Default 200. */
  readonly status?: 200 | 201;
  /** Headers of the answer, in addition to the request's id. */
  readonly headers?: readonly HeaderName[];
  /** Codes of the errors that are not from a gate. */
  readonly errors?: readonly ErrorCode[];
  /** Other responses by status. */
  readonly responses?: Json;
}

/** Returns the operation of an endpoint of the account. */
export function accountOperation(operation: AccountOperation): Json {
  const { tag, gates, body, content, status = 200, headers = [], errors = [], responses, ...rest } = operation;
  const requestBody = body && { required: true, content: { 'application/json': { schema: toSchema(body, 'input') } } };
  const codes = [...early, ...(body ? bodyErrors : []), ...errors, ...gates.flatMap((gate) => gateErrors[gate] ?? [])];
  const byStatus = Map.groupBy(new Set<ErrorCode>(codes), (code) => errorCodes[code].status);
  return {
    ...rest,
    tags: [tag],
    security: securityOf(gates),
    ...(requestBody && { requestBody }),
    responses: {
      [status]: { description: 'The answer.', headers: headerRefs(['X-Request-Id', ...headers]), content },
      ...commonErrors,
      ...Object.fromEntries([...byStatus].map(([of, same]) => [of, errorsResponse(same)])),
      ...responses,
    },
  };
}

/** Returns a path parameter for an id. */
export function idParameter(description: string): Json {
  return { name: 'id', in: 'path', required: true, description, schema: { type: 'integer', minimum: 1 }, example: 1 };
}

function securityOf(gates: readonly Gate[]): readonly Json[] {
  if (gates.includes('visitor')) return [{}, { session: [] }];
  return gates.includes('session') ? [{ session: [] }] : [];
}

/** Errors of every address. */
const early: readonly ErrorCode[] = ['invalid_parameter', 'malformed_request', 'internal_error', 'service_unavailable'];
const bodyErrors: readonly ErrorCode[] = ['malformed_body', 'body_too_large', 'unsupported_media_type'];
const visitorErrors: readonly ErrorCode[] = [
  'not_signed_in',
  'account_suspended',
  'plan_inactive',
  'rate_limited',
  'quota_exceeded',
];

const gateErrors: Readonly<Partial<Record<Gate, readonly ErrorCode[]>>> = {
  slot: ['overloaded'],
  'same origin': ['foreign_origin'],
  'session if given': ['rate_limited'],
  session: ['not_signed_in', 'account_suspended', 'rate_limited'],
  operator: ['operator_only'],
  attempt: ['rate_limited'],
  visitor: visitorErrors,
};

/** Returns the response for errors of one status. */
function errorsResponse(codes: readonly ErrorCode[]): Json {
  return {
    description: codes
      .map((code) => `\`${code}\`: ${errorCodes[code].when.replace('Account page: ', '')}`)
      .join('\n\n'),
    headers: headerRefs([
      'X-Request-Id',
      ...errorHeaders.filter((name) => codes.some((code) => hasHeader(code, name))),
    ]),
    content: { 'application/json': { schema: errorSchema(codes) } },
  };
}

/** Headers that errors of the account may have. */
const errorHeaders = ['Retry-After', 'Accept'] as const satisfies readonly (keyof typeof headerComponents)[];

function hasHeader(code: ErrorCode, name: HeaderName): boolean {
  const meaning = errorCodes[code];
  return 'header' in meaning && meaning.header === `\`${name}\``;
}
