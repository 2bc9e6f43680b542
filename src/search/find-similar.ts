import { z } from 'zod';
import { shownFields } from '../kinds/fields.ts';
import { aliasName } from '../kinds/index-names.ts';
import type { KindName } from '../kinds/kind.ts';
import type { SearchFailure, SearchTools } from './ports.ts';
import { anyOf, type Clause, constantScore } from './ranking/clauses.ts';
import { isComparable, seedFields, seedOf, similarQuery } from './ranking/similar.ts';
import { invalidReply } from './response.ts';
import { comparedFields, type Shared, sharedFields, sharedWith } from './shared-traits.ts';

/** The entity whose likes are wanted, and what of them. */
export interface SimilarQuery {
  readonly kind: KindName;
  /** An entity with the id comes before one with the slug. */
  readonly id: number | null;
  readonly slug: string | null;
  readonly limit: number;
  /** Fields of the items, instead of those that the kind shows by itself. */
  readonly fields?: readonly string[] | undefined;
  readonly indexPrefix: string;
}

/** An entity with the fields that were asked for, and why it is there. */
export type SimilarItem = {
  readonly entity_type: KindName;
  readonly shared: Shared;
  /** `semantic` where nothing is shared: its text is near in meaning, which is a guess. */
  readonly matchedBy: 'shared' | 'semantic';
} & Readonly<Record<string, unknown>>;

/** What is like an entity, the most alike first. */
export interface SimilarEntities {
  readonly results: readonly SimilarItem[];
  readonly of: { readonly entity_type: KindName; readonly id: number; readonly name: string };
}

/**
 * Reads the entity's document, then finds what is like it: two requests at most. Documents without vectors are compared by
 * what they share alone. `found` is null where no document has the id or slug.
 */
export async function findSimilar(
  query: SimilarQuery,
  { send, vectors }: Pick<SearchTools, 'send' | 'vectors'>,
): Promise<{ readonly ok: true; readonly found: SimilarEntities | null } | SearchFailure> {
  const { kind, limit } = query;
  const indices = [aliasName(query.indexPrefix, kind)];
  const vectorField = vectors?.field ?? null;
  const ask = async (body: Clause, flatScores: boolean) => {
    const reply = await send({ indices, body, filterPath, flatScores });
    return reply.ok ? sourcesOf(reply.body) : reply;
  };

  const named = await ask(entityBody(query, vectorField), true);
  if (!named.ok) return named;
  const [source] = named.sources;
  if (source === undefined) return { ok: true, found: null };
  const seed = seedOf(kind, source, vectorField);
  const of = { entity_type: kind, id: seed.id, name: seed.name };
  if (!isComparable(seed)) return { ok: true, found: { results: [], of } };

  const shown = shownFields(kind, query.fields);
  const near = vectorField === null ? null : { field: vectorField, filter: [] };
  const similar = await ask(
    {
      size: limit,
      track_total_hits: false,
      _source: { includes: [...new Set([...shown, ...sharedFields(kind)])] },
      query: similarQuery(seed, near, null),
      sort: [{ _score: 'desc' }, { id: 'asc' }],
    },
    false,
  );
  if (!similar.ok) return similar;
  const sharedBy = sharedWith(kind, source);
  return { ok: true, found: { results: similar.sources.map((other) => toItem(kind, shown, other, sharedBy)), of } };
}

/** The document of the entity itself. */
function entityBody({ kind, id, slug }: SimilarQuery, vectorField: string | null): Clause {
  return {
    size: 1,
    track_total_hits: false,
    _source: { includes: [...new Set([...seedFields(vectorField), ...comparedFields(kind)])] },
    query: anyOf([
      ...(id === null ? [] : [constantScore(2, { term: { id } })]),
      ...(slug === null ? [] : [constantScore(1, { term: { slug } })]),
    ]),
    sort: [{ _score: 'desc' }, { id: 'asc' }],
  };
}

type Source = Readonly<Record<string, unknown>>;

function toItem(
  kind: KindName,
  shown: readonly string[],
  source: Source,
  sharedBy: ReturnType<typeof sharedWith>,
): SimilarItem {
  const shared = sharedBy(source);
  return {
    entity_type: kind,
    ...Object.fromEntries(shown.map((field) => [field, source[field] ?? null])),
    shared,
    matchedBy: Object.keys(shared).length === 0 ? 'semantic' : 'shared',
  };
}

/** What of a response is read. */
const filterPath = 'timed_out,hits.hits._source';

// Elasticsearch leaves empty arrays, and objects that are empty without them, out of a filtered answer.
const answer = z.object({
  timed_out: z.literal(false),
  hits: z
    .object({ hits: z.array(z.object({ _source: z.record(z.string(), z.unknown()) })).default([]) })
    .default({ hits: [] }),
});

function sourcesOf(body: unknown): { readonly ok: true; readonly sources: readonly Source[] } | SearchFailure {
  const parsed = answer.safeParse(body);
  return parsed.success ? { ok: true, sources: parsed.data.hits.hits.map((hit) => hit._source) } : invalidReply;
}
