import type { z } from 'zod';
import type { Json } from '../../lib/wire-schema.ts';
import { components } from './components.ts';

/** Returns a reference to a component. */
export function schemaRef(schema: z.ZodType): Json {
  const { id } = components.get(schema) ?? {};
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
