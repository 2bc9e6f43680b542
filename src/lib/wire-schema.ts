import { z } from 'zod';

/** A JSON Schema, or a part of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

/** JSON Schemas of inputs that a zod schema transforms, such as a number given as text. */
export const inputJsonSchemas = z.registry<{ readonly schema: Json }>();

/** A time in UTC, as responses write it. */
export const instant = z.iso.datetime({ precision: 3 });
export const count = z.int().nonnegative();
