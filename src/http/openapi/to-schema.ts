import { z } from 'zod';
import { inputJsonSchemas, type Json } from '../../lib/wire-schema.ts';

/** A JSON Schema (draft 2020-12, as OpenAPI 3.1 has it) of what a zod schema takes, or of what it gives. */
export function toSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, override: io === 'input' ? asWritten : asAnswered });
  return withUnions(rest);
}

/** The schemas of a registry, which refer to each other as components of an OpenAPI document. */
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

/** Of answers: whatever is said to be all of an object today may have more fields tomorrow, which clients must survive. */
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
  // zod leaves out the default of what it reads, because it is of the type that comes out: the type written here.
  if (def.type === 'default') jsonSchema.default = spelt(def.defaultValue, jsonSchema.type);
  // The format says the same as zod's pattern, which nobody can read.
  if (jsonSchema.format === 'date' || jsonSchema.format === 'date-time') delete jsonSchema.pattern;
}

/**
 * zod has two ways to say that a value may be null: a union, and a list of types where there is nothing else to say. Not
 * every generator of clients knows the list, so it is made a union.
 */
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
