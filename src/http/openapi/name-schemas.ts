import { isObject } from '../../lib/is-object.ts';
import type { Json } from '../../lib/wire-schema.ts';

/** The paths of an OpenAPI document, and the schemas that they refer to. */
interface Described {
  readonly paths: Json;
  readonly schemas: Json;
}

const unions = ['oneOf', 'anyOf', 'allOf'] as const;

/**
 * Gives every object of a document a name. Otherwise generators of clients use names such as
 * `SearchResponse200DataUnderstoodTimeType0`. Inline objects become components with their title as name, or with the
 * name of their component and property. Throws if two different schemas would have the same name.
 */
export function nameSchemas({ paths, schemas }: Described): Described {
  const named = new Map<string, Json>();

  function add(name: string, schema: Json): Json {
    const known = named.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`Two schemas of the document would be called ${name}: give one of them another title.`);
    }
    named.set(name, schema);
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Returns the schema itself, or a reference to it if it becomes a component. */
  function placed(schema: Json, name: string): Json {
    const { title, properties } = schema;
    const own = typeof title === 'string' ? title : name;
    const inner = withNamed(schema, own);
    return typeof title === 'string' || properties !== undefined ? add(own, inner) : inner;
  }

  function withNamed(schema: Json, name: string): Json {
    const { items, properties, additionalProperties } = schema;
    const within: Record<string, unknown> = { ...schema };
    if (isObject(items)) within.items = placed(items, `${name}Item`);
    if (isObject(additionalProperties)) within.additionalProperties = placed(additionalProperties, `${name}Value`);
    if (isObject(properties))
      within.properties = mapJson(properties, (each, key) => placed(each, name + pascalCase(key)));
    for (const union of unions) {
      const members = schema[union];
      if (Array.isArray(members)) within[union] = members.map((each) => (isObject(each) ? member(each, name) : each));
    }
    return within;
  }

  /** Returns a member of a union. Enumerations also need a name there. */
  function member(schema: Json, name: string): Json {
    return placed(schema.enum === undefined ? schema : { title: name, ...schema }, name);
  }

  function operationPart(part: unknown, name: string): unknown {
    if (Array.isArray(part)) return part.map((each) => operationPart(each, name));
    if (!isObject(part)) return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, value]) => {
        if (key === 'schema' && isObject(value)) return [key, placed(value, name)];
        return [key, key === 'example' || key === 'examples' ? value : operationPart(value, name)];
      }),
    );
  }

  for (const [name, schema] of Object.entries(schemas)) if (isObject(schema)) add(name, withNamed(schema, name));
  const operations = mapJson(paths, (path) =>
    mapJson(path, (operation) => operationPart(operation, pascalCase(String(operation.operationId)))),
  );
  return { paths: operations, schemas: Object.fromEntries(named) };
}

function mapJson(object: Json, change: (value: Json, key: string) => unknown): Json {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, isObject(value) ? change(value, key) : value]),
  );
}

/** Turns `entity_type` into `EntityType`. */
export function pascalCase(name: string): string {
  return name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
