/** The identifiers of a request: ids or slugs, never both. */
export type Identifiers =
  | { readonly by: 'id'; readonly values: readonly number[] }
  | { readonly by: 'slug'; readonly values: readonly string[] };

/** The identifier of one record: its slug, and its id if the text may be one. */
export interface RecordIdentifier {
  readonly id: number | null;
  readonly slug: string;
}

/** Longer texts can't be slugs, and must not reach the database. */
export const slugMax = 512;

/** Parses an identifier from an address. A plain whole number may be an id or a slug. */
export function recordIdentifier(text: string): RecordIdentifier {
  const id = Number(text);
  return { id: /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(id) ? id : null, slug: text };
}

/** Returns true if a text can be a slug: without control characters, halves of surrogate pairs and noncharacters. */
export function canBeSlug(text: string): boolean {
  // The limit is in code points. A text has at most twice as many UTF-16 units, so longer ones need no count.
  if (text.length === 0 || text.length > 2 * slugMax) return false;
  return Array.from(text).length <= slugMax && !/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u.test(text);
}

/** Returns each identifier once, in the order of first appearance. */
export function distinct(wanted: Identifiers): readonly (number | string)[] {
  return [...new Set<number | string>(wanted.values)];
}
