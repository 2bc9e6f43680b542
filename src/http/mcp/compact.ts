import type { KindName } from '../../kinds/kind.ts';
import { kinds } from '../../kinds/registry.ts';
import type { Json } from '../../lib/wire-schema.ts';
import type { ToolArguments } from './tool-arguments.ts';

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

/** The field that is left out by default, because addresses of pictures are long and rarely useful to a model. */
const picture = 'logo';

/** Returns items as a tool shows them: with the usual fields, or with the requested ones. */
export function shownItems(items: readonly object[], { fields }: ToolArguments): readonly Json[] {
  const all = items.map(compactObject);
  if (fields !== undefined && fields !== null) return all;
  return all.map(({ [picture]: _, ...item }) => item);
}

/** Returns the fields that a lookup shows by default. */
export function usualFields(kind: KindName): readonly string[] {
  return kinds[kind].itemFields.filter((field) => field !== picture);
}
