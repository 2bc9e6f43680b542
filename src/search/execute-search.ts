import { nearestTerms } from './meaning/term-vectors.ts';
import type { Cursor } from './pagination/cursor.ts';
import { firstCursor } from './pagination/cursor-page.ts';
import { asksForKinds, chooseFinalPass, chooseInitialPass, isFound, isNamed, isSure, type Pass } from './passes.ts';
import type { SearchFailure, SearchReply, SearchTools, TextMeaning, UntimedRequest } from './ports.ts';
import type { PreparedQuery } from './query.ts';
import { nameQuery } from './ranking/ranked-query.ts';
import { isComparable, seedFields, seedOf } from './ranking/similar.ts';
import { bodyText, rankingText, type SearchBody, searchBody } from './request-body.ts';
import {
  invalidReply,
  pagedFilterPath,
  parseRawResponse,
  type RawResponse,
  responseFilterPath,
  type SearchResponse,
  toSearchResponse,
} from './response.ts';

/** A page of results, and the cursor behind it; null behind the last page. */
export interface SearchPage {
  readonly ok: true;
  readonly response: SearchResponse;
  readonly next: Cursor | null;
}

/** What the pass found that answers, and how it was asked. */
export interface Found {
  readonly query: PreparedQuery;
  readonly pass: Pass;
  /** What the body says about ranking, as JSON. */
  readonly ranking: string;
  readonly raw: RawResponse;
}

/**
 * Searches with at most two requests to Elasticsearch, each of which may hold two passes. The first request is the
 * strict or partial pass and, where the query asks for what is like an entity, the search for that entity. The second is
 * sent where the first found little, or found that entity. Which pass answers is chosen by the whole result under the
 * filters, so every page of a query is of the same one.
 */
export async function executeSearch(query: PreparedQuery, tools: SearchTools): Promise<SearchPage | SearchFailure> {
  const found = await findResults(query, tools);
  return found.ok ? toPage(found) : found;
}

/** The same, with Elasticsearch's answer as it came. */
export async function findResults(query: PreparedQuery, tools: SearchTools): Promise<Outcome> {
  const embedding = beginEmbedding(query, tools);
  try {
    return await findPass(query, tools, embedding);
  } finally {
    // Not waited for where the first pass was enough.
    embedding.drop();
  }
}

type Outcome = ({ readonly ok: true } & Found) | SearchFailure;

async function findPass(query: PreparedQuery, tools: SearchTools, embedding: Embedding): Promise<Outcome> {
  const initial = passRequest(query, chooseInitialPass(query.type));
  const [first, similar] = await sendFirst(query, initial, tools);
  if (!first.ok) return first;
  if (similar !== null && !isSure(first.raw.hits.max_score ?? 0)) return sendOne(similar, tools);
  const pass = finalPass(query, first.raw);
  if (pass === initial.pass) return first;
  const next = passRequest(query, pass);
  const semantic = pass === 'tolerant' ? semanticRequest(query, await embedding.meaning(), tools) : null;
  return semantic === null ? sendOne(next, tools) : sendWithMeaning(query, next, semantic, tools);
}

/** The first pass and, where the query asks for what is like an entity, the request for that, if the entity is found. */
async function sendFirst(
  query: PreparedQuery,
  initial: PassRequest,
  tools: SearchTools,
): Promise<readonly [Outcome, PassRequest | null]> {
  if (query.seedQuery === null || !query.isScored) return [await sendOne(initial, tools), null];
  const [first, named] = await sendBoth(initial, seedRequest(query.seedQuery, tools), tools);
  return [first, similarRequest(query, named, tools)];
}

/** The tolerant pass and the one by meaning, of which the latter answers only where the former has found nothing. */
async function sendWithMeaning(
  { ranked }: PreparedQuery,
  tolerantPass: PassRequest,
  semanticPass: PassRequest,
  tools: SearchTools,
): Promise<Outcome> {
  const [tolerant, semantic] = await sendBoth(tolerantPass, semanticPass, tools);
  // What can't be compared by meaning, or with no document that has a vector yet, is searched for by its words.
  if (!tolerant.ok || !semantic.ok || ranked === null || semantic.raw.hits.total.value === 0) return tolerant;
  return isFound(ranked, tolerant.raw.hits.max_score ?? 0) ? tolerant : semantic;
}

function finalPass({ type, ranked, isScored }: PreparedQuery, { hits }: RawResponse): Pass {
  const initial = chooseInitialPass(type);
  if (ranked === null) return initial;
  const best = isScored ? { best: hits.max_score ?? 0 } : {};
  return chooseFinalPass(initial, ranked.analyzed, {
    ...best,
    hits: hits.total.value,
    asksForKinds: asksForKinds(ranked),
  });
}

interface PassRequest extends Omit<Found, 'raw'> {
  readonly request: UntimedRequest;
}

function passRequest(query: PreparedQuery, pass: Pass): PassRequest {
  return requestWith(query, pass, passBody(query, pass));
}

function passBody(query: PreparedQuery, pass: Pass): SearchBody {
  return searchBody(query, pass, { from: (query.page - 1) * query.limit, size: query.limit });
}

function requestWith(query: PreparedQuery, pass: Pass, body: SearchBody): PassRequest {
  const ranking = rankingText(body);
  const text = bodyText(body, ranking);
  // The cursor behind the first page begins at the top, that of a later page behind its last hit.
  const filterPath = query.page === 1 ? responseFilterPath : pagedFilterPath;
  return { query, pass, ranking, request: { indices: query.indices, body, text, filterPath } };
}

/** Asks for the entity that is named, however it is spelt, with the fields by which others are compared with it. */
function seedRequest(seedQuery: PreparedQuery, { vectors }: SearchTools): PassRequest {
  const body = passBody(seedQuery, 'tolerant');
  const query = seedQuery.ranked === null ? body.query : nameQuery(seedQuery.ranked);
  return requestWith(seedQuery, 'tolerant', {
    ...body,
    query,
    _source: { includes: seedFields(vectors?.field ?? null) },
  });
}

/** Null where there is no vector. */
function semanticRequest(query: PreparedQuery, text: TextMeaning | null, { vectors }: SearchTools): PassRequest | null {
  if (text === null || vectors === null) return null;
  return passRequest({ ...query, meaning: { ...query.meaning, vectorField: vectors.field, text } }, 'semantic');
}

/** Null where no entity is called so. */
function similarRequest(query: PreparedQuery, named: Outcome, { vectors }: SearchTools): PassRequest | null {
  if (!named.ok || !isNamed(named.raw.hits.max_score ?? 0)) return null;
  const [hit] = named.raw.hits.hits;
  if (hit === undefined) return null;
  const vectorField = vectors?.field ?? null;
  const seed = seedOf(hit.kind, hit._source, vectorField, query.vocabulary);
  if (!isComparable(seed)) return null;
  return passRequest({ ...query, meaning: { ...query.meaning, vectorField, seed } }, 'similar');
}

async function sendOne(request: PassRequest, tools: SearchTools): Promise<Outcome> {
  return outcomeOf(request, await tools.send(request.request));
}

async function sendBoth(
  one: PassRequest,
  other: PassRequest,
  tools: SearchTools,
): Promise<readonly [Outcome, Outcome]> {
  const [first = invalidReply, second = invalidReply] = await tools.sendAll([one.request, other.request]);
  return [outcomeOf(one, first), outcomeOf(other, second)];
}

function outcomeOf({ query, pass, ranking }: PassRequest, reply: SearchReply): Outcome {
  if (!reply.ok) return reply;
  const raw = parseRawResponse(reply.body);
  return raw === null ? invalidReply : { ok: true, query, pass, ranking, raw };
}

function toPage({ query, pass, raw, ranking }: Found): SearchPage {
  return { ok: true, response: toSearchResponse(query, pass, raw), next: firstCursor(query, pass, raw, ranking) };
}

/** What a text means, begun while the first pass is under way, which may make it needless. */
interface Embedding {
  meaning(): Promise<TextMeaning | null>;
  drop(): void;
}

function beginEmbedding({ ranked, isScored }: PreparedQuery, { vectors }: SearchTools): Embedding {
  const text = ranked === null || !isScored ? '' : ranked.analyzed.text;
  // A word by itself is a name, or found as a word.
  if (vectors === null || !text.includes(' ')) return { meaning: async () => null, drop() {} };
  const dropping = new AbortController();
  const begun = vectors.embed(text, dropping.signal);
  return {
    async meaning() {
      const vector = await begun;
      return vector === null ? null : { vector, ...nearestTerms(vectors.terms(), vector) };
    },
    drop: () => dropping.abort(),
  };
}
