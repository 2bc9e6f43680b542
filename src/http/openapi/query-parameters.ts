import type { z } from 'zod';
import type { Json } from '../../lib/wire-schema.ts';
import { toSchema } from './to-schema.ts';

/** A parameter's words for people, and a value to try. */
export interface ParameterText {
  readonly text: string;
  readonly example?: unknown;
}

/** Words for every parameter of a schema: one without does not compile. */
export type ParameterTexts<Schema extends z.ZodObject> = Readonly<Record<keyof Schema['shape'], ParameterText>>;

/** The query parameters that a schema reads. Lists may be repeated, or have commas between their values. */
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

/** What an object's JSON Schema holds. */
interface Described {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}
