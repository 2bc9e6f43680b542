import type { KindName } from '../../kinds/kind.ts';
import type { Question } from '../questions/question.ts';
import { joinedName, sentenceWordsMin } from '../questions/words.ts';
import type { AnalyzedText } from '../vocabulary/analyze-text.ts';
import { nameEnds } from '../vocabulary/name-candidates.ts';
import { isLinking, wordsOf } from '../vocabulary/vocabulary.ts';
import { askedClauses, excludedBy } from './asked.ts';
import { allConditions } from './asked-conditions.ts';
import { addPopularity, anyOf, type Clause, constantScore, ofKind } from './clauses.ts';
import { bonus, named } from './tier-table.ts';
import { contentTier, hasName, nameTiers, strictTiers, sureTiers, tolerantTiers } from './tiers.ts';
import { allOccur, enoughOccur, enoughWords, labelField, withYear } from './word-fields.ts';

/**
 * The ways to run a query. `strict` trusts the spelling and requires every word; `partial` requires enough of them;
 * `tolerant` also allows misspellings. `semantic` adds documents that are near in meaning. `similar` finds entities
 * like one that the query names.
 */
export const passes = ['strict', 'partial', 'tolerant', 'semantic', 'similar'] as const;
export type Pass = (typeof passes)[number];
/** The passes that trust the spelling; each search begins with one of them. */
export type InitialPass = 'strict' | 'partial';

export interface RankedText {
  readonly type: KindName | 'all';
  readonly analyzed: AnalyzedText;
  readonly question: Question | null;
  readonly rest: AnalyzedText | null;
  /** True if each word of the rest names a topic, so none is a name. */
  readonly isOfTopics?: boolean;
  readonly listed?: readonly Clause[];
}

/** Returns the clause that scores how well a document answers a text. The body adds pages, filters and sorts. */
export function rankedQuery(text: RankedText, pass: Pass): Clause {
  const { analyzed, question } = text;
  // The tolerant pass runs only if no entity is named for sure.
  const sure = pass === 'tolerant' ? [] : sureTiers(analyzed);
  const names = question !== null && sure.length > 0 ? [{ dis_max: { queries: sure, _name: nameMatch } }] : sure;
  const queries = [...names, ...answering(text, pass)];
  const excluded = question === null ? [] : excludedBy(question);
  return addPopularity({
    bool: {
      // Elasticsearch accounts for the memory of fuzzy clauses again in each dis_max around them.
      must: queries.length === 1 ? queries : [{ dis_max: { queries } }],
      // An exchange on Polygon isn't Polygon.
      should: tagBonuses(contentOf(text.rest ?? analyzed, pass), !(question?.kinds.includes('companies') ?? false)),
      ...(excluded.length === 0 ? {} : { must_not: excluded }),
    },
  });
}

/** The name of the query that matches entities with the text as their name, which need not meet any condition. */
export const nameMatch = 'name';

/** Returns a bonus for companies: most callers who search everything and name no kind mean a company. */
export function preferredKind({ type, question }: RankedText): Clause[] {
  if (type !== 'all' || (question !== null && question.kinds.length > 0)) return [];
  return [bonus('preferredKind', ofKind('companies'))];
}

/** Returns the clauses for the text as words and as a question, whose conditions must hold. The best clause counts. */
function answering(text: RankedText, pass: Pass): readonly Clause[] {
  const { analyzed, question, rest, type, listed } = text;
  if (question === null) return [likely(analyzed, pass, preferredKind(text))];
  // In "custodians in Canada", the condition "Canada" is not enough of the words.
  const words = likely(analyzed, pass, preferredKind(text), rest ?? analyzed);
  // Fuzzy clauses cost Elasticsearch megabytes each, so those of the whole text must do.
  const areWordsRequired = question.relation !== null && question.rest !== '';
  // Events are often named by their topics.
  const mayBeName = text.isOfTopics !== true || question.kinds.includes('events');
  const ofRest = rest === null ? null : likely(rest, areWordsRequired ? 'strict' : 'partial', [], rest, mayBeName);
  // "Market cap of aave".
  const isIgnored = rest?.text !== analyzed.text && question.parts.every(({ as }) => as === 'ignored');
  const isRestEnough = isIgnored || isSentence(analyzed);
  const chains = { known: onChains(text, question, 'known'), told: onChains(text, question, 'told') };
  const asked = askedClauses(question, {
    type,
    rest: ofRest,
    tolerant: pass === 'tolerant',
    listed,
    isRestEnough,
    chains,
  });
  // An entity that is related to the named one doesn't have to mention it.
  if (question.relation !== null && question.like === null) return asked;
  const queries = [words, ...asked];
  const filter = [...allConditions({ ...question, chains: [] }, type), ...chains.told];
  return filter.length === 0 ? queries : queries.map((query) => ({ bool: { filter, must: [query] } }));
}

/**
 * "Izumi on ethereum" asks for iZUMi Finance, whatever its chains are, and a long text for the entity whose texts have all
 * of its words.
 */
function onChains({ type, analyzed, rest }: RankedText, { chains }: Question, evidence: 'known' | 'told'): Clause[] {
  const name = rest?.text ?? '';
  const inFull = nameEnds.map((end) => joinedName(name) + end).join(' ');
  const isMeant = [
    ...(name === '' ? [] : [wholeValue('search.names.joined', name), hasName(inFull)]),
    ...(isSentence(analyzed) ? [allOccur(analyzed.withConcepts)] : []),
  ];
  return chains.map((one) => anyOf([...isMeant, ...allConditions({ chains: [one] }, type, evidence)]));
}

const isSentence = ({ text }: AnalyzedText): boolean => wordsOf(text).length >= sentenceWordsMin;

/** Scores words if no entity is certainly meant, by the best tier and each other clause. `inPart` is enough in part. */
function likely(
  text: AnalyzedText,
  pass: Pass,
  preferred: readonly Clause[] = [],
  inPart = text,
  mayBeName = true,
): Clause {
  const tiers = pass === 'tolerant' ? tolerantTiers(text) : mayBeName ? strictTiers(text) : [contentTier(text)];
  const partly = partialMatches(contentOf(inPart, pass), pass);
  const found = { bool: { should: [{ dis_max: { queries: tiers } }, ...partly] } };
  return { bool: { must: [found], should: [...textScores(contentOf(text, pass)), ...preferred] } };
}

/** Returns the text that is searched for in contents: names keep their spelling. */
function contentOf(text: AnalyzedText, pass: Pass): AnalyzedText {
  return pass === 'tolerant' ? (text.corrected ?? text) : text;
}

/** Finds entities by their name, which may be misspelt, and not by texts. */
export function nameQuery({ analyzed }: RankedText): Clause {
  return addPopularity({ dis_max: { queries: nameTiers(analyzed) } });
}

/** Returns clauses for the remaining words of a question, or for all words of a text that is not an entity's name. */
export function looseClauses({ analyzed, rest }: RankedText) {
  const content = contentOf(rest ?? analyzed, 'tolerant');
  return { matches: partialMatches(content, 'semantic'), textScores: textScores(content) };
}

/** Returns clauses that are matches but no tiers: a place or relation that the query names, and enough of its words. */
export function partialMatches(
  { text, withConcepts, conceptTokens, unknown, isStrange, isForeign, mayBeName }: AnalyzedText,
  pass: Pass,
): Clause[] {
  // Only all of its words or a name answer a name, or a sentence of another field unless its meaning is of this one.
  if ((isForeign || mayBeName) && pass === 'tolerant') return [];
  const relation = bonus('relation', wholeValue('search.relations.whole', text));
  const mayBeTopic = unknown === '' && !mayBeName;
  const place = mayBeTopic ? [bonus('city', wholeValue('search.city', text))] : [];
  if (pass === 'strict') return [...place, relation];
  const telling =
    unknown === '' ? enoughOccur(withConcepts) : { bool: { filter: [allOccur(unknown), enoughOccur(withConcepts)] } };
  // One word is enough only if it is a concept of the vocabulary: a name that does not exist must not be found by a
  // half that many entities have ("protocol", "finance"). Among unknown words, a third must be concepts.
  const words = wordsOf(withConcepts).filter((word) => !isLinking(word));
  const isTopic = mayBeTopic && (!isStrange || wordsOf(conceptTokens).length * 3 > words.length);
  const concept = constantScore(0, { match: { [labelField]: { query: conceptTokens } } });
  return [
    named('words', constantScore(0, telling)),
    ...(conceptTokens === '' || !isTopic ? [] : [named('concept', concept)]),
    ...place,
    relation,
  ];
}

/** Matches a whole value of a field that the text contains among other words. */
function wholeValue(field: string, text: string): Clause {
  return { match: { [field]: { query: text, analyzer: 'joined_neighbours' } } };
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

/** Scores the entity's own texts and tags, which add points to other matches, but not to sure ones. */
export function textScores({ withConcepts }: AnalyzedText): Clause[] {
  const content = {
    query: withConcepts,
    type: 'cross_fields',
    fields: withYear(contentFields, withConcepts),
    operator: 'or',
    minimum_should_match: enoughWords,
    tie_breaker: 0.2,
    boost: 0.7,
  };
  return [named('content', { multi_match: content })];
}

/** Returns clauses that add points to any match but don't match alone. */
function tagBonuses({ text, withJoinedPhrases, joinedConceptPhrases }: AnalyzedText, mayBeNamed: boolean): Clause[] {
  // Whole tags: entities with the tag "staking" come before those with "staking as a service".
  const isLabelled = (labels: string) => ({ match: { 'search.tags.whole': labels } });
  return [
    ...(joinedConceptPhrases === '' ? [] : [bonus('conceptLabel', isLabelled(joinedConceptPhrases))]),
    ...(mayBeNamed ? [bonus('wordIsName', wholeValue('search.names.joined', text))] : []),
    bonus('typedLabel', isLabelled(withJoinedPhrases)),
  ];
}
