import type { z } from 'zod';
import type { Json } from '../../../lib/wire-schema.ts';
import { toSchema } from '../../openapi/to-schema.ts';
import { compactSchema } from '../compact.ts';

/** An argument of a tool, from a documented parameter of its HTTP route. */
interface Argument {
  readonly name: string;
  readonly description: string;
  readonly schema: Json;
  readonly required?: boolean;
}

/** The argument `fields`. Its values depend on the kind, and errors list them. */
export const fieldsArgument = {
  name: 'fields',
  description: 'Names of the fields that are wanted, if not the usual ones.',
  schema: { type: 'array', items: { type: 'string' } },
} as const;

/** Keywords that are left out: models rarely reach these bounds, and an error explains them. */
const leftOut: ReadonlySet<string> = new Set(['title', 'pattern', 'minLength', 'minItems', 'maxItems']);
/** From here on, a maximum only means the limit of storage. */
const largestNumber = 2 ** 31 - 1;

/** Returns a route's documented parameters except headers, in few words. */
export function argumentsOf(parameters: readonly Json[]): readonly Argument[] {
  return parameters
    .filter((parameter) => parameter.in !== 'header')
    .map(({ name, description, schema, required }) => ({
      name: String(name),
      // Leaves out parts that apply only to HTTP: encodings, other names, and the envelope around data.
      description: String(description)
        .replace(', repeated or with commas between,', '')
        .replace(' (write + as %2B)', '')
        .replace(/ May be called \w+\./, '')
        .replaceAll('data.', ''),
      schema: isJson(schema) ? inFewWords(schema) : {},
      required: required === true,
    }));
}

function inFewWords(schema: Json): Json {
  const kept = Object.entries(schema).filter(
    ([name, value]) => !leftOut.has(name) && !(name === 'maximum' && Number(value) >= largestNumber) && value !== '',
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, isJson(value) ? inFewWords(value) : value]));
}

/** Returns the schema of an object with exactly these properties. */
export function inputSchema(args: readonly Argument[]): Json {
  const required = args.filter((argument) => argument.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(args.map(({ name, description, schema }) => [name, { ...schema, description }])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** Returns the schema of the compact `data` of a route's answer. */
export function dataSchema(answer: z.ZodType): Json {
  return compactSchema(at(toSchema(answer, 'output'), 'properties', 'data'));
}

/**
 * Merges schemas of objects into one: a property may have its values in any of them. A union with every kind's fields
 * would be four times as long for models to read.
 */
export function mergedSchema(forms: readonly Json[]): Json {
  const names = [...new Set(forms.flatMap((form) => Object.keys(at(form, 'properties'))))];
  const requiredBy = forms.map(({ required }) => (Array.isArray(required) ? required.map(String) : []));
  const [first = [], ...others] = requiredBy;
  return {
    type: 'object',
    properties: Object.fromEntries(
      names.map((name) => [name, eitherOf(forms.flatMap((form) => at(form, 'properties')[name] ?? []).filter(isJson))]),
    ),
    required: first.filter((name) => others.every((required) => required.includes(name))),
    additionalProperties: false,
  };
}

function eitherOf(schemas: readonly Json[]): Json {
  const distinct = [...new Map(schemas.map((schema) => [withoutDescription(schema), schema])).values()];
  const constants = distinct.flatMap((schema) => schema.const ?? []);
  const [only = {}] = distinct;
  if (distinct.length > 1 && constants.length === distinct.length) return { type: 'string', enum: constants };
  return distinct.length > 1 ? { anyOf: distinct } : only;
}

function withoutDescription({ description: _, ...schema }: Json): string {
  return JSON.stringify(schema);
}

/** Returns the part of a schema at a place, or an empty object. */
export function at(schema: Json, ...place: readonly string[]): Json {
  let here: Json = schema;
  for (const name of place) {
    const inner = here[name];
    here = isJson(inner) ? inner : {};
  }
  return here;
}

/** Returns the members of a union, or the schema itself. */
export function formsOf(schema: Json): readonly Json[] {
  const forms = schema.anyOf ?? schema.oneOf;
  return Array.isArray(forms) ? forms.filter(isJson) : [schema];
}

/** Returns an object schema with changed properties. Undefined removes one. */
export function withProperties(schema: Json, changes: Readonly<Record<string, Json | undefined>>): Json {
  const all = Object.entries({ ...at(schema, 'properties'), ...changes });
  const properties = Object.fromEntries(all.filter(([, property]) => property !== undefined));
  const before = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const required = before.filter((name) => Object.hasOwn(properties, name));
  return { ...schema, properties, required };
}

/** Returns an object schema with more required properties. */
export function requiring(schema: Json, ...names: readonly string[]): Json {
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return { ...schema, required: [...new Set([...names, ...required])] };
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
