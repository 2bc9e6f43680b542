import type { z } from 'zod';
import type { Json } from '../../lib/wire-schema.ts';
import type { Operation } from '../endpoint.ts';
import { accountComponents, components } from './components.ts';
import { type HeaderName, headerRefs, limitHeaders } from './headers.ts';

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
  /** Responses by status, in addition to 200 and errors. */
  readonly responses?: Json;
}

/** Returns the operation of an endpoint that needs a key. */
export function keyedOperation({ tag, answer, examples, headers = [], responses, ...rest }: KeyedOperation): Operation {
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
      ...responses,
    },
  };
}
