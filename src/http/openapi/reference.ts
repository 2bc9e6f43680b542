import { z } from 'zod';
import type { Json } from '../../lib/wire-schema.ts';
import type { DocsField, DocsOperation, DocsPage } from '../../pages/docs.ts';

// The OpenAPI document as the reference page shows it: operations by tag, with flat lists of fields.

const schemaSchema = z.object({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxItems: z.number().optional(),
  required: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), schemaSchema).optional();
  },
  get items() {
    return schemaSchema.optional();
  },
  get oneOf() {
    return z.array(schemaSchema).optional();
  },
  get anyOf() {
    return z.array(schemaSchema).optional();
  },
});
type Schema = z.output<typeof schemaSchema>;

const contentSchema = z.record(
  z.string(),
  z.object({ schema: schemaSchema, examples: z.record(z.string(), z.object({ value: z.unknown() })).optional() }),
);
const operationSchema = z.object({
  operationId: z.string(),
  tags: z.tuple([z.string()]),
  summary: z.string(),
  description: z.string().optional(),
  security: z.array(z.record(z.string(), z.unknown())),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.string(),
        required: z.boolean().optional(),
        description: z.string().optional(),
        schema: schemaSchema,
        example: z.unknown().optional(),
      }),
    )
    .default([]),
  requestBody: z.object({ content: contentSchema }).optional(),
  responses: z.record(z.string(), z.object({ description: z.string(), content: contentSchema.optional() })),
});
type OperationObject = z.output<typeof operationSchema>;

const documentSchema = z.object({
  info: z.object({ title: z.string(), description: z.string() }),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z.object({ schemas: z.record(z.string(), schemaSchema) }),
});

/** Returns the content of the reference page. */
export function docsPage(openApi: Json): DocsPage {
  const { info, tags, paths, components } = documentSchema.parse(openApi);
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const fieldsOf = fieldReader(components.schemas);
  const errors = all.map(({ operation }) => errorsOf(operation));
  const [first = [], ...others] = errors;
  const everywhere = first.filter((error) => others.every((each) => each.some(({ text }) => text === error.text)));
  const groups = tags.map(({ name, description }) => ({
    name,
    description,
    operations: all.flatMap(({ path, method, operation }, at): readonly DocsOperation[] => {
      if (operation.tags[0] !== name) return [];
      const own = (errors[at] ?? []).filter(({ text }) => everywhere.every((each) => each.text !== text));
      return [{ ...describeOperation(operation, fieldsOf), method, path, errors: own }];
    }),
  }));
  return { name: 'docs', title: info.title, description: info.description, groups, errors: everywhere };
}

type FieldReader = (schema: Schema | undefined) => readonly DocsField[];

function describeOperation(
  operation: OperationObject,
  fieldsOf: FieldReader,
): Omit<DocsOperation, 'method' | 'path' | 'errors'> {
  const { operationId, summary, description = '', security, parameters, requestBody, responses } = operation;
  const [answer] = Object.values(Object.entries(responses).find(([status]) => status === '200')?.[1].content ?? {});
  const [body] = Object.values(requestBody?.content ?? {});
  return {
    id: operationId,
    summary,
    description,
    needsKey: security.some((way) => 'apiKey' in way),
    parameters: parameters.map(({ name, in: where, required = false, description: text = '', schema, example }) => ({
      name,
      depth: 0,
      type: typeOf(schema),
      required,
      description: text,
      where: where === 'path' || where === 'query' ? where : 'header',
      example: example === undefined ? null : String(example),
    })),
    body: body === undefined ? null : { fields: fieldsOf(body.schema), example: exampleOf(body) },
    answer: { fields: fieldsOf(answer?.schema), example: answer === undefined ? null : exampleOf(answer) },
  };
}

function exampleOf({ examples = {} }: z.output<typeof contentSchema>[string]): string | null {
  const [example] = Object.values(examples);
  return example === undefined ? null : JSON.stringify(example.value, null, 2);
}

/** Returns the errors of an operation: a line for each code, as error-responses.ts writes them. */
function errorsOf({ responses }: OperationObject): DocsOperation['errors'] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { description }]) =>
      description.split('\n\n').map((text) => ({ status: Number(status), text })),
    );
}

/** Deeper fields are left out. */
const depthMax = 4;

/** Returns a function that lists the fields of a schema, parents before their children. */
function fieldReader(schemas: Readonly<Record<string, Schema>>): FieldReader {
  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? schema);

  /** Returns the objects that a schema allows: itself, the items of a list, or alternatives. */
  function objectsIn(schema: Schema): readonly Schema[] {
    const { properties, items, oneOf, anyOf } = resolved(schema);
    if (properties !== undefined) return [resolved(schema)];
    if (items !== undefined) return objectsIn(items);
    return (oneOf ?? anyOf ?? []).flatMap(objectsIn);
  }

  function fieldsAt(schema: Schema, depth: number): readonly DocsField[] {
    const objects = depth > depthMax ? [] : objectsIn(schema);
    const fields = new Map<string, readonly [field: Schema, required: boolean]>();
    for (const { properties = {}, required = [] } of objects)
      for (const [name, field] of Object.entries(properties))
        if (!fields.has(name)) fields.set(name, [field, objects.length === 1 && required.includes(name)]);
    return Array.from(fields).flatMap(([name, [field, required]]) => [
      { name, depth, type: typeOf(field), required, description: field.description ?? '' },
      ...fieldsAt(field, depth + 1),
    ]);
  }
  return (schema) => (schema === undefined ? [] : fieldsAt(schema, 0));
}

/** Returns a short name of a type, such as `string[]`, `"live" | "test"` or `Location | null`. */
function typeOf({ $ref, type, format, enum: values, const: only, items, oneOf, anyOf }: Schema): string {
  if ($ref !== undefined) return $ref.split('/').at(-1) ?? '';
  if (only !== undefined) return JSON.stringify(only);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (items !== undefined) {
    const inner = typeOf(items);
    return inner.includes(' ') ? `(${inner})[]` : `${inner}[]`;
  }
  const alternatives = oneOf ?? anyOf;
  if (alternatives !== undefined) return [...new Set(alternatives.map(typeOf))].join(' | ');
  return format === 'date' || format === 'date-time' ? format : [type ?? 'any'].flat().join(' | ');
}
