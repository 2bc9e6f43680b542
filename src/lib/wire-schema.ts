import { z } from 'zod';

/** A JSON Schema, or a part of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

/**
 * How a value is written in an address or a body, as JSON Schema, by the zod schema that reads it. Needed where reading
 * changes the value (a text into a number, a text into a list), because the schema itself then only tells "a text".
 */
export const inputJsonSchemas = z.registry<{ readonly schema: Json }>();

/** A moment as answers write it, in UTC. */
export const instant = z.iso.datetime({ precision: 3 });
export const count = z.int().nonnegative();
