import type { KindName } from './kind.ts';
import { kinds } from './registry.ts';

/** Names of all fields that records of these kinds have, in the kinds' order, each once. */
export function recordFields(of: readonly KindName[]): readonly string[] {
  return [...new Set(of.flatMap((kind) => Object.keys(kinds[kind].record.shape)))];
}

/**
 * The fields to show of one kind: `id` first, then those asked for that the kind has, in the order asked for. Without
 * a wish, those that the kind shows by itself.
 */
export function shownFields(kind: KindName, asked: readonly string[] | undefined): readonly string[] {
  if (asked === undefined) return kinds[kind].itemFields;
  const has = kinds[kind].record.shape;
  return [...new Set(['id', ...asked])].filter((field) => Object.hasOwn(has, field));
}
