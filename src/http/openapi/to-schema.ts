import { z } from 'zod';
import { inputJsonSchemas, type Json } from '../../lib/wire-schema.ts';

/** Returns the JSON Schema (draft 2020-12, as in OpenAPI 3.1) of a zod schema's input or output. */
export function toSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, override: io === 'input' ? asWritten : asAnswered });
  return withUnions(rest);
}

/** Returns the schemas of a registry, with references to each other as components of an OpenAPI document. */
export function toComponents(registry: z.core.$ZodRegistry<{ id: string }>): Json {
  const { schemas } = z.toJSONSchema(registry, {
    io: 'output',
    uri: (id) => `#/components/schemas/${id}`,
    override: asAnswered,
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, withUnions({ ...schema })]),
  );
}

interface Converted {
  readonly zodSchema: z.core.$ZodTypes;
  readonly jsonSchema: Record<string, unknown>;
}

/** Allows additional properties in answers, because later versions may add fields. */
function asAnswered(converted: Converted): void {
  asWritten(converted);
  const { jsonSchema } = converted;
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}

function asWritten({ zodSchema, jsonSchema }: Converted): void {
  const known = inputJsonSchemas.get(zodSchema);
  if (known !== undefined) {
    for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
    Object.assign(jsonSchema, known.schema);
  }
  const { def } = zodSchema._zod;
  // zod leaves out the default of an input that it transforms, because the default has the type of the output.
  if (def.type === 'default') jsonSchema.default = spelt(def.defaultValue, jsonSchema.type);
  // The format means the same as zod's long pattern.
  if (jsonSchema.format === 'date' || jsonSchema.format === 'date-time') delete jsonSchema.pattern;
}

/** Turns lists of types, zod's short form for nullable values, into unions, which all generators of clients support. */
function withUnions(schema: Json): Json {
  const entries = Object.entries(schema).map(([key, value]) =>
    key === 'type' && Array.isArray(value)
      ? (['anyOf', value.map((type) => ({ type }))] as const)
      : ([key, partWithUnions(value)] as const),
  );
  return Object.fromEntries(entries);
}

function partWithUnions(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(partWithUnions);
  return typeof part === 'object' && part !== null ? withUnions({ ...part }) : part;
}

function spelt(value: unknown, type: unknown): unknown {
  return type === 'boolean' ? value === 'true' : value;
}

/** The description of a parameter, and an example. */
interface ParameterText {
  readonly text: string;
  readonly example?: unknown;
}

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
