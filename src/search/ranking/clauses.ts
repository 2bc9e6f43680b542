import type { KindName } from '../../kinds/kind.ts';
import { kinds } from '../../kinds/registry.ts';
import { isObject } from '../../lib/is-object.ts';

/** The key of a clause's name. JSON leaves out such keys, so Elasticsearch doesn't get them. */
export const clauseName = Symbol('clause name');

/** A clause in Elasticsearch's query language. */
export type Clause = Readonly<Record<string, unknown>> & { readonly [clauseName]?: string };

/** Returns a query whose response lists the named clauses that a hit matches, apart from clauses within others. */
export function reportNames(query: Clause, report: (name: string) => string): Clause {
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inside);
    return isObject(value) ? reportNames(value, report) : value;
  };
  const name = query[clauseName];
  if (name !== undefined) return { bool: { must: [query], _name: report(name) } };
  return Object.fromEntries(Object.entries(query).map(([key, value]) => [key, inside(value)]));
}

export function constantScore(boost: number, filter: Clause): Clause {
  return { constant_score: { filter, boost } };
}

export const popularityWeight = 3;

/** Adds 3·log10(1 + popularity): 0 to about 6.5 points, less than the distance between tiers that differ in kind. */
export function addPopularity(query: Clause): Clause {
  const popularity = { field: 'search.popularity', modifier: 'log1p', missing: 0 };
  return {
    function_score: {
      query,
      functions: [{ field_value_factor: popularity, weight: popularityWeight }],
      score_mode: 'sum',
      boost_mode: 'sum',
    },
  };
}

export function ofKind(kind: KindName): Clause {
  return { match: { 'search.kind_words': kinds[kind].noun } };
}

export function anyOf(clauses: readonly Clause[]): Clause {
  return { bool: { should: clauses, minimum_should_match: 1 } };
}

export function allOf(...filter: readonly Clause[]): Clause {
  return { bool: { filter } };
}

/** A rule on neighbouring words in texts: one after the other, with a limited number of words between. */
export function inOrder(intervals: readonly Clause[], between = 0): Clause {
  return { all_of: { intervals, ordered: true, max_gaps: between } };
}

/** A rule for the words side by side. Stems are analysed as in texts, because "at" is otherwise left out of queries. */
export function sideBySide(query: string, analysis: { readonly analyzer?: 'stems' } = {}): Clause {
  return { match: { query, ...analysis, ordered: true, max_gaps: 0 } };
}

/** Returns a clause for each text that a rule on words may fit. */
export function inTexts(rule: Clause): Clause[] {
  return ['overview', 'search.short'].map((field) => ({ intervals: { [field]: rule } }));
}

/** A search for the documents whose vectors are nearest to one. */
export interface NearVector {
  /** The field below `search` with the vectors of the model in use. An index without it has no hits, and no error. */
  readonly field: string;
  /** Two hexadecimal digits for each number. */
  readonly vector: string;
  /** Applied before the nearest are selected, so that a narrow filter leaves as many as a wide one. */
  readonly filter: readonly Clause[];
  /** Points of a document with the same vector. */
  readonly points: number;
  /** The cosine above which a document is near; without it, all of the nearest are. */
  readonly similarityMin?: number;
}

/** Number of nearest documents found in each index and, by default, of further ones among the other matches. */
const nearestMax = 100;

/** The amount by which the cosine of documents with other evidence may be lower. */
const evidenceMargin = 0.1;

/**
 * Finds the nearest documents, each with `points` times (1 + cosine) / 2. Found documents get 0.7 to 0.95 of the
 * points, so near and far differ by a quarter of them. A document that is not found would rank far behind despite other
 * evidence. Therefore the nearest of those that match otherwise are found as well.
 * @param otherwise null if nothing does
 */
export function nearVector(
  { field, vector, filter, points, similarityMin }: NearVector,
  otherwise: Clause | null,
  otherwiseMax = nearestMax,
): Clause {
  const nearest = (wanted: readonly Clause[], cosineMin = similarityMin, k = nearestMax): Clause => ({
    knn: {
      field: `search.${field}`,
      query_vector: vector,
      k,
      num_candidates: k,
      boost: points,
      ...(cosineMin === undefined ? {} : { similarity: cosineMin }),
      ...(wanted.length === 0 ? {} : { filter: wanted }),
    },
  });
  if (otherwise === null) return nearest(filter);
  const lowerMin = similarityMin === undefined ? undefined : Math.max(-1, similarityMin - evidenceMargin);
  return { dis_max: { queries: [nearest(filter), nearest([...filter, otherwise], lowerMin, otherwiseMax)] } };
}
