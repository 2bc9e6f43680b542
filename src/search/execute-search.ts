import { lazily } from '../lib/lazily.ts';
import { chooseFinalPass, chooseInitialPass, isFound, isNamed, mayBeMeant, mayBeName } from './choose-pass.ts';
import { type Cursor, firstCursor } from './cursor.ts';
import { findNames, readByNames } from './find-names.ts';
import { nearestTerms, type TextMeaning } from './meaning/term-vectors.ts';
import type { SearchFailure, SearchReply, SearchTools } from './ports.ts';
import {
  type Meaning,
  mayDropWords,
  type PreparedQuery,
  prepareQuery,
  relaxedQuery,
  type SearchBody,
  searchBody,
} from './query.ts';
import type { KnownName } from './questions/relations/possible-names.ts';
import { nameQuery, type Pass } from './ranking/ranked-query.ts';
import { isComparable, seedFields, seedOf } from './ranking/similar.ts';
import { isSure } from './ranking/tier-table.ts';
import {
  invalidReply,
  pagedFilterPath,
  parseRawResponse,
  type RawResponse,
  responseFilterPath,
  type SearchResponse,
  toSearchResponse,
} from './response.ts';
import { wordsOf } from './vocabulary/vocabulary.ts';

export interface SearchPage {
  readonly ok: true;
  readonly response: SearchResponse;
  /** The cursor to the next page; null on the last one. */
  readonly next: Cursor | null;
  /** The pass that answered, and the query with what that pass compared with. */
  readonly pass: Pass;
  readonly query: PreparedQuery;
}

interface PassRequest {
  readonly query: PreparedQuery;
  readonly pass: Pass;
  readonly body: SearchBody;
}

type Found = (PassRequest & { readonly ok: true; readonly raw: RawResponse }) | SearchFailure;

/**
 * Searches with one or two requests to Elasticsearch per reading of the text, each with up to two passes, and up to three
 * more. If the text may ask for a relation, the first finds names in it. Then comes the strict or partial pass. If the
 * question names an entity that others must be like or related to, that entity is searched for with or after it, and
 * then the others. If little was found, the last request is the tolerant pass. The pass is chosen by the whole filtered
 * result, so every page of a query comes from the same pass. A question for a class of related entities ("german vcs")
 * searches for these after the names and before the first pass.
 */
export async function executeSearch(prepared: PreparedQuery, tools: SearchTools): Promise<SearchPage | SearchFailure> {
  const names = await findNames(prepared, tools);
  if ('ok' in names) return names;
  const query = await findClass(readByNames(prepared, names, 'few'), tools);
  if ('ok' in query) return query;
  const meaning = readMeaning(query, tools);
  try {
    const found = await findAnswer(query, names, tools, meaning.find);
    if (!found.ok) return found;
    const { query: asked, pass, raw, body } = found;
    const response = toSearchResponse(asked, pass, raw);
    return { ok: true, query: asked, pass, response, next: firstCursor(asked, pass, raw, body) };
  } finally {
    meaning.abandon();
  }
}

/** Maximum number of entities of a class. Cursors carry their ids. */
const classMax = 600;

/**
 * Finds the entities of the class in a question, and relates the results to them. If there are none, the relation is
 * unmet. If they are uncertain or too many, the words of the class stay ignored.
 */
async function findClass(query: PreparedQuery, tools: SearchTools): Promise<PreparedQuery | SearchFailure> {
  const { relatedClass = null, relation = null } = query.reading.question ?? {};
  if (relatedClass === null || relation !== null) return query;
  const { kind, text } = relatedClass;
  const asked = { type: kind, text, page: 1, limit: classMax, fields: ['id'] };
  const found = await executeSearch(prepareQuery(asked, query.context), tools);
  // A search of one kind doesn't need the indices of others.
  if (!found.ok) return found.status === 404 ? query : found;
  const { results, totalResults, understood } = found.response;
  if (totalResults === 0 || understood?.relaxed.includes('place')) return withRelated(query, []);
  const isAnswered = understood?.relaxed.length === 0 && understood.parts.every(({ met }) => met);
  if (!isAnswered || totalResults > classMax) return query;
  return withRelated(
    query,
    results.flatMap(({ id }) => (typeof id === 'number' ? [id] : [])),
  );
}

/** Returns the query with the ids of the entities that its class means. */
function withRelated(query: PreparedQuery, ids: readonly number[]): PreparedQuery {
  const { reading, meaning, context } = query;
  const { question } = reading;
  if (question === null || question.relatedClass === null) return query;
  const { kind, text, part } = question.relatedClass;
  const relation = { role: kind === 'investors' ? 'portfolio' : 'investor', of: text, or: [] } as const;
  const parts = question.parts.map((one) => (one.text === part ? ({ ...one, as: 'relation' } as const) : one));
  const settled = { ...reading, question: { ...question, relation, parts } };
  return prepareQuery(query, context, { reading: settled, meaning: { ...meaning, related: { kind, ids } } });
}

/**
 * Searches for a question as it is read first. If this finds nothing, or nothing with all words, names and relations
 * among any other words may answer, and then fewer conditions.
 */
async function findAnswer(
  query: PreparedQuery,
  names: readonly KnownName[],
  tools: SearchTools,
  meaning: MeaningOf,
): Promise<Found> {
  const found = await findPass(query, tools, meaning);
  const isWeak = isEmpty(found) || (found.ok && found.pass === 'tolerant' && query.isScored);
  const named = isWeak && query.meaning.related === undefined ? readByNames(query, names, 'any') : query;
  const { relation = null, like = null } = named.reading.question ?? {};
  const isOther = JSON.stringify(named.reading) !== JSON.stringify(query.reading);
  const related = isOther && (relation ?? like) !== null ? await findPass(named, tools, meaning) : null;
  return related === null || isEmpty(related) ? findRelaxed(query, found, tools, meaning) : related;
}

/**
 * Drops conditions of a question one at a time until the others have results. The words of a sentence that name no topic
 * are also dropped if results have only part of them, or misspelt.
 */
async function findRelaxed(query: PreparedQuery, found: Found, tools: SearchTools, meaning: MeaningOf): Promise<Found> {
  const isTolerant = found.ok && found.pass === 'tolerant' && mayDropWords(query);
  const relaxed = isEmpty(found) || isTolerant ? relaxedQuery(query) : null;
  if (relaxed === null) return found;
  const other = await findRelaxed(relaxed, await findPass(relaxed, tools, meaning), tools, meaning);
  const isBetter = isEmpty(found) || (other.ok && /^(strict|partial)$/.test(other.pass));
  return isEmpty(other) || !isBetter ? found : other;
}

function isEmpty(found: Found): boolean {
  return found.ok && found.raw.hits.total.value === 0;
}

async function findPass(query: PreparedQuery, tools: SearchTools, meaning: MeaningOf): Promise<Found> {
  const initial = chooseInitialPass(query.type, query.ranked);
  const [first, similar] = await sendFirst(query, passRequest(query, initial), tools);
  if (!first.ok) return first;
  const best = bestOf(first.raw);
  const { ranked, isScored, reading } = query;
  if (similar !== null && !isSure(best)) {
    const found = await sendPass(similar, tools);
    if (!isEmpty(found) || reading.question?.like !== null) return found;
  }
  if (ranked === null) return first;
  const pass = chooseFinalPass(initial, ranked, first.raw.hits.total.value, isScored ? best : undefined);
  if (pass === initial) return first;
  const next = passRequest(query, pass);
  const semantic = mayBeMeant(ranked, pass) ? await semanticRequest(query, tools, meaning) : null;
  if (semantic === null) return sendPass(next, tools);
  // Without a vector of the text, or of any document, the words alone answer.
  const [found, near] = await sendBoth(next, semantic, tools);
  if (!found.ok || !near.ok || isEmpty(near)) return found;
  return pass === 'tolerant' && isFound(ranked, bestOf(found.raw)) ? found : near;
}

/** Sends the first pass. Also returns the request for entities like the one that the query names, if that is found. */
async function sendFirst(
  query: PreparedQuery,
  initial: PassRequest,
  tools: SearchTools,
): Promise<readonly [Found, PassRequest | null]> {
  const { seedQuery, isScored, reading } = query;
  if (seedQuery === null || !isScored) return [await sendPass(initial, tools), null];
  const request = seedRequest(seedQuery, tools);
  if (reading.question?.like !== null || seedQuery.type === 'people') {
    const [first, named] = await sendBoth(initial, request, tools);
    return [first, similarRequest(query, named, tools)];
  }
  // Most investors and companies are known by the name in the question, so that this is rarely sent.
  const first = await sendPass(initial, tools);
  if (!isEmpty(first)) return [first, null];
  return [first, similarRequest(query, await sendPass(request, tools), tools)];
}

function passRequest(query: PreparedQuery, pass: Pass): PassRequest {
  return { query, pass, body: searchBody(query, pass, { from: (query.page - 1) * query.limit, size: query.limit }) };
}

/** Requests the named entity, in any spelling, with the fields for comparing others with it. */
function seedRequest(seedQuery: PreparedQuery, { vectors }: SearchTools): PassRequest {
  const request = passRequest(seedQuery, 'tolerant');
  const query = seedQuery.ranked === null ? request.body.query : nameQuery(seedQuery.ranked);
  return { ...request, body: { ...request.body, query, _source: { includes: seedFields(vectors?.field ?? null) } } };
}

/** Returns null if there is no vector, or the text has no meaning that could answer it. */
async function semanticRequest(
  query: PreparedQuery,
  { vectors }: SearchTools,
  meaning: MeaningOf,
): Promise<PassRequest | null> {
  const { analyzed, rest } = query.ranked ?? {};
  // Names are only found by their letters, and relations only by the data, even if none is found.
  if (mayBeName(query.ranked) || analyzed?.unknown || rest?.unknown || query.reading.question?.relation) return null;
  const text = await meaning();
  if (text === null || vectors === null) return null;
  return passRequest(withMeaning(query, { vectorField: vectors.field, text }), 'semantic');
}

/** Requests entities like the named one, or in its record. Returns null if no entity has that name. */
function similarRequest(query: PreparedQuery, named: Found, { vectors }: SearchTools): PassRequest | null {
  const hit = named.ok ? named.raw.hits.hits[0] : undefined;
  if (!named.ok || hit === undefined || !isNamed(bestOf(named.raw))) return null;
  const isGuessed = !isSure(bestOf(named.raw));
  const { question } = query.reading;
  const seed = { ...seedOf(hit.kind, hit._source, vectors, query.context.vocabulary, question?.sharing), isGuessed };
  const pass = question?.like === null ? 'strict' : 'similar';
  const vectorField = vectors?.field ?? null;
  return isComparable(seed) ? passRequest(withMeaning(query, { vectorField, seed }), pass) : null;
}

function withMeaning(query: PreparedQuery, meaning: Partial<Meaning>): PreparedQuery {
  return { ...query, meaning: { ...query.meaning, ...meaning } };
}

async function sendPass(request: PassRequest, tools: SearchTools): Promise<Found> {
  return foundBy(request, await tools.send(toRequest(request)));
}

async function sendBoth(one: PassRequest, other: PassRequest, tools: SearchTools): Promise<readonly [Found, Found]> {
  const [first = invalidReply, second = invalidReply] = await tools.sendAll([toRequest(one), toRequest(other)]);
  return [foundBy(one, first), foundBy(other, second)];
}

function toRequest({ query: { indices, page }, body }: PassRequest) {
  // A cursor after the first page starts at the top of the list, and one after a later page behind its last hit.
  return { indices, body, filterPath: page === 1 ? responseFilterPath : pagedFilterPath };
}

function foundBy(request: PassRequest, reply: SearchReply): Found {
  if (!reply.ok) return reply;
  const raw = parseRawResponse(reply.body);
  return raw === null ? invalidReply : { ok: true, ...request, raw };
}

/** Returns the points of the best hit, 0 if there is none. */
const bestOf = ({ hits }: RawResponse): number => hits.max_score ?? 0;

/** Returns the meaning of a text; null if it has none, or its vector is not ready in time. */
type MeaningOf = () => Promise<TextMeaning | null>;

/** Embeds the text during the first pass, and abandons it if it isn't needed. All readings share the meaning. */
function readMeaning({ ranked, isScored }: PreparedQuery, { vectors }: SearchTools) {
  const text = ranked === null || !isScored ? '' : (ranked.analyzed.corrected ?? ranked.analyzed).text;
  // A single word is a name, or can be found as a word.
  if (vectors === null || wordsOf(text).length < 2) return noMeaningRead;
  const needless = new AbortController();
  const embedded = vectors.embed(text, needless.signal);
  const find: MeaningOf = lazily(async () => {
    const vector = await embedded;
    return vector === null ? null : nearestTerms(vectors.terms(), vector);
  });
  return { find, abandon: () => needless.abort() };
}

const noMeaningRead = { find: async () => null, abandon: () => undefined };
