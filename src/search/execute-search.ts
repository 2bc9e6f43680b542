import type { KindName } from '../kinds/kind.ts';
import { lazily } from '../lib/lazily.ts';
import { type Cursor, firstCursor } from './cursor.ts';
import { nearestTerms } from './meaning/term-vectors.ts';
import type { SearchFailure, SearchReply, SearchTools, TextMeaning } from './ports.ts';
import { type Meaning, type PreparedQuery, relaxedQuery, type SearchBody, searchBody } from './query.ts';
import { popularityMax } from './ranking/clauses.ts';
import { type InitialPass, nameQuery, type Pass, type RankedText } from './ranking/ranked-query.ts';
import { isComparable, seedFields, seedOf } from './ranking/similar.ts';
import { isSure, tierTable } from './ranking/tier-table.ts';
import {
  invalidReply,
  pagedFilterPath,
  parseRawResponse,
  type RawResponse,
  responseFilterPath,
  type SearchResponse,
  toSearchResponse,
} from './response.ts';
import type { AnalyzedText } from './vocabulary/analyze-text.ts';
import { wordsOf } from './vocabulary/vocabulary.ts';

/** A page of results. */
export interface SearchPage {
  readonly ok: true;
  readonly response: SearchResponse;
  /** The cursor to the next page; null on the last one. */
  readonly next: Cursor | null;
  /** The pass that answered, and the query with what that pass compared with. */
  readonly pass: Pass;
  readonly query: PreparedQuery;
}

/** One pass of a query. */
interface PassRequest {
  readonly query: PreparedQuery;
  readonly pass: Pass;
  readonly body: SearchBody;
}

type Found = (PassRequest & { readonly ok: true; readonly raw: RawResponse }) | SearchFailure;

/**
 * Searches with at most two requests to Elasticsearch for each reading of the text; each may hold two passes. The first request is the strict or
 * partial pass and, if the query asks for entities like another one, the search for that other entity. The
 * second is sent if the first found little, or found that entity. The pass is chosen by the whole filtered result, so
 * every page of a query comes from the same pass.
 */
export async function executeSearch(query: PreparedQuery, tools: SearchTools): Promise<SearchPage | SearchFailure> {
  const needless = new AbortController();
  try {
    const found = await findRelaxed(query, tools, readMeaning(query, tools, needless.signal));
    if (!found.ok) return found;
    const { query: asked, pass, raw, body } = found;
    const response = toSearchResponse(asked, pass, raw);
    return { ok: true, query: asked, pass, response, next: firstCursor(asked, pass, raw, body) };
  } finally {
    needless.abort();
  }
}

/** Drops conditions of a question one at a time until the others have results. */
async function findRelaxed(query: PreparedQuery, tools: SearchTools, meaning: MeaningOf): Promise<Found> {
  const found = await findPass(query, tools, meaning);
  const relaxed = found.ok && found.raw.hits.total.value === 0 ? relaxedQuery(query) : null;
  if (relaxed === null) return found;
  const other = await findRelaxed(relaxed, tools, meaning);
  return other.ok && other.raw.hits.total.value === 0 ? found : other;
}

async function findPass(query: PreparedQuery, tools: SearchTools, meaning: MeaningOf): Promise<Found> {
  const initial = chooseInitialPass(query.type);
  const [first, similar] = await sendFirst(query, passRequest(query, initial), tools);
  if (!first.ok) return first;
  const best = bestOf(first.raw);
  if (similar !== null && !isSure(best)) return sendPass(similar, tools);
  const { ranked, isScored } = query;
  if (ranked === null) return first;
  const pass = chooseFinalPass(initial, ranked.analyzed, {
    ...(isScored ? { best } : {}),
    hits: first.raw.hits.total.value,
    asksForKinds: asksForKinds(ranked),
  });
  if (pass === initial) return first;
  const next = passRequest(query, pass);
  const semantic = pass === 'tolerant' ? await semanticRequest(query, tools, meaning) : null;
  if (semantic === null) return sendPass(next, tools);
  // Without a vector of the text, or of any document, the tolerant pass searches by words alone.
  const [tolerant, near] = await sendBoth(next, semantic, tools);
  if (!tolerant.ok || !near.ok || near.raw.hits.total.value === 0) return tolerant;
  return isFound(ranked, bestOf(tolerant.raw)) ? tolerant : near;
}

/**
 * Sends the first pass. If the query asks for entities like another one, and that one is found, also returns the
 * request for them.
 */
async function sendFirst(
  query: PreparedQuery,
  initial: PassRequest,
  tools: SearchTools,
): Promise<readonly [Found, PassRequest | null]> {
  if (query.seedQuery === null || !query.isScored) return [await sendPass(initial, tools), null];
  const [first, named] = await sendBoth(initial, seedRequest(query.seedQuery, tools), tools);
  return [first, similarRequest(query, named, tools)];
}

function passRequest(query: PreparedQuery, pass: Pass): PassRequest {
  return { query, pass, body: searchBody(query, pass, { from: (query.page - 1) * query.limit, size: query.limit }) };
}

/** Asks for the entity that is named, however it is spelt, with the fields by which others are compared with it. */
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
  const { analyzed, rest, question } = query.ranked ?? {};
  // A name is found by its letters or not at all, and a relation by the data.
  if (analyzed?.unknown || rest?.unknown || question?.relation) return null;
  const text = await meaning();
  if (text === null || vectors === null) return null;
  return passRequest(withMeaning(query, { vectorField: vectors.field, text }), 'semantic');
}

/** Returns null if no entity has that name. */
function similarRequest(query: PreparedQuery, named: Found, { vectors }: SearchTools): PassRequest | null {
  if (!named.ok || !isNamed(bestOf(named.raw))) return null;
  const [hit] = named.raw.hits.hits;
  if (hit === undefined) return null;
  const vectorField = vectors?.field ?? null;
  const seed = seedOf(hit.kind, hit._source, vectorField, query.vocabulary);
  return isComparable(seed) ? passRequest(withMeaning(query, { vectorField, seed }), 'similar') : null;
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
  // The cursor after the first page begins at the top; that of a later page begins after its last hit.
  return { indices, body, filterPath: page === 1 ? responseFilterPath : pagedFilterPath };
}

function foundBy(request: PassRequest, reply: SearchReply): Found {
  if (!reply.ok) return reply;
  const raw = parseRawResponse(reply.body);
  return raw === null ? invalidReply : { ok: true, ...request, raw };
}

/** Returns the points of the best hit, 0 if there is none. */
function bestOf({ hits }: RawResponse): number {
  return hits.max_score ?? 0;
}

/** Returns the meaning of a text; null if it has none, or is not known in time. */
type MeaningOf = () => Promise<TextMeaning | null>;

/**
 * Embeds the text along with the first pass, which may make that needless. Its meaning is derived when it is first
 * asked for; all readings of the text share it.
 */
function readMeaning({ ranked, isScored }: PreparedQuery, { vectors }: SearchTools, signal: AbortSignal): MeaningOf {
  const text = ranked === null || !isScored ? '' : ranked.analyzed.text;
  // A single word is a name, or is found as a word.
  if (vectors === null || wordsOf(text).length < 2) return async () => null;
  const embedded = vectors.embed(text, signal);
  return lazily(async () => {
    const vector = await embedded;
    const near = vector === null ? null : nearestTerms(vectors.terms(), vector);
    return vector === null || near === null ? null : { vector, ...near };
  });
}

/**
 * Kinds with a few thousand entities at most. Matching part of the words is cheap there, and a second request costs as
 * much as the first.
 */
const smallKinds: ReadonlySet<string> = new Set<KindName>(['investors', 'events']);

export function chooseInitialPass(type: KindName | 'all'): InitialPass {
  return smallKinds.has(type) ? 'partial' : 'strict';
}

/** The figures of a first response that decide on the next pass. */
export interface InitialResult {
  /** Points of the best hit, 0 if there is none; unknown in orders that don't score. */
  readonly best?: number;
  /** Exact. */
  readonly hits: number;
  /** True if the text was understood only as a request for kinds. */
  readonly asksForKinds?: boolean;
}

/** The length from which a text that only begins a name may also be another name, misspelt. */
const misspeltCharactersMin = 5;
/**
 * The number of words that makes a text a sentence, not names and labels: they may all occur in an overview by chance.
 */
const sentenceWordsMin = 7;
/** Points of a hit that answers a sentence: it fulfils what is asked as a question, or has a name with all of it. */
const sentencePoints = 80;
/** The same for a question that names only the kind: the kind alone can earn `sentencePoints`. */
const kindSentencePoints = 130;
/** With more hits than this, the text is probably spelled correctly. */
const fewHits = 3;

/**
 * Returns true if the first response is so weak that the tolerant pass must follow. Below the tier of all words, no
 * entity was named and some words were not found. A text may also be a misspelt name ("raydium", "titles") if it only
 * begins a few names ("raydim"), or is a word that only a few texts have ("tiles").
 */
function isWeak(text: string, { best, hits, asksForKinds }: Required<InitialResult>): boolean {
  if (wordsOf(text).length >= sentenceWordsMin) return best < (asksForKinds ? kindSentencePoints : sentencePoints);
  if (best < tierTable.contentWords.points) return true;
  if (hits > fewHits || Array.from(text).length < misspeltCharactersMin) return false;
  const beginningOnly = best >= tierTable.namePrefix.points && best < tierTable.namePrefix.points + popularityMax;
  const wordOnly = best < tierTable.namePhrase.points && !text.includes(' ');
  return beginningOnly || wordOnly;
}

/** Returns true if some words of a text can be a match. One of two words is enough only if it is a concept. */
function canMatchInPart({ withConcepts, conceptTokens }: AnalyzedText): boolean {
  return wordsOf(withConcepts).length >= (conceptTokens === '' ? 3 : 2);
}

/**
 * With fewer hits than this, the partial pass may add some. At 50, texts that happen to have every word hid the entity
 * that was meant by some of them (topics 0.907 to 0.846 among 216,000 entities); above 200 nothing changed.
 */
const enoughHits = 200;

/**
 * Returns the pass that answers, given the result of the first one. If few entities have every word, the partial pass
 * adds those with enough words, unless the text names an entity for sure. Large results stay strict: among hundreds of
 * thousands of entities, matches of one word in three are many, take most of the time and rank last anyway.
 */
export function chooseFinalPass(
  initial: InitialPass,
  text: AnalyzedText,
  { best, hits, asksForKinds = false }: InitialResult,
): Pass {
  if (best === undefined ? hits === 0 : isWeak(text.text, { best, hits, asksForKinds })) return 'tolerant';
  if (initial === 'partial') return initial;
  return hits < enoughHits && !isSure(best ?? 0) && canMatchInPart(text) ? 'partial' : 'strict';
}

/**
 * Returns true if the best hit of a search for a name alone has that name, give or take two typing errors.
 * @param best the hit's points
 */
export function isNamed(best: number): boolean {
  return best >= tierTable.fuzzyJoinedTwoEdits.points;
}

/** A text and what it was read as. */
type ReadText = Omit<RankedText, 'rest'>;

/** Points of a hit that is found by a concept of the vocabulary which the text names. */
const conceptPoints = 14;

/**
 * Returns true if a tolerant pass found the name, all of the words, or the concept that a short text names. Then no
 * meaning is guessed.
 * @param best the points of its best hit
 */
export function isFound(text: ReadText, best: number): boolean {
  const { analyzed } = text;
  const { text: words, conceptTokens } = analyzed.corrected ?? analyzed;
  if (wordsOf(words).length >= sentenceWordsMin)
    return best >= (asksForKinds(text) ? kindSentencePoints : sentencePoints);
  const isFiled = conceptTokens !== '' && !asksForPeople(text) && !hasConditions(text);
  return best >= (isFiled ? conceptPoints : tierTable.fuzzyJoinedTwoEdits.points);
}

/** Returns true if the text was understood only as a request for kinds. */
export function asksForKinds({ question }: ReadText): boolean {
  return question?.parts.every((part) => part.as === 'kind') ?? false;
}

/** Returns true for searches for people. Few people have tags for their skills, so tags alone do not answer. */
function asksForPeople({ type, question }: ReadText): boolean {
  return type === 'all' ? question?.kinds.includes('people') === true : type === 'people';
}

/** Returns true if a hit may have its points for the place or time alone, without any of the words. */
function hasConditions({ question }: ReadText): boolean {
  return question !== null && (question.places.length > 0 || question.time !== null || question.online !== null);
}
