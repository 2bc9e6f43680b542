import type { z } from 'zod';
import type { Json } from '../../lib/wire-schema.ts';
import type { Gate, Operation } from '../endpoint.ts';
import { type HeaderName, headerRefs } from './headers.ts';
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
  /** Gates of the endpoint, which decide about the authentication. */
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
  /** Other responses by status. */
  readonly responses?: Json;
}

/** Returns the operation of an endpoint of the account, without errors. */
export function accountOperation(operation: AccountOperation): Operation {
  const { tag, gates, body, content, status = 200, headers = [], responses, ...rest } = operation;
  const requestBody = body && { required: true, content: { 'application/json': { schema: toSchema(body, 'input') } } };
  return {
    ...rest,
    tags: [tag],
    security: securityOf(gates),
    ...(requestBody && { requestBody }),
    responses: {
      [status]: { description: 'The answer.', headers: headerRefs(['X-Request-Id', ...headers]), content },
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
