import type { Json } from '../lib/wire-schema.ts';

// The OpenAPI document as the reference page shows it: operations by tag, with flat lists of fields.

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}
type Content = Readonly<Record<string, { schema: Schema; examples?: Readonly<Record<string, { value: unknown }>> }>>;
interface Operation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Json[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}
interface OpenApi {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A field of a body or an answer. Fields of an object follow it with a larger depth. */
export interface DocsField {
  readonly name: string;
  readonly depth: number;
  /** Such as `string[]`. */
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}
export type DocsPage = ReturnType<typeof docsPage>;
export type DocsOperation = DocsPage['groups'][number]['operations'][number];

/** Returns the content of the reference page. */
export function docsPage(document: Json) {
  // A test checks the document against the schema of OpenAPI.
  const { info, tags, paths, components } = document as unknown as OpenApi;
  const fieldsOf = fieldReader(components.schemas);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0],
      method,
      path,
      ...describe(operation, fieldsOf),
    })),
  );
  const groups = tags.map((tag) => ({ ...tag, operations: operations.filter((each) => each.tag === tag.name) }));
  return { name: 'docs', description: info.description, groups } as const;
}

type FieldReader = (schema: Schema | undefined) => readonly DocsField[];

function describe(operation: Operation, fieldsOf: FieldReader) {
  const { operationId, summary, description = '', security, parameters = [], requestBody, responses } = operation;
  const content = (given: Content | undefined) => {
    const [{ schema, examples = {} } = {}] = Object.values(given ?? {});
    const [example] = Object.values(examples);
    return { fields: fieldsOf(schema), example: example ? JSON.stringify(example.value, null, 2) : null };
  };
  return {
    id: operationId,
    summary,
    description,
    needsKey: security.some((way) => 'apiKey' in way),
    parameters: parameters.map(({ name, in: where, required = false, description: text = '', schema, example }) => {
      const field: DocsField = { name, depth: 0, type: typeOf(schema), required, description: text };
      return { ...field, where, example: example === undefined ? null : String(example) };
    }),
    body: requestBody === undefined ? null : content(requestBody.content),
    answer: content(responses[200]?.content),
    // A paragraph for each code.
    errors: Object.entries(responses)
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([status, error]) => error.description.split('\n\n').map((text) => ({ status, text }))),
  };
}

/** Deeper fields are left out. */
const depthMax = 4;

/** Returns a function that lists the fields of a schema, parents before their children. */
function fieldReader(schemas: OpenApi['components']['schemas']): FieldReader {
  /** Returns the objects that a schema allows: itself, the items of a list, or alternatives. */
  function objectsIn(schema: Schema): readonly Schema[] {
    const resolved = schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
    const { properties, items, oneOf, anyOf } = resolved;
    if (properties !== undefined) return [resolved];
    return (items === undefined ? (oneOf ?? anyOf ?? []) : [items]).flatMap(objectsIn);
  }

  function fieldsAt(schema: Schema, depth: number): readonly DocsField[] {
    const fields = new Map<string, DocsField & { readonly schema: Schema }>();
    for (const { properties = {}, required = [] } of depth > depthMax ? [] : objectsIn(schema))
      for (const [name, field] of Object.entries(properties)) {
        const { description = '' } = field;
        const shown = { name, depth, type: typeOf(field), required: required.includes(name), description };
        if (!fields.has(name)) fields.set(name, { ...shown, schema: field });
      }
    return Array.from(fields.values()).flatMap(({ schema: inner, ...field }) => [field, ...fieldsAt(inner, depth + 1)]);
  }
  return (schema) => (schema === undefined ? [] : fieldsAt(schema, 0));
}

/** Returns a short name of a type, such as `string[]`, `"live" | "test"` or `Location | null`. */
function typeOf({ $ref, type = 'any', format, enum: values, const: only, items, oneOf, anyOf }: Schema): string {
  if ($ref !== undefined) return $ref.split('/').at(-1) ?? '';
  if (only !== undefined) return JSON.stringify(only);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (items !== undefined) return `${typeOf(items)}[]`;
  const alternatives = oneOf ?? anyOf;
  if (alternatives !== undefined) return [...new Set(alternatives.map(typeOf))].join(' | ');
  return format === 'date' || format === 'date-time' ? format : type;
}
