import { z } from 'zod';
import { kindsWithField } from '../../kinds/fields.ts';
import { type KindName, kindNames } from '../../kinds/kind.ts';
import { noneOf } from '../../lib/text/closest-name.ts';
import { inputJsonSchemas } from '../../lib/wire-schema.ts';
import type { Clause } from '../ranking/clauses.ts';

/**
 * The substitute for a missing value, which sorts last, by type and direction. Elasticsearch's own `_last` is a number
 * that JavaScript can't represent, but cursors must return it. For words it is null, which works.
 */
const missing = {
  keyword: { asc: '_last', desc: '_last' },
  // Beyond the days 0001-01-01 and 9999-12-31, in milliseconds since 1970.
  date: { asc: 253_500_000_000_000, desc: -62_300_000_000_000 },
  integer: { asc: 2_147_483_647, desc: -1 },
  double: { asc: 1e30, desc: -1 },
} as const;

interface Sort {
  /** The document's field. Kinds whose records have it have the sort. */
  readonly field: string;
  /** The field's type, for kinds whose mapping lacks the field. */
  readonly type: keyof typeof missing;
  /** The direction without a minus. */
  readonly order: 'asc' | 'desc';
  /** For people, in the documentation. */
  readonly text: string;
}

/** Every order other than relevance, by its parameter. */
const table = {
  name: { field: 'name.sort', type: 'keyword', order: 'asc', text: 'A to Z, ignoring case and accents' },
  newest: { field: 'updated_at', type: 'date', order: 'desc', text: 'latest `updated_at` first' },
  founded: { field: 'year_founded', type: 'integer', order: 'asc', text: 'earliest `year_founded` first' },
  funding: { field: 'total_funding_usd', type: 'double', order: 'asc', text: 'least `total_funding_usd` first' },
  employees: { field: 'total_employees', type: 'integer', order: 'asc', text: 'fewest `total_employees` first' },
  starts: { field: 'start_date', type: 'date', order: 'asc', text: 'earliest `start_date` first' },
} as const satisfies Readonly<Record<string, Sort>>;

type FieldSortName = keyof typeof table;
export const fieldSorts: Readonly<Record<FieldSortName, Sort>> = table;

export interface SortOrder {
  readonly by: 'relevance' | FieldSortName;
  readonly reversed: boolean;
}

const byRelevance: SortOrder = { by: 'relevance', reversed: false };

export const sortNames = ['relevance', ...(Object.keys(table) as FieldSortName[])] as const;

const sortWords = sortNames.flatMap((name) => [name, `-${name}`]);

export const sortSchema = z
  .string()
  .transform((text, context): SortOrder => {
    const reversed = text.startsWith('-');
    const word = reversed ? text.slice(1) : text;
    const by = sortNames.find((name) => name === word);
    if (by !== undefined) return { by, reversed };
    context.addIssue(`${noneOf(word, sortNames)} ("-" before it reverses)`);
    return z.NEVER;
  })
  .register(inputJsonSchemas, { schema: { type: 'string', enum: sortWords } });

export function sortKinds(by: SortOrder['by']): readonly KindName[] {
  return by === 'relevance' ? kindNames : kindsWithField(fieldSorts[by].field);
}

/** Returns a total order, so that pages and cursors neither repeat nor skip entities. The index distinguishes kinds. */
export function sortClauses(
  { by, reversed }: SortOrder = byRelevance,
  isScored: boolean,
  kinds: readonly KindName[],
): Clause[] {
  const ties = [...(kinds.length > 1 ? [{ _index: 'asc' }] : []), { id: 'asc' }];
  const flip = (order: 'asc' | 'desc') => (reversed === (order === 'desc') ? 'asc' : 'desc');
  if (by === 'relevance') return [{ [isScored ? '_score' : 'search.popularity']: flip('desc') }, ...ties];
  const { field, type, order } = fieldSorts[by];
  const direction = flip(order);
  return [{ [field]: { order: direction, missing: missing[type][direction], unmapped_type: type } }, ...ties];
}
