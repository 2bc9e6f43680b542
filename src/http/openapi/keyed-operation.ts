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
