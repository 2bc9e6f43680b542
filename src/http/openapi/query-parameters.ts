import type { z } from 'zod';
import type { Json } from '../../lib/wire-schema.ts';
import { toSchema } from './to-schema.ts';

/** The description of a parameter, and an example. */
export interface ParameterText {
  readonly text: string;
  readonly example?: unknown;
}

/** Descriptions of all parameters of a schema. */
export type ParameterTexts<Schema extends z.ZodObject> = Readonly<Record<keyof Schema['shape'], ParameterText>>;

/** Returns the query parameters of a schema. Lists may be repeated, or have commas between their values. */
export function queryParameters<Schema extends z.ZodObject>(schema: Schema, texts: ParameterTexts<Schema>): Json[] {
  const { properties = {}, required = [] } = toSchema(schema, 'input') as Described;
  const words: Readonly<Record<string, ParameterText>> = texts;
  return Object.entries(properties).map(([name, shape]) => {
    const { text = '', example } = words[name] ?? {};
    return {
      name,
      in: 'query',
      description: text,
      ...(required.includes(name) ? { required: true } : {}),
      schema: shape,
      ...(shape.type === 'array' ? { style: 'form', explode: true } : {}),
      ...(example === undefined ? {} : { example }),
    };
  });
}

/** The JSON Schema of an object. */
interface Described {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}
