import type { KindName } from '../../../kinds/kind.ts';
import { kinds } from '../../../kinds/registry.ts';
import type { Json } from '../../../lib/wire-schema.ts';
import { compactObject } from '../compact.ts';
import type { ToolArguments } from '../tool-arguments.ts';

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
