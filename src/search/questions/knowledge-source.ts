import { z } from 'zod';
import { aliasName } from '../../kinds/index-names.ts';
import { type KindName, kindNames } from '../../kinds/kind.ts';
import type { SearchFailure, SendSearch } from '../ports.ts';
import type { Clause } from '../ranking/clauses.ts';
import { invalidReply } from '../response.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import { createKnowledge, type DataTerms, emptyKnowledge, type Knowledge, sameTerms } from './knowledge.ts';

/** Maximum number of values per field, the most frequent first. Others are searched for as words. */
const sizes = { countries: 1_000, cities: 20_000, topics: 5_000, ecosystems: 2_000, tags: 5_000 } as const;

/** Rarer tags are often names of a token or of the company itself. */
const topicEntitiesMin = 3;

/** A tag of one entity alone is often a typo. */
const tagEntitiesMin = 2;

/** Kinds whose tags are topics. Those of people and events name talks, organisers and chains as well. */
const topicKinds: readonly KindName[] = ['companies', 'investors'];

const buckets = z.object({ buckets: z.array(z.object({ key: z.string() })).default([]) }).default({ buckets: [] });
/** Elasticsearch leaves out of a filtered answer what is empty. */
const answer = z.object({
  timed_out: z.literal(false),
  aggregations: z
    .object({
      countries: buckets,
      cities: buckets,
      ecosystems: buckets,
      tags: buckets,
      topics: z.object({ tags: buckets, focus: buckets }).default({ tags: { buckets: [] }, focus: { buckets: [] } }),
    })
    .prefault({}),
});

function body(indexPrefix: string): Clause {
  // In the spelling of documents.
  const terms = (field: string, size: number, min_doc_count = 1) => {
    return { terms: { field: `${field}.shown`, size, min_doc_count } };
  };
  const topical = topicKinds.map((kind) => ({ prefix: { _index: aliasName(indexPrefix, kind) } }));
  return {
    size: 0,
    track_total_hits: false,
    aggs: {
      countries: terms('location_json.country', sizes.countries),
      cities: terms('location_json.city', sizes.cities),
      ecosystems: terms('ecosystems', sizes.ecosystems),
      tags: terms('tags', sizes.tags, tagEntitiesMin),
      topics: {
        filter: { bool: { should: topical, minimum_should_match: 1 } },
        aggs: {
          tags: terms('tags', sizes.topics, topicEntitiesMin),
          focus: terms('investment_focus', sizes.topics, topicEntitiesMin),
        },
      },
    },
  };
}

/** Reads knowledge in one request. Returns `before` if nothing is new, because much is derived from it. */
export async function loadKnowledge(
  { indexPrefix, vocabulary }: { readonly indexPrefix: string; readonly vocabulary: Vocabulary },
  send: SendSearch,
  before: Knowledge | null = null,
): Promise<{ readonly ok: true; readonly knowledge: Knowledge } | SearchFailure> {
  const reply = await send({
    indices: kindNames.map((kind) => aliasName(indexPrefix, kind)),
    body: body(indexPrefix),
    filterPath: 'timed_out,aggregations',
    flatScores: true,
  });
  if (!reply.ok) return reply;
  const parsed = answer.safeParse(reply.body);
  if (!parsed.success) return invalidReply;
  const { countries, cities, ecosystems, tags, topics } = parsed.data.aggregations;
  const keysOf = (...lists: readonly z.infer<typeof buckets>[]) =>
    new Set(lists.flatMap((list) => list.buckets.map(({ key }) => key)));
  // All concepts are topics except names, such as "a16z".
  const phrases = vocabulary.concepts.flatMap((concept) => (/\d\d/.test(concept.name) ? [] : concept.phrases));
  const terms: DataTerms = {
    countries: keysOf(countries),
    cities: keysOf(cities),
    ecosystems: keysOf(ecosystems),
    tags: keysOf(tags, topics.focus),
    topics: new Set([...keysOf(topics.tags, topics.focus), ...phrases]),
  };
  const isSame = before !== null && sameTerms(before.terms, terms);
  return { ok: true, knowledge: isSame ? before : createKnowledge(terms) };
}

/** The current knowledge for reading questions. */
export interface KnowledgeSource {
  /** Returns the last knowledge immediately, and starts to read it again if that is due. */
  latest(): Knowledge;
}

/** Lifetime of knowledge, and the pause after a failure. */
const readEveryMs = 5 * 60_000;
const retryAfterMs = 5_000;

/**
 * Knowledge that is read at the first use and every five minutes from then on, as long as it is used. Until it has been
 * read, it is empty; if it can't be read, the earlier knowledge stays.
 * @param onFailure called with the first of several failures in a row
 */
export function createKnowledgeSource(
  load: (before: Knowledge | null) => ReturnType<typeof loadKnowledge>,
  clock: { elapsed(): number },
  onFailure: (failure: SearchFailure) => void,
): KnowledgeSource {
  let known = emptyKnowledge;
  let dueMs = Number.NEGATIVE_INFINITY;
  let isFailing = false;

  async function look(): Promise<void> {
    const loaded = await load(known === emptyKnowledge ? null : known);
    dueMs = clock.elapsed() + (loaded.ok ? readEveryMs : retryAfterMs);
    if (loaded.ok) known = loaded.knowledge;
    else if (!isFailing) onFailure(loaded);
    isFailing = !loaded.ok;
  }

  return {
    latest() {
      if (clock.elapsed() >= dueMs) {
        // No second read begins while one is in progress.
        dueMs = Number.POSITIVE_INFINITY;
        void look();
      }
      return known;
    },
  };
}
