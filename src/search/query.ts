import { shownFields } from '../kinds/fields.ts';
import { aliasName } from '../kinds/index-names.ts';
import { type KindName, kindNames } from '../kinds/kind.ts';
import { listedIn, type Related } from './listed-in.ts';
import type { TextMeaning } from './meaning/term-vectors.ts';
import { facetAggregations } from './options/facets.ts';
import { type FacetName, type Filters, filterClauses } from './options/filters.ts';
import { highlightClause } from './options/highlight.ts';
import { type CollapseName, editionFields } from './options/series.ts';
import { type SortOrder, sortClauses } from './options/sorts.ts';
import type { Knowledge } from './questions/knowledge.ts';
import { holders, type Question, type Relation } from './questions/question.ts';
import { type NamesInText, readQuestion } from './questions/read-question.ts';
import type { KnownName } from './questions/relations/possible-names.ts';
import { type Condition, isOnlyKind, nextCondition, tellingWords, withoutConditions } from './questions/relax.ts';
import { asksForOtherKinds, provenParts } from './ranking/asked.ts';
import { calledSo } from './ranking/asked-conditions.ts';
import type { Clause } from './ranking/clauses.ts';
import { type Pass, type RankedText, rankedQuery } from './ranking/ranked-query.ts';
import { semanticQuery } from './ranking/semantic-query.ts';
import { similarQuery } from './ranking/similar.ts';
import { alternatives } from './ranking/tiers.ts';
import { analyzeText, searchedText } from './vocabulary/analyze-text.ts';
import { type Lexicon, lexiconOf } from './vocabulary/lexicon.ts';
import { noWordReading, readWords, type WordReading } from './vocabulary/name-candidates.ts';
import { type Vocabulary, wordsOf } from './vocabulary/vocabulary.ts';

/** A consumer's search. A text that is empty, blank or asterisks finds every entity, the most prominent first. */
export interface SearchQuery {
  readonly type: KindName | 'all';
  readonly text: string;
  readonly page: number;
  readonly limit: number;
  /** Fields of the items; by default, those of the kind. A kind ignores fields that it lacks. */
  readonly fields?: readonly string[] | undefined;
  readonly filters?: Filters | undefined;
  /** By default, relevance. */
  readonly sort?: SortOrder | undefined;
  /** Counts over all results. */
  readonly facets?: readonly FacetName[] | undefined;
  /** True if items show where they match. */
  readonly highlight?: boolean | undefined;
  /** True if the text must not be read as a question. */
  readonly literal?: boolean | undefined;
  /** The results of a page that are collapsed into one. */
  readonly collapse?: CollapseName | undefined;
}

/** The entities and vectors that passes compare with. The first page's requests find them for every page. */
export interface Meaning extends Related {
  /** The field below `search` with the vectors of the model in use; null if no vectors are compared. */
  readonly vectorField: string | null;
  /** The meaning of the text; null if meanings are not compared. */
  readonly text: TextMeaning | null;
}

export const noMeaning: Meaning = { vectorField: null, text: null, seed: null };

/** A query with everything that is derived from it before the first request. */
export interface PreparedQuery extends SearchQuery {
  readonly kinds: readonly KindName[];
  readonly indices: readonly string[];
  readonly reading: Reading;
  readonly context: QueryContext;
  /** Null if there is no text to search for. */
  readonly ranked: RankedText | null;
  /** The order of the results; undefined for relevance. */
  readonly order: SortOrder | undefined;
  /** True if hits have points: the query has a text and orders by relevance. */
  readonly isScored: boolean;
  readonly shownFields: ReadonlyMap<KindName, readonly string[]>;
  readonly meaning: Meaning;
  /** The search for the entity that the question wants others to be like; null if it wants none. */
  readonly seedQuery: PreparedQuery | null;
}

/** The reading of a text. It depends on the day and the data, so cursors contain it for all pages of a list. */
export interface Reading {
  /** Null if the text is taken literally, or nothing was understood. */
  readonly question: Question | null;
  readonly words: WordReading;
  readonly restWords: WordReading;
  /** Conditions of the question that were dropped because no entity meets all of them. */
  readonly relaxed: readonly Condition[];
}

export const nothingRead: Reading = { question: null, words: noWordReading, restWords: noWordReading, relaxed: [] };

/** The data and settings that a query is read with. */
export interface QueryContext {
  readonly indexPrefix: string;
  readonly vocabulary: Vocabulary;
  readonly knowledge: Knowledge;
  /** The time that "next month" is counted from. */
  readonly now: Date;
}

/** @param settled the part that a cursor carries from page to page */
export function prepareQuery(
  query: SearchQuery,
  context: QueryContext,
  settled?: Pick<PreparedQuery, 'reading' | 'meaning'>,
): PreparedQuery {
  const kinds = kindsOf(query.type);
  const text = searchedText(query.text);
  const reading = settled?.reading ?? (text === '' ? nothingRead : readText(text, query.literal ?? false, context));
  const ranked = text === '' ? null : rankedText(query.type, text, reading, context);
  const order = query.sort ?? askedOrder(ranked?.question);
  return {
    ...query,
    kinds,
    indices: kinds.map((kind) => aliasName(context.indexPrefix, kind)),
    reading,
    context,
    ranked,
    order,
    isScored: text !== '' && isByRelevance(order),
    shownFields: new Map(kinds.map((kind) => [kind, shownFields(kind, query.fields)])),
    meaning: settled?.meaning ?? noMeaning,
    seedQuery: settled?.meaning.related === undefined ? seedQueryOf(query, reading, context) : null,
  };
}

/** @param text not empty, from `normalizeText` */
export function readText(text: string, literal: boolean, context: QueryContext, names?: NamesInText): Reading {
  const { vocabulary, knowledge, now } = context;
  const lexicon = lexiconOf(vocabulary, knowledge);
  const read = literal ? null : readQuestion(text, knowledge, now, names);
  const understood =
    read === null || read.parts.length === 0 ? null : withTopics(read, context, lexicon, names?.names ?? []);
  const { rest = '' } = understood ?? {};
  const restWords = rest === '' ? noWordReading : readWords(rest, lexicon);
  // Several unknown words are a name, which no other entities answer.
  const question = understood && restWords.unknown.includes(' ') ? { ...understood, topics: rest } : understood;
  return { question, words: readWords(text, lexicon), restWords, relaxed: [] };
}

/** Returns the question with the tokens of its excluded topics. Plain words after "not" are topics unless a known name. */
function withTopics(question: Question, { vocabulary }: QueryContext, lexicon: Lexicon, known: readonly KnownName[]) {
  const names = new Set(known.map(({ name }) => name));
  const plain = question.without.filter((name) => !names.has(name) && wordsOf(name).every(lexicon.isPlain));
  const topics = [...question.withoutTopics.map(({ text }) => text), ...plain].map((text) => {
    return { text, tokens: analyzeText(text, vocabulary).withConcepts };
  });
  if (topics.length === 0) return question;
  // "Stablecoins not backed by fiat": by the vocabulary, "fiat stablecoins" are stablecoins.
  const wanted = analyzeText(question.rest, vocabulary).withConcepts;
  return { ...question, withoutTopics: topics.filter(({ tokens }) => tokens !== wanted) };
}

/** Returns true if the next condition to drop is the words of a sentence that name no topic. */
export function mayDropWords({ ranked, isScored }: PreparedQuery): boolean {
  const question = ranked?.question ?? null;
  const isOfWords = question !== null && question.relation === null && question.like === null;
  return isScored && isOfWords && question.topics !== '' && nextCondition(question) === 'words';
}

/** Returns the query without its next condition; null if there is none that may be dropped. */
export function relaxedQuery(query: PreparedQuery): PreparedQuery | null {
  const { ranked, reading, context, type } = query;
  const next = ranked?.question ? nextCondition(ranked.question) : null;
  if (ranked === null || next === null) return null;
  const relaxed = { ...reading, relaxed: [...reading.relaxed, next] };
  const text = rankedText(type, searchedText(query.text), relaxed, context);
  const order = query.sort ?? askedOrder(text.question);
  const isNamed = next !== 'relation' || ranked.question?.like !== null;
  const seedQuery = isNamed ? query.seedQuery : null;
  const isScored = query.isScored || isByRelevance(order);
  return { ...query, reading: relaxed, order, isScored, ranked: text, seedQuery };
}

/**
 * Returns the search for the entity that results must be like, in the wanted kind. Only the record of a person lists
 * "events where vitalik spoke", and an investor or company may have another name.
 */
function seedQueryOf(
  { type, literal }: SearchQuery,
  { question }: Reading,
  context: QueryContext,
): PreparedQuery | null {
  if (question === null || literal) return null;
  const { kinds, like, relation } = question;
  const [kind = type] = kinds;
  const holder =
    like !== null || relation === null || !(type === 'all' || type === kind) ? null : holderOf(relation, kind);
  const name = holder === null ? like : (relation?.of ?? null);
  if (name === null || searchedText(name) === '') return null;
  const wanted = holder ?? (type === 'all' && kinds.length === 1 ? kind : type);
  return prepareQuery({ type: wanted, text: name, page: 1, limit: 1, literal: true }, context);
}

/** Returns the kind of the named entity if only its record or id leads to those related to it. */
function holderOf({ role }: Relation, kind: string): KindName | null {
  if (role === 'portfolio') return 'investors';
  if (role === 'investor') return kind === 'investors' ? 'companies' : null;
  return holders[role] === 'people' && /^(events|companies)$/.test(kind) ? 'people' : null;
}

function rankedText(
  type: SearchQuery['type'],
  text: string,
  { question, words, restWords, relaxed }: Reading,
  { vocabulary, knowledge }: Pick<QueryContext, 'vocabulary' | 'knowledge'>,
): RankedText {
  // If no entity has the relation, texts may still mention the name in it.
  const isUnrelated = relaxed.includes('relation');
  const analyzed = analyzeText(text, vocabulary, isUnrelated ? { ...words, isForeign: false } : words);
  const left = question === null ? null : withoutConditions(question, relaxed);
  // Among those with the relation, the topics of words that were dropped decide the order.
  const useTopics = left?.rest === '' && left.relation !== null;
  const others = (useTopics ? left?.topics || question?.rest : left?.rest) ?? '';
  const reading = others === question?.rest ? restWords : noWordReading;
  // A question for kinds that are not searched was misread.
  const isMisread = question === null || asksForOtherKinds(question, type);
  return {
    type,
    analyzed,
    question: isMisread ? null : left,
    rest: isUnrelated ? analyzed : others === '' ? null : analyzeText(others, vocabulary, reading),
    isOfTopics: left !== null && areTopics(left, knowledge),
  };
}

function isByRelevance(order: SortOrder | undefined): boolean {
  return order === undefined || order.by === 'relevance';
}

/** Returns the order that a question asks for; undefined if it asks for more than conditions, or for no order. */
export function askedOrder(question: Question | null | undefined): SortOrder | undefined {
  const isOrder = question?.order && question.relation === null && question.like === null && isOnlyKind(question);
  const by = question?.kinds.includes('events') ? 'starts' : 'founded';
  return isOrder ? { by, reversed: question.order === 'newest' } : undefined;
}

export function kindsOf(type: SearchQuery['type']): readonly KindName[] {
  return type === 'all' ? kindNames : [type];
}

/** The parts of a body that determine matches and order. Bodies with equal parts have the same list. */
export interface Ranking {
  readonly query: Clause;
  readonly sort: readonly Clause[];
  readonly track_scores?: true;
}
export type SearchBody = Clause & Ranking;

/**
 * Returns the body of `POST /<indices>/_search`. User text never reaches a query-string parser.
 * @param page the requested hits, in Elasticsearch's terms
 */
export function searchBody(query: PreparedQuery, pass: Pass, page: Clause): SearchBody {
  const { ranked, isScored, kinds, facets = [], highlight = false } = query;
  const filters = filterClauses(query.filters);
  const match = matchClause(query, pass, filters);
  const { question, restWords } = query.reading;
  // Dates alone would mix the newest hackathons with newer conferences.
  const isOrdered = query.sort === undefined && query.order !== undefined;
  const certainlyListed = query.meaning.seed?.isGuessed ? [] : listedIn(query.reading.question, query.meaning);
  const wordsOfRest = ({ rest }: Question): readonly string[] =>
    alternatives(analyzeText(restWords.corrected ?? rest, query.context.vocabulary).withConcepts)
      .map((one) => tellingWords({ rest: one }).join(' '))
      .filter((one) => one !== '');
  const filter = [
    ...filters,
    ...(question === null ? [] : [provenParts(question, wordsOfRest(question), ranked?.isOfTopics, certainlyListed)]),
    ...(isOrdered ? calledSo(ranked?.question?.nouns ?? []) : []),
  ];
  const shown = [...query.shownFields.values()].flat();
  return {
    ...page,
    track_total_hits: true,
    _source: { includes: [...new Set([...shown, ...(query.collapse === undefined ? [] : editionFields)])] },
    ...(facets.length === 0 ? {} : { aggs: facetAggregations(facets) }),
    ...(highlight && ranked !== null ? { highlight: highlightClause(ranked.analyzed, pass) } : {}),
    query: filter.length === 0 ? match : { bool: { must: [match], filter } },
    sort: sortClauses(query.order, isScored, kinds),
    // The best score decides about the second pass.
    ...(isScored ? { track_scores: true } : {}),
  };
}

/** Returns true if each of the remaining words names a topic, alone or with the next one. */
function areTopics(question: Question, { isTopic }: Knowledge): boolean {
  const words = tellingWords(question);
  return words.every((word, at) => {
    const [before = '', next = ''] = [words[at - 1], words[at + 1]];
    return isTopic([word]) || isTopic([before, word]) || isTopic([word, next]);
  });
}

export function matchClause(query: PreparedQuery, pass: Pass, filter: readonly Clause[]): Clause {
  const { ranked, meaning } = query;
  const { vectorField, text, seed } = meaning;
  if (ranked === null) return { match_all: {} };
  if (pass === 'similar' && seed !== null)
    return similarQuery(seed, vectorField === null ? null : { field: vectorField, filter }, ranked);
  if (pass === 'semantic' && vectorField !== null && text !== null)
    return semanticQuery(ranked, text, { field: vectorField, filter });
  return rankedQuery({ ...ranked, listed: listedIn(query.reading.question, query.meaning) }, pass);
}
