import type { KindName } from '../../kinds/kind.ts';
import type { PartName, Question, Relation } from '../questions/question.ts';
import { isOnlyKind } from '../questions/relax.ts';
import { allConditions, calledSo, inPlace, namingPlace, onChain, unknownTo } from './asked-conditions.ts';
import { isOver, mayHaveRole, relationClause, relationProof } from './asked-relation.ts';
import { allOf, anyOf, type Clause, constantScore, ofKind } from './clauses.ts';
import { bonus, named } from './tier-table.ts';
import { allNamed, allOccur, isAbout } from './word-fields.ts';

/**
 * A question's own clauses ("zk rollup startups in Berlin": companies, Berlin, and "zk rollup"). They are alternatives
 * to the plain reading, below the sure tiers: if the question was misread, an entity with that name is first all the
 * same.
 */

/** Points of an entity whose place, or whose chains without an unwanted one, are in its fields and not only in its texts. */
const knownPoints = 30;

/**
 * Returns the part that a question adds to a query by meaning or similarity instead of words. Kind, time, place and
 * "online" must match. A place in the data scores higher than one from texts.
 */
export function questionBeside(question: Question | null) {
  if (question === null) return { filter: [], should: [], must_not: [] };
  const { like, relation, also, kinds } = question;
  // "Companies like uniswap backed by paradigm".
  const related = like === null || relation === null ? [] : [relation, ...also];
  return {
    filter: [...allConditions(question), ...related.map((one) => relationClause(one, kinds, 'strict'))],
    should: [...question.places.map(inPlace), ...question.chains.map(onChain)].map((one) =>
      constantScore(knownPoints, one),
    ),
    must_not: excludedBy(question),
  };
}

/** Returns true if the question asks only for kinds that are not searched: it was misread, or has no answer here. */
export function asksForOtherKinds({ kinds }: Question, type: KindName | 'all'): boolean {
  return type !== 'all' && kinds.length > 0 && !kinds.includes(type);
}

/** Points of an entity that meets the whole question. The match of the question's words is added. */
const fulfilledPoints = 80;
/** Points of an entity without the words, if they only name a kind, or whose place is known only from its texts. */
const conditionsOnlyPoints = 62;
/** Additional points for words beyond a relation. The quality of their match is added. */
const relatedWordsPoints = 12;
/** Additional points if the texts state that a relation is over, as the question asks. A role next to the name has less. */
const pastPoints = 40;
/** Only titles of talks and proposals prove what they are about. Their words weigh four times as much as others. */
const hasTitle = /^(speaker|author)$/;
const inTitles = (query: string, operator: string) => ({ match: { 'search.short': { query, operator, boost: 4 } } });

interface AskedText {
  readonly type: KindName | 'all';
  readonly rest: Clause | null;
  /** True if the name in a relation may be misspelt. */
  readonly tolerant: boolean;
  readonly listed?: readonly Clause[] | undefined;
  /** True if the rest may be searched for without any condition. */
  readonly isRestEnough: boolean;
  /** The conditions on chains, by evidence. */
  readonly chains: Readonly<Record<'known' | 'told', readonly Clause[]>>;
}

/** Returns the clauses of a question; the best of them counts, unless the plain reading of the text is worth more. */
export function askedClauses(question: Question, text: AskedText): Clause[] {
  // Without an entity of that name, nothing is similar: a kind alone would match all of that kind.
  if (question.like !== null) return [];
  const others = { ...question, chains: [] };
  const filter = [...allConditions(others, text.type, 'known'), ...text.chains.known];
  if (question.relation !== null) return [relatedAsAsked(question, question.relation, filter, text)];
  const { without, withoutTopics, excluded, places, time, online, chains, amounts } = question;
  // Without another condition, a kind alone matches all that are searched, and a short text is all words.
  const excludes = without.length + withoutTopics.length + excluded.length > 0;
  if (filter.length === 0 && !excludes && (text.rest === null || !text.isRestEnough)) return [];
  const should = [...nearInTime(question), ...preferred(question)];
  const rest = text.rest === null ? [] : [text.rest];
  const meeting = (points: number, conditions: readonly Clause[], isNeeded: boolean): Clause => {
    const [needed, wanted] = isNeeded ? [rest, []] : [[], rest];
    const must = [constantScore(points, all), ...needed];
    return { bool: { filter: conditions, must, should: [...should, ...wanted] } };
  };
  const asked = named('asked', meeting(fulfilledPoints, filter, true));
  if (places.length + chains.length + amounts.length === 0 && time === null && online === null) return [asked];
  const told = [...allConditions(others, text.type), ...text.chains.told];
  const inPart = meeting(conditionsOnlyPoints, told, !isOnlyKind(question));
  return [asked, named('askedInPart', inPart)];
}

/** Points of an event today, and half of them a year before or after; and points for the words in its name. */
const [nearInTimePoints, namedSoPoints] = [50, 20];

/** Scores how near an event is, for questions with words as well: "last devcon". Others are sorted by date. */
function nearInTime({ order, kinds, time, rest }: Question): Clause[] {
  if (!kinds.includes('events') || order === null || order === 'oldest') return [];
  const origin = (order === 'soonest' ? time?.from : time?.until) ?? 'now';
  const inName = { match: { 'search.names': { query: rest, operator: 'and' } } };
  return [
    { distance_feature: { field: 'start_date', origin, pivot: '365d', boost: nearInTimePoints } },
    ...(rest === '' ? [] : [constantScore(namedSoPoints, inName)]),
  ];
}

/** Points for a noun that not every entity of a kind deserves. Other words are worth more. */
const calledSoPoints = 10;

function preferred(question: Question): Clause[] {
  const { kinds, nouns, chains } = question;
  // "Filecoin startups" that are named so come first.
  const named = isOnlyKind(question) ? chains.map((one) => ({ match: { 'search.names': one.text } })) : [];
  return [
    // "Restaking on ethereum": companies run on a chain, events are about it.
    ...(chains.length > 0 && kinds.length === 0 ? [bonus('preferredKind', ofKind('companies'))] : []),
    ...[...calledSo(nouns), ...named].map((one) => constantScore(calledSoPoints, one)),
  ];
}

function relatedAsAsked(
  question: Question,
  relation: Relation,
  filter: readonly Clause[],
  { rest, tolerant, listed }: AskedText,
): Clause {
  const { kinds, also } = question;
  const evidence = tolerant ? 'tolerant' : 'strict';
  const others = also.map((other) => relationClause(other, kinds, evidence));
  const must = [relationClause(relation, kinds, evidence, listed)];
  const words = rest === null ? [] : [{ bool: { must: [constantScore(relatedWordsPoints, all), rest] } }];
  const past = question.tense === null ? [] : [relation.of, ...relation.or].map(isOver);
  const titles = hasTitle.test(relation.role) ? [inTitles(question.rest, 'or')] : [];
  const should = [...preferred(question), ...titles, ...past.map((clause) => constantScore(pastPoints, clause))];
  const found = isOnlyKind(question) ? { must, should: [...words, ...should] } : { must: [...must, ...words], should };
  return named('askedRelation', { bool: { filter: [...filter, ...others], ...found } });
}

const all: Clause = { match_all: {} };

/** "Bain" is Bain Capital, and each event of a series has the name of the series. */
const ofFamilies = anyOf([ofKind('events'), ofKind('investors')]);

/** Returns the excluded entities by name, topic or condition, and the one whose neighbours are wanted. */
export function excludedBy(question: Question): Clause[] {
  const { without, withoutTopics, like } = question;
  const names = [...without, ...withoutTopics.map(({ text }) => text)];
  return [
    ...[...names, ...(like === null ? [] : [like])].map((name) => ({ match: { 'search.names.joined': name } })),
    ...names.map((query) => allOf(ofFamilies, { match: { 'search.names': { query, operator: 'and' } } })),
    ...withoutTopics.map(({ tokens }) => isAbout(tokens)),
    ...question.excluded.flatMap(({ relation, orUnknown, ...conditions }) => [
      ...allConditions(conditions),
      ...(relation === null ? [] : [relationClause(relation, question.kinds, 'strict')]),
      ...(relation?.of !== '' || question.relation === null ? [] : mayHaveRole(relation.role, question.relation)),
      ...(orUnknown ? [] : unknownTo(conditions)),
    ]),
  ];
}

/**
 * Matches any entity, and reports the parts of the question that it meets.
 * @param words the alternatives, in the vocabulary's tokens; one of them is enough
 */
export function provenParts(
  question: Question,
  words: readonly string[] = [],
  areTopics = false,
  listed?: readonly Clause[],
): Clause {
  const { kinds, nouns, relation, also, places, unknownPlaces, time, online, chains, amounts } = question;
  const excluded = excludedBy(question);
  const isOfTitle = hasTitle.test(relation?.role ?? '');
  const parts: Readonly<Partial<Record<PartName, readonly Clause[]>>> = {
    kind: [...allConditions({ kinds }), ...calledSo(nouns)],
    relation: [
      ...(relation === null ? [] : [relationProof(relation, kinds, listed)]),
      ...also.map((one) => relationProof(one, kinds)),
    ],
    place: [...allConditions({ places }), ...unknownPlaces.map(namingPlace)],
    time: allConditions({ time }),
    online: allConditions({ online }),
    chain: allConditions({ chains }),
    amount: allConditions({ amounts }),
    words:
      words.length === 0
        ? []
        : [anyOf(words.map((one) => (isOfTitle ? inTitles(one, 'and') : areTopics ? allNamed(one) : allOccur(one))))],
    without: excluded.length === 0 ? [] : [{ bool: { must_not: excluded } }],
  };
  const should = Object.entries(parts).map(([part, filter]) => ({ bool: { filter, _name: part } }));
  return { bool: { must: [all], should: should.filter(({ bool }) => bool.filter.length > 0) } };
}
