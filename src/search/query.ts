import { type KindName, kindNames } from '../kinds/kind.ts';
import type { FacetName } from './options/facets.ts';
import type { Filters } from './options/filters.ts';
import type { SortOrder } from './options/sorts.ts';

/** What a consumer asks. `query` may be empty: then everything of the type is asked for, the most prominent first. */
export interface SearchQuery {
  readonly type: KindName | 'all';
  readonly text: string;
  /** From 1. */
  readonly page: number;
  readonly limit: number;
  /** Fields of the items, instead of those that the kind shows by itself; a kind leaves out what it has not. */
  readonly fields?: readonly string[] | undefined;
  readonly filters?: Filters | undefined;
  /** By relevance, if nothing is said. */
  readonly sort?: SortOrder | undefined;
  /** What is to be counted over all results. */
  readonly facets?: readonly FacetName[] | undefined;
  /** Whether items show where they match. */
  readonly highlight?: boolean | undefined;
}

/**
 * How much of a query is searched for. Longer ones cost time in proportion and find no better: a name, a place and
 * a topic fit well inside.
 */
export const textWordsMax = 16;
export const textCharactersMax = 160;

/**
 * The text that is searched for: in Unicode's compatible composed form (NFKC), so that "é" is one character however it
 * was typed and full-width letters are letters; white space and control characters made one blank, cut to the first 16 words and
 * 160 characters (code points; a word that the cut would split is left out unless it is the only one).
 */
export function normalizeText(query: string): string {
  const words = query
    .normalize('NFKC')
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .split(' ')
    .slice(0, textWordsMax);
  const [first = '', ...rest] = words;
  let text = Array.from(first).slice(0, textCharactersMax).join('');
  for (const word of rest) {
    const longer = `${text} ${word}`;
    if (Array.from(longer).length > textCharactersMax) break;
    text = longer;
  }
  return text;
}

export function kindsOf(type: SearchQuery['type']): readonly KindName[] {
  return type === 'all' ? kindNames : [type];
}
