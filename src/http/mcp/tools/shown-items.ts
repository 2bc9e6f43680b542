import type { KindName } from '../../../kinds/kind.ts';
import { kinds } from '../../../kinds/registry.ts';
import type { Json } from '../../../lib/wire-schema.ts';
import { compactObject } from '../compact.ts';
import type { ToolArguments } from '../tool-arguments.ts';

/** Addresses of pictures are long, and say nothing to a model unless it asks for them. */
const picture = 'logo';

/** Items as a tool shows them: with what their route shows, or with the fields that were asked for. */
export function shownItems(items: readonly object[], { fields }: ToolArguments): readonly Json[] {
  const all = items.map(compactObject);
  if (fields !== undefined && fields !== null) return all;
  return all.map(({ [picture]: _, ...item }) => item);
}

/** What items of a kind have unless other fields are asked for, where the route would show all. */
export function usualFields(kind: KindName): readonly string[] {
  return kinds[kind].itemFields.filter((field) => field !== picture);
}
