import { shownFields } from '../kinds/fields.ts';
import { aliasName } from '../kinds/index-names.ts';
import { type KindName, kindNames } from '../kinds/kind.ts';
import type { FacetName, Filters } from './options/filters.ts';
import type { SortOrder } from './options/sorts.ts';
import { type AnalyzedText, analyzeText, normalizeText } from './vocabulary/analyze-text.ts';
import type { Vocabulary } from './vocabulary/vocabulary.ts';

/** What a consumer searches for. `text` may be empty: then all of the type is found, the most prominent first. */
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

/** A query with all that is derived from it once, before the first request. */
export interface PreparedQuery extends SearchQuery {
  readonly kinds: readonly KindName[];
  /** The kinds' aliases. */
  readonly indices: readonly string[];
  /** Null where there is no text to search for. */
  readonly analyzed: AnalyzedText | null;
  /** Whether hits have points: there is a text, and they are ordered by relevance to it. */
  readonly isScored: boolean;
  readonly shownFields: ReadonlyMap<KindName, readonly string[]>;
}

/** What a query is read with. */
export interface QueryContext {
  readonly vocabulary: Vocabulary;
  readonly indexPrefix: string;
}

export function prepareQuery(query: SearchQuery, { vocabulary, indexPrefix }: QueryContext): PreparedQuery {
  const kinds = kindsOf(query.type);
  const text = normalizeText(query.text);
  return {
    ...query,
    kinds,
    indices: kinds.map((kind) => aliasName(indexPrefix, kind)),
    analyzed: text === '' ? null : analyzeText(text, vocabulary),
    isScored: text !== '' && (query.sort === undefined || query.sort.by === 'relevance'),
    shownFields: new Map(kinds.map((kind) => [kind, shownFields(kind, query.fields)])),
  };
}

export function kindsOf(type: SearchQuery['type']): readonly KindName[] {
  return type === 'all' ? kindNames : [type];
}
