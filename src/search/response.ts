import { z } from 'zod';
import { kindOfIndex } from '../kinds/index-names.ts';
import type { KindName } from '../kinds/kind.ts';
import { isObject } from '../lib/is-object.ts';
import { type Facets, facetsFilterPath, rawFacets, toFacets } from './options/facets.ts';
import { rawHighlight, toHighlight } from './options/highlight.ts';
import { collapseSeries } from './options/series.ts';
import type { SearchFailure, SearchReply } from './ports.ts';
import { askedOrder, type PreparedQuery } from './query.ts';
import type { Question, ReadPart } from './questions/question.ts';
import { type Condition, tellingWords } from './questions/relax.ts';
import { relaxedNote } from './questions/relaxed-note.ts';
import { nameMatch, type Pass } from './ranking/ranked-query.ts';
import { unreadEnd } from './vocabulary/analyze-text.ts';

/** An entity in a search answer: its kind and the requested fields. */
export type Item = { readonly entity_type: KindName } & Readonly<Record<string, unknown>>;

type MatchedBy = 'strict' | 'tolerant' | 'semantic';

const matchedBy: Readonly<Record<Pass, MatchedBy>> = {
  strict: 'strict',
  // Callers only see if spelling or meaning was guessed.
  partial: 'strict',
  tolerant: 'tolerant',
  semantic: 'semantic',
  similar: 'semantic',
};

export interface SearchResponse {
  readonly results: readonly Item[];
  /** Exact. */
  readonly totalResults: number;
  readonly totalPages: number;
  readonly page: number;
  readonly limit: number;
  /** `tolerant` if the spelling was guessed, `semantic` if the meaning was. */
  readonly matchedBy: MatchedBy;
  /** Null if nothing was understood, or the text is taken literally. */
  readonly understood: Understood | null;
  readonly facets?: Facets;
}

/** The reading of a text, as callers see it. */
export interface Understood
  extends Pick<
    Question,
    'kinds' | 'relation' | 'also' | 'like' | 'amounts' | 'places' | 'time' | 'online' | 'chains' | 'order'
  > {
  /** The rest of the text, which is searched for as words. It may be empty. */
  readonly words: string;
  /** `met` is true if every result of the page meets the part. */
  readonly parts: readonly (ReadPart & { readonly met: boolean })[];
  /** Names, topics and conditions that no result has. */
  readonly without: readonly string[];
  /** Conditions that were dropped because no entity meets all of them. */
  readonly relaxed: readonly Condition[];
  /** Describes them in a sentence; null if there are none. */
  readonly note: string | null;
}

/** Returns null for a text that is searched for as words, or that is an entity's name. */
function understoodOf({ reading, ranked, text, sort, meaning }: PreparedQuery, pass: Pass, hits: readonly RawHit[]) {
  const { question } = reading;
  // Words may be dropped twice: first all but the topics, then these.
  const relaxed = [...new Set(reading.relaxed)];
  const isName = relaxed.length === 0 && hits[0]?.matched_queries.includes(nameMatch);
  if (question === null || !ranked?.question || isName) return null;
  const { rest, kinds, relation, also, like, amounts, places, time, online, chains, order, parts } = question;
  const isMet = ({ as }: ReadPart): boolean => {
    if (as === 'ignored') return false;
    if (hits.length === 0) return true;
    if (as === 'like') return pass === 'similar' && meaning.seed?.isGuessed !== true;
    // "Upcoming" is a time.
    if (as === 'order' && time === null) return sort === undefined && askedOrder(question) !== undefined;
    return hits.every((hit) => hit.matched_queries.includes(as === 'order' ? 'time' : as));
  };
  const words = tellingWords(question).join(' ');
  const unread = unreadEnd(text);
  const all: readonly ReadPart[] = [
    ...parts,
    ...(words === '' ? [] : [{ as: 'words', text: words } as const]),
    ...(unread === '' ? [] : [{ as: 'ignored', text: unread } as const]),
  ];
  const met = all.map((part) => ({ ...part, met: isMet(part) }));
  const unwanted = [...question.withoutTopics, ...question.excluded].map((one) => one.text);
  const without = [...question.without, ...unwanted];
  const note = relaxedNote(text, { ...question, parts: met, relaxed });
  const conditions = { kinds, relation, also, like, without, amounts, places, time, online, chains, order };
  return { words: rest, ...conditions, parts: met, relaxed, note };
}

export const sortValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** Hits are checked as a whole: checking each field of each hit took longer than parsing the answer. */
const source = z.custom<Readonly<Record<string, unknown>>>(isObject, 'is not an object');

const rawHit = z
  .object({
    _index: z.string(),
    _source: source,
    highlight: rawHighlight.optional(),
    matched_queries: z.array(z.string()).default([]),
    sort: z.array(sortValue).default([]),
  })
  .transform((hit, context) => {
    const kind = kindOfIndex(hit._index);
    if (kind !== null) return { ...hit, kind };
    context.addIssue({ code: 'custom', message: 'is of an index that is not ours' });
    return z.NEVER;
  });

/** The parts of Elasticsearch's response that are read; the rest is never transferred. */
export const responseFilterPath = [
  'timed_out,pit_id,hits.total.value,hits.max_score',
  ...['_index', '_source', 'highlight', 'matched_queries'].map((part) => `hits.hits.${part}`),
  facetsFilterPath,
].join(',');
/** The same, with the sort values that a cursor needs. */
export const pagedFilterPath = `${responseFilterPath},hits.hits.sort`;

// Elasticsearch leaves empty arrays and empty objects out of a filtered response.
const rawResponse = z.object({
  timed_out: z.literal(false),
  pit_id: z.string().optional(),
  hits: z.object({
    total: z.object({ value: z.int().nonnegative() }),
    max_score: z.number().nullish(),
    hits: z.array(rawHit).default([]),
  }),
  aggregations: rawFacets,
});
export type RawResponse = z.output<typeof rawResponse>;
export type RawHit = RawResponse['hits']['hits'][number];

/** Elasticsearch answered, but not with a complete response about our indices. */
export const invalidReply: SearchFailure = { ok: false, reason: 'invalid', cause: undefined };

/** The parts of a response without a total that are read. */
export const hitsFilterPath = 'timed_out,hits.hits._index,hits.hits._source,hits.hits.matched_queries';

const rawHits = z.object({
  timed_out: z.literal(false),
  hits: z.object({ hits: z.array(rawHit).default([]) }).default({ hits: [] }),
});

/** Returns the hits of a response, or a failure if it isn't a complete one about our indices. */
export function hitsOf(reply: SearchReply): { readonly ok: true; readonly hits: readonly RawHit[] } | SearchFailure {
  if (!reply.ok) return reply;
  const parsed = rawHits.safeParse(reply.body);
  return parsed.success ? { ok: true, hits: parsed.data.hits.hits } : invalidReply;
}

/** Returns null if the body isn't a complete response of Elasticsearch about our indices. */
export function parseRawResponse(body: unknown): RawResponse | null {
  const parsed = rawResponse.safeParse(body);
  return parsed.success ? parsed.data : null;
}

export function toSearchResponse(query: PreparedQuery, pass: Pass, raw: RawResponse): SearchResponse {
  const { facets = [] } = query;
  return {
    results: toItems(query, raw.hits.hits),
    totalResults: raw.hits.total.value,
    totalPages: Math.ceil(raw.hits.total.value / query.limit),
    page: query.page,
    limit: query.limit,
    matchedBy: matchedBy[pass],
    understood: understoodOf(query, pass, raw.hits.hits),
    ...(facets.length === 0 ? {} : { facets: toFacets(facets, raw.aggregations) }),
  };
}

/** Returns an item for each hit, or for each series of hits if the query collapses them. */
function toItems({ shownFields, highlight, collapse }: PreparedQuery, hits: readonly RawHit[]): readonly Item[] {
  const lines = hits.map((hit) => {
    const item = itemOf(hit, shownFields.get(hit.kind) ?? []);
    const shown = highlight ? { ...item, highlight: toHighlight(hit.highlight) } : item;
    return { kind: hit.kind, item: shown, source: hit._source };
  });
  return collapse === undefined ? lines.map(({ item }) => item) : collapseSeries(lines);
}

export function itemOf({ kind, _source }: Pick<RawHit, 'kind' | '_source'>, fields: readonly string[]): Item {
  return { entity_type: kind, ...Object.fromEntries(fields.map((field) => [field, _source[field] ?? null])) };
}
