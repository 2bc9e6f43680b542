/** The identifiers of a request: ids or slugs, never both. */
export type Identifiers =
  | { readonly by: 'id'; readonly values: readonly number[] }
  | { readonly by: 'slug'; readonly values: readonly string[] };

/** The identifier of one record: its slug, and its id if the text may be one. */
export interface RecordIdentifier {
  readonly id: number | null;
  readonly slug: string;
}

/** Longer texts are no slugs of ours; a limit keeps them out of statements. */
export const slugMax = 512;

/** Reads a text of an address. A whole number as it is written everywhere may be an id and a slug. */
export function recordIdentifier(text: string): RecordIdentifier {
  const id = Number(text);
  return { id: /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(id) ? id : null, slug: text };
}

/**
 * Returns true if a text can be a slug. Postgres has no texts with a NUL, and no slug of ours has control characters,
 * halves of surrogate pairs or noncharacters.
 */
export function canBeSlug(text: string): boolean {
  // Counted as code points, as everywhere; twice as many units are never fewer points.
  if (text.length === 0 || text.length > 2 * slugMax) return false;
  return Array.from(text).length <= slugMax && !/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u.test(text);
}

/** Returns each identifier once, in the order of first appearance. */
export function distinct(wanted: Identifiers): readonly (number | string)[] {
  return [...new Set<number | string>(wanted.values)];
}
