import type { Json } from '../../lib/wire-schema.ts';

// Models pay for every token that they read, so answers leave out empty values.

/** Returns true for null and for an empty text, list or object. */
function isBlank(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Removes empty values at any depth. Items of lists stay, so that positions keep their meaning. */
export function compact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compact);
  return typeof value === 'object' && value !== null ? compactObject(value) : value;
}

/** Removes empty values of an object. The result may be empty. */
export function compactObject(value: object): Json {
  const entries = Object.entries(value).map(([name, inner]) => [name, compact(inner)] as const);
  return Object.fromEntries(entries.filter(([, inner]) => !isBlank(inner)));
}

/** Keywords that only validate values. */
const bounds: ReadonlySet<string> = new Set([
  'title',
  'pattern',
  'propertyNames',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'exclusiveMinimum',
  'maximum',
]);

/** Returns the schema of a compact value: nothing is null, and properties that may be empty are optional. */
export function compactSchema(schema: Json): Json {
  const { type, anyOf, oneOf, properties, items, required, additionalProperties, ...rest } = schema;
  const words = Object.fromEntries(
    Object.entries(rest).filter(([name, value]) => !bounds.has(name) && !isOfNull(value)),
  );
  const forms = schemasIn(anyOf ?? oneOf).filter((form) => form.type !== 'null');
  const [only] = forms;
  if (only !== undefined && forms.length === 1) return { ...compactSchema(only), ...words };
  const kept = Array.isArray(required) ? required.filter((name) => !mayBeBlank(propertyOf(properties, name))) : [];
  return {
    ...(type === undefined ? {} : { type: Array.isArray(type) ? type.find((one) => one !== 'null') : type }),
    ...words,
    ...(forms.length > 1 ? { anyOf: forms.map(compactSchema) } : {}),
    ...(isSchema(items) ? { items: compactSchema(items) } : {}),
    ...(isSchema(properties) ? { properties: compactProperties(properties) } : {}),
    ...(kept.length === 0 ? {} : { required: kept }),
    ...(isSchema(additionalProperties) ? { additionalProperties: compactSchema(additionalProperties) } : {}),
    ...(additionalProperties === false ? { additionalProperties } : {}),
  };
}

/** Returns true for a description of the cases in which the value is null. */
function isOfNull(value: unknown): boolean {
  return typeof value === 'string' && /^null /i.test(value);
}

function compactProperties(properties: Json): Json {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, isSchema(schema) ? compactSchema(schema) : schema]),
  );
}

/** Returns true if a compact object may leave out a value of the schema. */
function mayBeBlank(schema: Json | null): boolean {
  if (schema === null) return true;
  const forms = schemasIn(schema.anyOf ?? schema.oneOf);
  if (forms.length > 0) return forms.some(mayBeBlank);
  if (schema.const !== undefined || schema.enum !== undefined) return false;
  return !['integer', 'number', 'boolean'].includes(String(schema.type)) && !(Number(schema.minLength) > 0);
}

function propertyOf(properties: unknown, name: unknown): Json | null {
  const schema = isSchema(properties) ? properties[String(name)] : null;
  return isSchema(schema) ? schema : null;
}

function schemasIn(list: unknown): readonly Json[] {
  return Array.isArray(list) ? list.filter(isSchema) : [];
}

function isSchema(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
