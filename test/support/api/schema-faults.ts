import type { Json } from '../../../src/lib/wire-schema.ts';

// Schemas that make generators of clients give up on a type, or give it an unguessable name.

const unions = ['oneOf', 'anyOf', 'allOf'] as const;
/** Keywords that make a union ambiguous: generators read one of the two, and not all the same one. */
const ownWords = ['type', 'properties', 'items', 'enum', 'const', 'additionalProperties', '$ref', 'nullable'] as const;

/** Returns the problems of the schemas and operations of an OpenAPI document, each with its place. */
export function schemaFaults(document: Json): readonly string[] {
  const { schemas = {} } = isObject(document.components) ? document.components : {};
  const components = isObject(schemas) ? schemas : {};
  const names = Object.keys(components);
  const found: string[] = [];
  for (const [name, schema] of Object.entries(components)) {
    if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) found.push(`${name}: no generator keeps this name`);
    found.push(...schemaFaultsAt(schema, name, true));
  }
  const lower = names.map((name) => name.toLowerCase());
  found.push(...names.filter((name, at) => lower.indexOf(name.toLowerCase()) !== at).map((name) => `${name}: twice`));
  for (const { place, schema } of [...schemasBelow(document.paths, ''), ...headerSchemas(document)])
    found.push(...schemaFaultsAt(schema, place, false));
  const referred = new Set(referencesIn(document));
  const known = new Set(componentsOf(document));
  found.push(...[...known].filter((name) => !referred.has(name)).map((name) => `${name}: nothing refers to it`));
  found.push(...[...referred].filter((name) => !known.has(name)).map((name) => `${name}: is not there`));
  return [...found, ...operationFaults(document.paths)];
}

/** Returns the references to all schemas and headers. Security schemes are referred to by their names. */
function componentsOf({ components }: Json): readonly string[] {
  const { schemas, headers } = isObject(components) ? components : {};
  return Object.entries({ schemas, headers }).flatMap(([kind, all]) =>
    Object.keys(isObject(all) ? all : {}).map((name) => `#/components/${kind}/${name}`),
  );
}

function schemaFaultsAt(schema: unknown, place: string, isComponent: boolean): readonly string[] {
  if (!isObject(schema)) return [`${place}: is no schema`];
  const found: string[] = [];
  const say = (what: string): void => void found.push(`${place}: ${what}`);
  const { type, properties, additionalProperties, items } = schema;
  const union = unions.filter((word) => word in schema);
  const beside = ownWords.filter((word) => word in schema);
  if (union.length > 1 || (union.length === 1 && beside.length > 0))
    say(`${union.join(', ')} beside ${beside.join(', ')}`);
  if (union.length === 0 && type === undefined && schema.$ref === undefined) say('has no type');
  if (Array.isArray(type)) say('has several types in place of a union');
  if ('nullable' in schema) say('nullable is no word of OpenAPI 3.1');
  if (type === 'array' && !isObject(items)) say('a list of anything');
  if (type === 'object' && properties === undefined && additionalProperties === undefined) say('an object of nothing');
  if (properties !== undefined && !isComponent) say('an object without a name');
  for (const word of union) found.push(...unionFaults(schema[word], `${place}/${word}`));
  if (isObject(items)) found.push(...schemaFaultsAt(items, `${place}/items`, false));
  if (isObject(additionalProperties)) found.push(...schemaFaultsAt(additionalProperties, `${place}/*`, false));
  for (const [name, each] of Object.entries(isObject(properties) ? properties : {}))
    found.push(...schemaFaultsAt(each, `${place}/${name}`, false));
  return found;
}

function unionFaults(members: unknown, place: string): readonly string[] {
  if (!Array.isArray(members) || members.length < 2) return [`${place}: a union of one`];
  const nulls = members.filter((member) => isObject(member) && member.type === 'null').length;
  return [
    ...(nulls > 0 && (nulls > 1 || members.length > 2) ? [`${place}: null is one of many`] : []),
    ...members.flatMap((member, at) =>
      isObject(member) && 'enum' in member ? [`${place}/${at}: words without a name`] : [],
    ),
    ...members.flatMap((member, at) => schemaFaultsAt(member, `${place}/${at}`, false)),
  ];
}

function operationFaults(paths: unknown): readonly string[] {
  const operations = Object.entries(isObject(paths) ? paths : {}).flatMap(([path, methods]) =>
    Object.entries(isObject(methods) ? methods : {}).map(([method, operation]) => ({
      place: `${method} ${path}`,
      id: isObject(operation) ? operation.operationId : undefined,
    })),
  );
  return operations.flatMap(({ place, id }, at) => {
    if (typeof id !== 'string' || !/^[a-z][A-Za-z0-9]*$/.test(id))
      return [`${place}: ${String(id)} is no name of a function`];
    return operations.findIndex((other) => other.id === id) === at
      ? []
      : [`${place}: ${id} is the name of another one, too`];
  });
}

interface Placed {
  readonly place: string;
  readonly schema: unknown;
}

function schemasBelow(part: unknown, place: string): readonly Placed[] {
  if (Array.isArray(part)) return part.flatMap((each, at) => schemasBelow(each, `${place}/${at}`));
  if (!isObject(part)) return [];
  return Object.entries(part).flatMap(([key, value]) => {
    if (key === 'example' || key === 'examples') return [];
    return key === 'schema' ? [{ place, schema: value }] : schemasBelow(value, `${place}/${key}`);
  });
}

function headerSchemas({ components }: Json): readonly Placed[] {
  return schemasBelow(isObject(components) ? components.headers : undefined, 'headers');
}

function referencesIn(part: unknown): readonly string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) =>
    key === '$ref' || (isObject(part) && key === 'mapping')
      ? Object.values(isObject(value) ? value : { value }).map(String)
      : referencesIn(value),
  );
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
