import { type KindName, kindNames } from './kind.ts';
import { kinds } from './registry.ts';

/** Returns the names of all fields of these kinds' records, each once, in the order of the kinds. */
export function recordFields(of: readonly KindName[]): readonly string[] {
  return [...new Set(of.flatMap((kind) => Object.keys(kinds[kind].record.shape)))];
}

/** Returns the kinds whose records have a field; `location_json.city` is a field of `location_json`. */
export function kindsWithField(field: string): readonly KindName[] {
  const [name = ''] = field.split('.');
  return kindNames.filter((kind) => Object.hasOwn(kinds[kind].record.shape, name));
}

/**
 * Returns the fields to show of a kind: `id` first, then the chosen ones that the kind has, in their order; by default,
 * the kind's usual fields.
 */
export function shownFields(kind: KindName, chosen: readonly string[] | undefined): readonly string[] {
  if (chosen === undefined) return kinds[kind].itemFields;
  const has = kinds[kind].record.shape;
  return [...new Set(['id', ...chosen])].filter((field) => Object.hasOwn(has, field));
}

/** Returns a record with only the chosen fields, `id` first, or the whole record if none were chosen. */
export function pickFields<Value>(
  kind: KindName,
  record: Readonly<Record<string, Value>>,
  chosen: readonly string[] | undefined,
): Readonly<Record<string, Value | undefined>> {
  if (chosen === undefined) return record;
  return Object.fromEntries(shownFields(kind, chosen).map((field) => [field, record[field]]));
}
