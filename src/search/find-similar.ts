import { shownFields } from '../kinds/fields.ts';
import { aliasName } from '../kinds/index-names.ts';
import type { KindName } from '../kinds/kind.ts';
import type { SearchFailure, SearchTools } from './ports.ts';
import { anyOf, type Clause, constantScore, reportNames } from './ranking/clauses.ts';
import { isComparable, seedFields, seedOf, similarQuery } from './ranking/similar.ts';
import { hitsFilterPath, hitsOf, type Item, itemOf, type RawHit } from './response.ts';
import { comparedFields, type Shared, sharedFields, sharedWith } from './shared-traits.ts';
import type { Vocabulary } from './vocabulary/vocabulary.ts';

/** The entity to compare others with, and the wanted results. */
export interface SimilarQuery {
  readonly kind: KindName;
  /** An entity with the id comes before one with the slug. */
  readonly id: number | null;
  readonly slug: string | null;
  readonly limit: number;
  readonly fields?: readonly string[] | undefined;
  readonly indexPrefix: string;
  readonly vocabulary: Vocabulary;
}

/** The strongest reason for a result: shared values, rare words that texts share, or a near meaning, a guess. */
export const similarBy = ['shared', 'words', 'semantic'] as const;
type SimilarBy = (typeof similarBy)[number];

export type SimilarItem = Item & { readonly shared: Shared; readonly matchedBy: SimilarBy };

export interface SimilarEntities {
  readonly results: readonly SimilarItem[];
  readonly of: { readonly entity_type: KindName; readonly id: number; readonly name: string };
}

/**
 * Reads the entity's document, then finds similar ones, with two requests at most. Documents without vectors are
 * compared only by shared values and words. `found` is null if no document has the id or slug.
 */
export async function findSimilar(
  query: SimilarQuery,
  { send, vectors }: Pick<SearchTools, 'send' | 'vectors'>,
): Promise<{ readonly ok: true; readonly found: SimilarEntities | null } | SearchFailure> {
  const { kind, limit } = query;
  const indices = [aliasName(query.indexPrefix, kind)];
  const vectorField = vectors?.field ?? null;
  const ask = async (body: Clause, flatScores: boolean) => {
    const sort = [{ _score: 'desc' }, { id: 'asc' }];
    const whole = { ...body, track_total_hits: false, sort };
    return hitsOf(await send({ indices, body: whole, filterPath: hitsFilterPath, flatScores }));
  };
  const entity = await ask(entityBody(query, vectorField), true);
  if (!entity.ok) return entity;
  const [hit] = entity.hits;
  if (hit === undefined) return { ok: true, found: null };
  const { _source: source } = hit;
  const seed = seedOf(kind, source, vectors, query.vocabulary);
  const of = { entity_type: kind, id: seed.id, name: seed.name };
  if (!isComparable(seed)) return { ok: true, found: { results: [], of } };

  const shown = shownFields(kind, query.fields);
  const near = vectorField === null ? null : { field: vectorField, filter: [] };
  const similar = await ask(
    {
      size: limit,
      _source: { includes: [...new Set([...shown, ...sharedFields(kind)])] },
      query: reportNames(similarQuery(seed, near, { question: null, rest: null }), (name) => name),
    },
    false,
  );
  if (!similar.ok) return similar;
  const sharedBy = sharedWith(kind, source);
  return { ok: true, found: { results: similar.hits.map((other) => toItem(other, shown, sharedBy)), of } };
}

function entityBody({ kind, id, slug }: SimilarQuery, vectorField: string | null): Clause {
  return {
    size: 1,
    _source: { includes: [...new Set([...seedFields(vectorField), ...comparedFields(kind)])] },
    query: anyOf([
      ...(id === null ? [] : [constantScore(2, { term: { id } })]),
      ...(slug === null ? [] : [constantScore(1, { term: { slug } })]),
    ]),
  };
}

function toItem(hit: RawHit, shown: readonly string[], sharedBy: ReturnType<typeof sharedWith>): SimilarItem {
  const matched = (...names: readonly string[]) => names.some((name) => hit.matched_queries.includes(name));
  return {
    ...itemOf(hit, shown),
    shared: sharedBy(hit._source),
    matchedBy: matched('sharedTrait') ? 'shared' : matched('sharedWords', 'sharedConcept') ? 'words' : 'semantic',
  };
}
