import { z } from 'zod';
import { kindNames } from '../../../kinds/kind.ts';
import { isObject } from '../../../lib/is-object.ts';
import { oneOf } from '../../../lib/parameter-schemas.ts';
import type { Json } from '../../../lib/wire-schema.ts';
import { InvalidParameters } from '../../errors/errors.ts';
import { checkBody } from '../../request/read-json.ts';
import { type ToolArguments, toQueryString } from '../tool-arguments.ts';

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
      schema: isObject(schema) ? inFewWords(schema) : {},
      required: required === true,
    }));
}

function inFewWords(schema: Json): Json {
  const kept = Object.entries(schema).filter(
    ([name, value]) => !leftOut.has(name) && !(name === 'maximum' && Number(value) >= largestNumber) && value !== '',
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, isObject(value) ? inFewWords(value) : value]));
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

/** An entity in an answer: the properties that identify it. The others are fields of its record. */
export const item = {
  type: 'object',
  properties: {
    entity_type: { type: 'string', enum: kindNames },
    id: { type: 'integer' },
    name: { type: 'string' },
    slug: { type: 'string' },
  },
} as const satisfies Json;

/** Returns the schema of a list of entities with more properties. */
export function itemList(properties: Json = {}): Json {
  return { type: 'array', items: { ...item, properties: { ...item.properties, ...properties } } };
}

/**
 * Returns the schema of a tool's answers and errors. Clients such as the 1.x SDK also validate the data of errors, so
 * answers and errors have their own required properties.
 */
export function outputSchema(properties: Json, required: readonly string[]): Json {
  return {
    type: 'object',
    properties: {
      ...properties,
      error: { type: 'string', description: 'Only for errors: the problem and the next step' },
      code: { type: 'string' },
      retryAfterSeconds: { type: 'number' },
      requestId: { type: 'string' },
    },
    anyOf: [{ required }, { required: ['error'] }],
  };
}

/** Returns the part of a schema at a place, or an empty object. */
export function at(schema: Json, ...place: readonly string[]): Json {
  let here: Json = schema;
  for (const name of place) {
    const inner = here[name];
    here = isObject(inner) ? inner : {};
  }
  return here;
}

/** The arguments that name one entity. Others are parameters of the route. */
const oneEntity = z.looseObject({
  kind: oneOf(kindNames),
  identifier: z.union([z.string(), z.int()], { error: 'is required, and must be an id or a slug' }),
});

export const entityArguments = [
  { name: 'kind', description: 'The kind of the entity.', schema: { type: 'string', enum: kindNames }, required: true },
  {
    name: 'identifier',
    description: 'Its slug or id, as in search results.',
    schema: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    required: true,
  },
] as const;

/**
 * Returns an entity and the query string of its route. Throws `InvalidParameters`.
 * @param others names of the arguments other than kind and identifier
 */
export function readWanted(args: ToolArguments, others: readonly string[]) {
  const { kind, identifier, ...rest } = checkBody(oneEntity, args);
  const text = String(identifier);
  if (text === '') throw new InvalidParameters([{ path: 'identifier', message: 'must be an id or a slug' }]);
  return { kind, identifier: text, queryString: toQueryString(rest, others) };
}
