import { z } from 'zod';
import { aliasName } from '../../kinds/index-names.ts';
import { type KindName, kindNames } from '../../kinds/kind.ts';
import type { SearchFailure, SendSearch } from '../ports.ts';
import type { Clause } from '../ranking/clauses.ts';
import { invalidReply } from '../response.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import { createKnowledge, type DataTerms, emptyKnowledge, type Knowledge, sameTerms } from './knowledge.ts';

/** How many values are read of each, the most frequent first: what is left out is searched for as words. */
const sizes = { countries: 1_000, cities: 20_000, topics: 5_000, ecosystems: 2_000, tags: 5_000 } as const;

/** Rarer tags are often names: of a token, of the company itself. */
const topicEntitiesMin = 3;

/** A tag of one entity alone is often a slip. */
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

function terms(field: string, size: number, countMin = 1): Clause {
  // As documents spell it.
  return { terms: { field: `${field}.shown`, size, min_doc_count: countMin } };
}

function body(indexPrefix: string): Clause {
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

/** What knowledge is made of: the indices, and which phrases mean topics. */
export interface KnowledgeBasis {
  readonly indexPrefix: string;
  readonly vocabulary: Vocabulary;
}

/**
 * Reads from the indices what the data knows: one request, which nobody waits for.
 * @param before given back where nothing is new: much is derived from knowledge, and made once for each
 */
export async function loadKnowledge(
  { indexPrefix, vocabulary }: KnowledgeBasis,
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
  const terms: DataTerms = {
    countries: keysOf(countries),
    cities: keysOf(cities),
    ecosystems: keysOf(ecosystems),
    tags: keysOf(tags, topics.focus),
    topics: new Set([...keysOf(topics.tags, topics.focus), ...vocabulary.concepts.flatMap(({ phrases }) => phrases)]),
  };
  const isSame = before !== null && sameTerms(before.terms, terms);
  return { ok: true, knowledge: isSame ? before : createKnowledge(terms) };
}

/** What questions are read with at the moment. */
export interface KnowledgeSource {
  /** What was read last. Answers at once, and has it read again where that is due. */
  latest(): Knowledge;
}

/** How long knowledge is good, and when it is tried again after a failure. */
const readEveryMs = 5 * 60_000;
const retryAfterMs = 5_000;

/**
 * Knowledge that is read when it is first asked for and every five minutes from then on, as long as somebody asks.
 * Until it has been read, nothing is known; where it can't be read, what was known before stays.
 * @param load never rejects; told what is known, null before anything is
 * @param onFailure told the first of several failures in a row
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
        // Nobody else begins while one is under way.
        dueMs = Number.POSITIVE_INFINITY;
        void look();
      }
      return known;
    },
  };
}
