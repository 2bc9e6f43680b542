import type { KindName } from '../../kinds/kind.ts';
import type { Clause } from '../ranking/clauses.ts';

interface Sort {
  readonly kinds: readonly KindName[];
  /** The direction without a minus. */
  readonly order: 'asc' | 'desc';
  readonly field: string;
  /** For kinds whose mapping lacks the field. */
  readonly type: 'keyword' | 'date' | 'integer' | 'double';
  /**
   * What stands for a missing value behind every real one, by direction. Elasticsearch's own `_last` is a number that
   * does not survive JSON in JavaScript, and a cursor has to give it back; for words it is null, which does.
   */
  readonly missing: { readonly asc: string | number; readonly desc: string | number };
}

const everyKind = ['companies', 'people', 'investors', 'events'] as const;
const last = { asc: '_last', desc: '_last' } as const;
/** Beyond the days 0001-01-01 and 9999-12-31, in milliseconds since 1970. */
const outOfTime = { asc: 253_500_000_000_000, desc: -62_300_000_000_000 } as const;
const outOfIntegers = { asc: 2_147_483_647, desc: -1 } as const;

/** Orders other than by relevance. */
const fieldSorts = {
  name: { kinds: everyKind, order: 'asc', field: 'name.sort', type: 'keyword', missing: last },
  newest: { kinds: everyKind, order: 'desc', field: 'updated_at', type: 'date', missing: outOfTime },
  founded: { kinds: ['companies'], order: 'asc', field: 'year_founded', type: 'integer', missing: outOfIntegers },
  funding: {
    kinds: ['companies'],
    order: 'asc',
    field: 'total_funding_usd',
    type: 'double',
    missing: { asc: 1e30, desc: -1 },
  },
  employees: { kinds: ['companies'], order: 'asc', field: 'total_employees', type: 'integer', missing: outOfIntegers },
  starts: { kinds: ['events'], order: 'asc', field: 'start_date', type: 'date', missing: outOfTime },
} as const satisfies Readonly<Record<string, Sort>>;

type FieldSortName = keyof typeof fieldSorts;

export interface SortOrder {
  readonly by: 'relevance' | FieldSortName;
  readonly reversed: boolean;
}

const byRelevance: SortOrder = { by: 'relevance', reversed: false };

export const sortNames = ['relevance', ...(Object.keys(fieldSorts) as FieldSortName[])] as const;

/** The order that a parameter's text names, or null. */
export function parseSort(text: string): SortOrder | null {
  const reversed = text.startsWith('-');
  const by = sortNames.find((name) => name === (reversed ? text.slice(1) : text));
  return by === undefined ? null : { by, reversed };
}

export function sortApplies({ by }: SortOrder, to: readonly KindName[]): boolean {
  if (by === 'relevance') return true;
  const { kinds }: Sort = fieldSorts[by];
  return kinds.some((kind) => to.includes(kind));
}

/**
 * A total order: no two documents of one generation each are equal in it, so that pages and cursors neither repeat
 * nor skip. An index's name begins with its kind's; of one kind there is one index.
 */
export function sortClauses(
  { by, reversed }: SortOrder = byRelevance,
  scored: boolean,
  kinds: readonly KindName[],
): Clause[] {
  const ties = [...(kinds.length > 1 ? [{ _index: 'asc' }] : []), { id: 'asc' }];
  const flip = (order: 'asc' | 'desc') => (reversed === (order === 'desc') ? 'asc' : 'desc');
  if (by === 'relevance') return [{ [scored ? '_score' : 'search.popularity']: flip('desc') }, ...ties];
  const { field, order, missing, type }: Sort = fieldSorts[by];
  const direction = flip(order);
  return [{ [field]: { order: direction, missing: missing[direction], unmapped_type: type } }, ...ties];
}
