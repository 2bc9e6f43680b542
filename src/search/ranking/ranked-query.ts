import type { KindName } from '../../kinds/kind.ts';
import type { Question } from '../questions/question.ts';
import type { AnalyzedText } from '../vocabulary/analyze-text.ts';
import { isLinking, wordsOf } from '../vocabulary/vocabulary.ts';
import { type AskedClause, type AskedName, askedClauses, excludedBy } from './asked.ts';
import { allConditions } from './asked-conditions.ts';
import { addPopularity, type Clause, constantScore, ofKind } from './clauses.ts';
import type { Tier, TierName } from './tier-table.ts';
import { nameTiers, strictTiers, sureTiers, tolerantTiers } from './tiers.ts';
import { allOccur, enoughOccur, enoughWords, isLabelled, labelField, withYear } from './word-fields.ts';

/** The passes that trust the spelling; each search begins with one of them. */
export type InitialPass = 'strict' | 'partial';
/**
 * A way to run a query. `strict` trusts the spelling and requires every word; `partial` requires enough of them;
 * `tolerant` also allows misspellings. `semantic` adds documents that are near in meaning. `similar` finds entities
 * like one that the query names.
 */
export type Pass = InitialPass | 'tolerant' | 'semantic' | 'similar';

interface ContentRow {
  /** Constant points; missing for clauses that score the match of words, or that only match. */
  readonly points?: number;
  /** The explanation of a match of the clause, for people. */
  readonly meaning: string;
  /** True if it also counts for an entity that is certainly meant. */
  readonly countsBesideSure?: true;
}

/** Every clause of a ranking other than tiers. */
export const contentTable = {
  content: { meaning: 'words of the query in its names, tags, place, relations and texts; rare words count more' },
  words: { meaning: 'enough words of the query occur in it' },
  concept: { meaning: 'a concept of the query is among its tags' },
  relation: { points: 4, meaning: 'an organisation, company or investor it is related to is named in the query' },
  city: { points: 14, meaning: 'its city or country is named in the query' },
  preferredKind: { points: 8, meaning: 'it is a company, where no kind is named' },
  typedLabel: { points: 4, meaning: 'the query contains one of its tags as a whole', countsBesideSure: true },
  conceptLabel: {
    points: 4,
    meaning: 'the query names one of its tags in other words',
    countsBesideSure: true,
  },
} as const satisfies Readonly<Record<string, ContentRow>>;
export type ContentName = keyof typeof contentTable;

interface ContentClause {
  readonly name: ContentName;
  readonly clause: Clause;
}

/** Every clause that compares meaning, or one entity with another. */
export const nearTable = {
  nearMeaning: { meaning: 'it is near in meaning to what is searched for' },
  nearTerm: { meaning: 'a concept that is near in meaning to what is searched for' },
  sharedWords: { meaning: 'its texts share rare words with those of the entity that is named' },
  sharedConcept: { meaning: 'it is about the same as the entity that is named, by the concepts of the vocabulary' },
  sharedTrait: { meaning: 'it shares tags, investors or the like with the entity that is named' },
  nearEntity: { meaning: 'it is near in meaning to the entity that is named' },
} as const;
export type NearName = keyof typeof nearTable;

/** A clause and its name in explanations of a ranking. */
interface NamedClause {
  readonly name: TierName | ContentName | AskedName | NearName;
  readonly clause: Clause;
}

/** The clauses that make up a document's points, apart from its popularity. */
export interface RankingClauses {
  /** The best of these tiers counts. They ignore contents. */
  readonly sure: readonly Tier[];
  readonly tiers: readonly Tier[];
  /** Each counts, and is enough for a match. */
  readonly partialMatches: readonly ContentClause[];
  /** Each is added to a match that is not certain. */
  readonly textScores: readonly ContentClause[];
  /** Each is added to any match. */
  readonly tagBonuses: readonly ContentClause[];
  /** Clauses for the text as a question. The best of them counts if it exceeds the points of the text as words. */
  readonly asked: readonly AskedClause[];
  /** Entities that the question excludes. */
  readonly excluded: readonly Clause[];
}

/** The text for the ranking, as words and as a question. */
export interface RankedText {
  readonly type: KindName | 'all';
  readonly analyzed: AnalyzedText;
  readonly question: Question | null;
  /** The remaining words of the question; null if there are none. */
  readonly rest: AnalyzedText | null;
}

/** Returns a clause, with a name if the response must report it. */
export type Show = (clause: NamedClause) => Clause;
export const plainly: Show = ({ clause }) => clause;

/**
 * Returns the clause that scores how well a document answers a text. Searches of every kind share it. Pages, filters
 * and sorts are added by the body.
 */
export function rankedQuery(text: RankedText, pass: Pass, show: Show = plainly): Clause {
  const clauses = rankingClauses(text, pass);
  const preferred = preferredKind(text);
  const { sure, asked, tagBonuses, excluded } = clauses;
  const words = likely(clauses, show, preferred);
  const named = sure.map(show);
  const isQuestion = text.question !== null && named.length > 0;
  const names = isQuestion ? [{ dis_max: { queries: named, _name: nameMatch } }] : named;
  const match = bestOf([...names, ...answering(text, words, asked, show)]);

  return addPopularity({
    bool: {
      must: [match],
      should: tagBonuses.map(show),
      ...(excluded.length === 0 ? {} : { must_not: excluded }),
    },
  });
}

/** Elasticsearch accounts for the memory of fuzzy clauses again in each dis_max around them. */
function bestOf(queries: readonly Clause[]): Clause {
  const [only] = queries;
  return queries.length === 1 && only !== undefined ? only : { dis_max: { queries } };
}

/** The name of the query that matches entities with the text as their name, which need not meet any condition. */
export const nameMatch = 'name';

/** Returns a bonus for companies: most callers who search everything and name no kind mean a company. */
export function preferredKind({ type, question }: RankedText): ContentClause[] {
  if (type !== 'all' || (question !== null && question.kinds.length > 0)) return [];
  return [{ name: 'preferredKind', clause: constantScore(contentTable.preferredKind.points, ofKind('companies')) }];
}

/** Returns the clauses for entities that meet the conditions of the question, if the text is one. */
function answering({ question, type }: RankedText, words: Clause, asked: readonly AskedClause[], show: Show): Clause[] {
  // An entity that is related to the named one doesn't have to mention it.
  if (question?.relation) return asked.map(show);
  const queries = [words, ...asked.map(show)];
  const filter = question === null ? [] : allConditions(question, type, 'told');
  return filter.length === 0 ? queries : queries.map((query) => ({ bool: { filter, must: [query] } }));
}

/** Scores matches of words if no entity is certainly meant. */
function likely(
  { tiers, partialMatches, textScores }: WordClauses,
  show: Show,
  preferred: readonly ContentClause[] = [],
): Clause {
  const found = { bool: { should: [{ dis_max: { queries: tiers.map(show) } }, ...partialMatches.map(show)] } };
  return { bool: { must: [found], should: [...textScores, ...preferred].map(show) } };
}

export function rankingClauses({ analyzed, question, rest, type }: RankedText, pass: Pass): RankingClauses {
  const words = wordClauses(analyzed, pass);
  if (question === null) return { ...words, asked: [], excluded: [] };
  // Fuzzy clauses cost Elasticsearch megabytes each, so those of the whole text must do.
  const ofRest = rest === null ? null : likely(wordClauses(rest, 'partial'), plainly);
  const asked = askedClauses(question, { type, rest: ofRest, tolerant: pass === 'tolerant' });
  // The rest has names among its words, too.
  const hasNames = rest !== null && asked.length > 0;
  const tiers = hasNames ? words.tiers.filter(({ name }) => !fuzzyInWords.includes(name)) : words.tiers;
  return { ...words, tiers, asked, excluded: excludedBy(question) };
}

/** Finds entities by their name, which may be misspelt, and not by texts. */
export function nameQuery({ analyzed }: RankedText): Clause {
  return addPopularity({ dis_max: { queries: nameTiers(analyzed).map(plainly) } });
}

/**
 * Returns clauses for the words of a text that is not an entity's name: the remaining words of a question, or all of
 * them. Names count only among other words.
 */
export function looseClauses({ analyzed, rest }: RankedText) {
  const { tiers, partialMatches, textScores } = wordClauses(rest ?? analyzed, 'tolerant');
  return { names: tiers.filter(({ name }) => name === 'misspeltNameAmongWords'), partialMatches, textScores };
}

/** Tiers with fuzzy clauses for each word. */
const fuzzyInWords: readonly TierName[] = ['misspeltNameAmongWords', 'fuzzyWordsOneEdit', 'fuzzyWordsTwoEdits'];

type WordClauses = Omit<RankingClauses, 'asked' | 'excluded'>;

function wordClauses(text: AnalyzedText, pass: Pass): WordClauses {
  const content = pass === 'tolerant' ? (text.corrected ?? text) : text;
  return {
    // The pass runs only if no entity is named for sure.
    sure: pass === 'tolerant' ? [] : sureTiers(text),
    tiers: pass === 'tolerant' ? tolerantTiers(text) : strictTiers(text),
    partialMatches: partialMatches(content, pass),
    textScores: textScores(content),
    tagBonuses: tagBonuses(content),
  };
}

/** Returns clauses that are matches but no tiers: a place or relation that the query names, and enough of its words. */
function partialMatches(analyzed: AnalyzedText, pass: Pass): ContentClause[] {
  const { text, withConcepts, conceptTokens, unknown, isStrange } = analyzed;
  const relation = {
    name: 'relation',
    clause: wholeValue('search.relations.whole', text, contentTable.relation.points),
  } as const;
  const telling =
    unknown === '' ? enoughOccur(withConcepts) : { bool: { filter: [allOccur(unknown), enoughOccur(withConcepts)] } };
  // One word is enough only if it is a concept of the vocabulary: a name that does not exist must not be found by a
  // half that many entities have ("protocol", "finance"). Among unknown words, a third must be concepts.
  const words = wordsOf(withConcepts).filter((word) => !isLinking(word));
  const isTopic = unknown === '' && (!isStrange || wordsOf(conceptTokens).length * 3 > words.length);
  const concept = { match: { [labelField]: { query: conceptTokens } } };
  return [
    ...(pass === 'strict' ? [] : [{ name: 'words', clause: constantScore(0, telling) } as const]),
    ...(pass === 'strict' || conceptTokens === '' || !isTopic
      ? []
      : [{ name: 'concept', clause: constantScore(0, concept) } as const]),
    ...(unknown === ''
      ? [{ name: 'city', clause: wholeValue('search.city', text, contentTable.city.points) } as const]
      : []),
    relation,
  ];
}

/** Matches a whole value of a field that the text contains among other words. */
function wholeValue(field: string, text: string, boost: number): Clause {
  return constantScore(boost, { match: { [field]: { query: text, analyzer: 'joined_neighbours' } } });
}

// Includes words for the kind, which every entity has. Otherwise "company" would count as a rare word of names.
const contentFields = [
  'search.names.english^2',
  `${labelField}^2`,
  'search.kind_words',
  'search.relations^1.5',
  'search.short',
  'overview^0.5',
];

/**
 * Scores the entity's own texts and tags. They add points to other matches, but not to an entity that is certainly
 * meant.
 */
function textScores({ withConcepts }: AnalyzedText): ContentClause[] {
  const content = {
    query: withConcepts,
    type: 'cross_fields',
    fields: withYear(contentFields, withConcepts),
    operator: 'or',
    minimum_should_match: enoughWords,
    tie_breaker: 0.2,
    boost: 0.7,
  };
  return [{ name: 'content', clause: { multi_match: content } }];
}

/** Returns clauses that add points to any match but don't match alone. */
function tagBonuses({ withJoinedPhrases, joinedConceptPhrases }: AnalyzedText): ContentClause[] {
  const concept = isLabelled(joinedConceptPhrases);
  return [
    ...(joinedConceptPhrases === ''
      ? []
      : [{ name: 'conceptLabel', clause: constantScore(contentTable.conceptLabel.points, concept) } as const]),
    // Matches whole tags, so that entities with the tag "staking" come before those with "staking as a service".
    {
      name: 'typedLabel',
      clause: constantScore(contentTable.typedLabel.points, { match: { 'search.tags.whole': withJoinedPhrases } }),
    },
  ];
}
