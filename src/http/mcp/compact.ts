import type { Json } from '../../lib/wire-schema.ts';

// A model pays for every token that it reads, so answers leave out what says nothing.

/** Whether a value says nothing: null, a text, list or object without contents. */
function isBlank(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** The same value without what says nothing, however deep. Items of lists stay, so that places keep their meaning. */
export function compact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compact);
  return typeof value === 'object' && value !== null ? compactObject(value) : value;
}

/** The same for an object, which may end up empty. */
export function compactObject(value: object): Json {
  const entries = Object.entries(value).map(([name, inner]) => [name, compact(inner)] as const);
  return Object.fromEntries(entries.filter(([, inner]) => !isBlank(inner)));
}

/** What checks a value and tells a reader nothing. */
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

/**
 * The JSON Schema of such a value, from the schema of the whole one: nothing is null, and an object may lack whatever may
 * be blank.
 */
export function compactSchema(schema: Json): Json {
  const { type, anyOf, oneOf, properties, items, required, additionalProperties, ...rest } = schema;
  const words = Object.fromEntries(Object.entries(rest).filter(([name, said]) => !bounds.has(name) && !isOfNull(said)));
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

/** Says when the whole value is null. */
function isOfNull(said: unknown): boolean {
  return typeof said === 'string' && /^null /i.test(said);
}

function compactProperties(properties: Json): Json {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, isSchema(schema) ? compactSchema(schema) : schema]),
  );
}

/** Whether what a schema allows may be left out of a compact object. */
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
