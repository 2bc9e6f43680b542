import type { z } from 'zod';
import type { Json } from '../../lib/wire-schema.ts';
import { type HeaderName, headerRefs, limitHeaders } from './headers.ts';
import { jsonContent, keyedErrors } from './responses.ts';

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
  /** Of the answer, beside those that each has. */
  readonly headers?: readonly HeaderName[];
  /** Responses beside 200 and the errors of every keyed endpoint, by status. */
  readonly responses?: Json;
}

/** The operation of an endpoint that needs a key. */
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
