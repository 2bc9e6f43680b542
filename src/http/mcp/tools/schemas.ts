import type { z } from 'zod';
import type { Json } from '../../../lib/wire-schema.ts';
import { toSchema } from '../../openapi/to-schema.ts';
import { compactSchema } from '../compact.ts';

/** One argument of a tool, as a parameter of its HTTP route is documented. */
interface Argument {
  readonly name: string;
  readonly description: string;
  readonly schema: Json;
  readonly required?: boolean;
}

/** Names of fields differ by kind; an error lists them. */
export const fieldsArgument = {
  name: 'fields',
  description: 'Names of the fields that are wanted, if not the usual ones.',
  schema: { type: 'array', items: { type: 'string' } },
} as const;

/** Bounds that no model would come near by itself; a wrong value is answered with the rule. */
const unsaid: ReadonlySet<string> = new Set(['title', 'pattern', 'minLength', 'minItems', 'maxItems']);
/** From here on a maximum only says what numbers can be stored. */
const largestNumber = 2 ** 31 - 1;

/** A route's documented parameters but its headers, in as few words. */
export function argumentsOf(parameters: readonly Json[]): readonly Argument[] {
  return parameters
    .filter((parameter) => parameter.in !== 'header')
    .map(({ name, description, schema, required }) => ({
      name: String(name),
      // What holds for addresses, their other names, and the envelope around data, is not said of tools.
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
  const said = Object.entries(schema).filter(
    ([name, value]) => !unsaid.has(name) && !(name === 'maximum' && Number(value) >= largestNumber) && value !== '',
  );
  return Object.fromEntries(said.map(([name, value]) => [name, isJson(value) ? inFewWords(value) : value]));
}

/** An object's JSON Schema with these properties and no others. */
export function inputSchema(args: readonly Argument[]): Json {
  const required = args.filter((argument) => argument.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(args.map(({ name, description, schema }) => [name, { ...schema, description }])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** The schema of a route's `data` without what says nothing, from the schema of its whole answer. */
export function dataSchema(answer: z.ZodType): Json {
  return compactSchema(at(toSchema(answer, 'output'), 'properties', 'data'));
}

/**
 * One schema for objects of several forms: a property may have whatever it has in any of them. A union that names every
 * kind's fields would be four times as long, and tools are read by models.
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

/** A schema's part at a place; empty where it has none. */
export function at(schema: Json, ...place: readonly string[]): Json {
  let here: Json = schema;
  for (const name of place) {
    const inner = here[name];
    here = isJson(inner) ? inner : {};
  }
  return here;
}

/** The forms of a union. */
export function formsOf(schema: Json): readonly Json[] {
  const forms = schema.anyOf ?? schema.oneOf;
  return Array.isArray(forms) ? forms.filter(isJson) : [schema];
}

/** The same object schema with other properties; undefined ones are left out. */
export function withProperties(schema: Json, changes: Readonly<Record<string, Json | undefined>>): Json {
  const all = Object.entries({ ...at(schema, 'properties'), ...changes });
  const properties = Object.fromEntries(all.filter(([, property]) => property !== undefined));
  const before = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const required = before.filter((name) => Object.hasOwn(properties, name));
  return { ...schema, properties, required };
}

/** The same object schema, of which more is required. */
export function requiring(schema: Json, ...names: readonly string[]): Json {
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return { ...schema, required: [...new Set([...names, ...required])] };
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
