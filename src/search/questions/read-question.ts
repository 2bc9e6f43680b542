import type { KindName } from '../../kinds/kind.ts';
import { normalizeText } from '../vocabulary/analyze-text.ts';
import { readAmounts } from './amounts.ts';
import { readExclusions } from './exclusions/exclusions.ts';
import { excludedRelations } from './exclusions/relations.ts';
import { isKindNoun } from './kind-nouns.ts';
import { askedKinds, editionCue, isTitle, kindWordAt, readKinds } from './kind-words.ts';
import type { Knowledge } from './knowledge.ts';
import { nameWordsMax } from './names.ts';
import { readLike } from './neighbours.ts';
import { readOnline } from './online.ts';
import { readPlaces, readUnknownPlace } from './places/places.ts';
import { readScattered } from './places/scattered.ts';
import { amountKinds, type Question, type Relation } from './question.ts';
import { readClass } from './relations/class.ts';
import { nothingMore, readKnownNames } from './relations/known-names.ts';
import { distinct, type KnownName } from './relations/possible-names.ts';
import { readRelation } from './relations/relations.ts';
import { ended, type ReadRelation } from './relations/span.ts';
import type { Unexplained } from './relations/word-uses.ts';
import { createSentence, phrase, type Sentence } from './sentence.ts';
import { daysFrom } from './times/calendar.ts';
import { readTime } from './times/times.ts';
import { readChains } from './topics/chains.ts';
import { dropPreamble, readPreamble, searchedRest, topicsOf } from './topics/rest.ts';
import { ignoreTokens, ignoreValue, noteUnknownField } from './unknown-fields.ts';
import { fillers, fillsTopic, fold, sentenceWordsMin } from './words.ts';

/** Parts of a text that are names in the data, as far as they were looked up. */
export interface NamesInText {
  readonly names: readonly KnownName[];
  /** The reading without names; null if nothing was understood. */
  readonly plain: Question | null;
  readonly unexplained: Unexplained;
}

const noNames: NamesInText = { names: [], plain: null, unexplained: 'none' };

/**
 * Reads a question in plain English: kinds, places, times, relations and neighbours. Other words remain to be searched
 * for; if nothing is understood, that is the whole text. Names are kept unless words around them ask a question. No
 * reading is certain, so a search must use the text as well.
 * @param now the time that "next month" is relative to, in UTC
 */
export function readQuestion(
  text: string,
  knowledge: Knowledge,
  now: Date,
  { names, plain, unexplained }: NamesInText = noNames,
): Question {
  const normal = normalizeText(text);
  const sentence = createSentence(normal, knowledge);
  const preamble = readPreamble(sentence);
  sentence.takeAll(alwaysMet, 'filler');
  if (sentence.after(0, nameThem)) sentence.take(0, 1, 'filler');
  ignoreValue(sentence);
  const isLast = !(plain !== null && hasNames(plain, names));
  const amounts = readAmounts(sentence, askedKinds(sentence), names);
  const whole = readKnownNames(sentence, names);
  const asked = askedKinds(sentence);
  ignoreTokens(sentence);
  const relatedClass = readClass(sentence);
  const excluded = readExclusions(sentence, now, names);
  const sureTime = readTime(sentence, asked, now);
  const places = readPlaces(sentence);
  const time = sureTime ?? readTime(sentence, asked, now);
  const named = whole ?? readKnownNames(sentence, names, isLast ? unexplained : 'none');
  const more = named ?? nothingMore;
  const asLike = named === null ? readLike(sentence) : more.sharesWith;
  const related = named ?? readRelation(sentence);
  ignoreTalking(sentence);
  // "What did paradigm back besides uniswap" asks for no neighbours.
  const like = asLike ?? (related === null ? excluded.like : null);
  const sharing = more.sharesWith === null ? null : 'investments';
  const online = asked.includes('events') ? readOnline(sentence) : null;
  const unknownPlaces = readUnknownPlace(sentence);
  const chains = readChains(sentence, asked, related);
  const { kinds, nouns } = readKinds(sentence, like === null);
  readDifference(sentence, like);
  ignoreAdjectives(sentence, time);
  const strict = { kinds, nouns, places };
  const mayBeOfEvents = related === null && like === null && time?.about !== 'founded';
  const loose = mayBeOfEvents ? readScattered(sentence, strict, time !== null) : strict;
  const [relation = null, ...also] = related?.relations ?? [];
  const answering = loose.kinds.length === 0 ? kindsWithoutNoun(sentence, time, amounts) : loose.kinds;
  const wanted = kindsOf(related, answering, asked);
  const unrelated = excludedRelations(sentence, [...excluded.names, ...excluded.topics], names, wanted);
  const isPlain = (name: string) => !unrelated.some(({ text: one }) => one === name);
  const topics = excluded.topics.filter(isPlain);
  const ordered = readOrder(sentence, wanted, now);
  if (sentence.isRead()) dropPreamble(sentence, preamble, loose.places.length > 0);
  const rest = sentence.isRead() ? searchedRest(sentence) : normal;
  noteUnknownField(sentence);
  return {
    rest,
    topics: sentence.words.length < sentenceWordsMin ? rest : topicsOf(sentence),
    kinds: wanted,
    nouns: loose.nouns,
    relation,
    also,
    relatedClass,
    tense: tenseOf(sentence, relation),
    like,
    sharing,
    without: [...excluded.names.filter(isPlain), ...more.without],
    withoutTopics: topics.map((topic) => ({ text: topic, tokens: topic })),
    excluded: [...excluded.conditions, ...more.excluded, ...unrelated],
    amounts,
    places: loose.places,
    unknownPlaces,
    time: time ?? ordered.time,
    online,
    chains,
    order: ordered.order,
    parts: partsOf(sentence, relation),
  };
}

/** "Investors without uniswap" asks only for a kind. */
function partsOf(sentence: Sentence, relation: Relation | null): Question['parts'] {
  const parts = sentence.parts();
  return relation === null ? parts.map((part) => (part.as === 'relation' ? { ...part, as: 'kind' } : part)) : parts;
}

/** Returns true if a question has all names that were found in its text. */
function hasNames({ relation, also, excluded, without, like }: Question, names: readonly KnownName[]): boolean {
  const relations = [relation, ...also, ...excluded.map((one) => one.relation)];
  const named = [...relations.flatMap((one) => [one?.of, ...(one?.or ?? [])]), ...without, like];
  return distinct(names).every(({ name }) => named.some((one) => fold(one ?? '') === fold(name)));
}

/** Returns the kinds that a relation is about: its own, but "funds founded by" a person are investors. */
function kindsOf(related: ReadRelation | null, answering: readonly KindName[], asked: readonly KindName[]) {
  if (related === null) return answering;
  const { kind, relations } = related;
  const isOfFounder = kind === 'companies' && relations[0]?.role !== 'portfolio';
  const isFund = isOfFounder && asked.length > 0 && asked.every((one) => one === 'investors');
  return isFund ? answering : [kind];
}

/** The kind of "last devcon", "banks older than 1900" and "hq in berlin". */
function kindsWithoutNoun(
  sentence: Sentence,
  time: Question['time'],
  amounts: Question['amounts'],
): readonly KindName[] {
  if (isEdition(sentence)) return ['events'];
  const [ofAmount] = amounts.map(({ about }) => amountKinds[about]);
  const isOfCompanies = sentence.words.some(({ key }, at) => ofCompany.test(key) && !sentence.isFree(at));
  const isShort = sentence.words.length <= 2 * nameWordsMax;
  if (ofAmount !== undefined && (isShort || ofAmount !== 'companies')) return [ofAmount];
  return isShort && (time?.about === 'founded' || isOfCompanies) ? ['companies'] : [];
}

/** Words for what only companies and investors have. */
const ofCompany = /^(hq|headquarter(s|ed)|founded|established)\b/i;

/** Words such as "former" were taken as a condition that the data can't answer. */
function tenseOf(sentence: Sentence, relation: Relation | null): Question['tense'] {
  const isOver = sentence.parts().some(({ as, text }) => as === 'ignored' && ended.test(fold(text).replace(/-$/, '')));
  return isOver && relation?.role === 'member' ? 'past' : null;
}

/** Conditions that everything meets, and polite words. */
const alwaysMet = phrase(
  [
    'kindly|please|so far$|((please|pls|plz|thanks?|thx|you|quick|quickly|asap|sir|bro)( |$))+$|(where|when|which (city|cities|year|years))( (and|or) (where|when))+$|(what|who|which)( (one|ones))? (remains?|(is|are) left)$|(since|from) the( very)? (first|beginning)( one)?|(dates?|venues?|locations?)( (and|or) (dates?|venues?|locations?))* (of|for)|(and|with)( the)? (dates?|venues?|locations?)( (and|or) (dates?|venues?|locations?))*$|(any|every|some)where(?! (but|except|other|outside))|wher?ever( (it|they) (was|were|is|are)( held)?)?|(in|on) here|(in|from|of) (the|your|this) (data|database|dataset|directory|records|index|list|catalogue)$|(at any point|anywhere in the world)|kick(s|ed|ing)? off(?= (in|on|during|before|after|at|between|from|this|next|\\d))|on the (programme|program|agenda|calendar|schedule)',
    '(invest(s|ing)?|writ(es?|ing)( (cheques|checks|tickets))?|go(es|ing)? in) (at|in)( the)?(?= (pre)?seed)',
    '((where|with|whose) )?(the )?(main )?(topic|theme|focus|subject) (is|was|being)(?= )',
    '(in|on|of|for|from) (the|that|this) (continent|country|city|region)(?! of)',
    '(i|we) (would|should) be (glad|happy|grateful|pleased) to (learn|know|see|have|get|hear)( (of|about))?',
    "at least(?= (one|some) of )|i mean|i wonder( (if|whether))?|listed here|(i|we)( would|['’]d) like( to (see|know|have|find|get))?",
    '((in|on|at|of|from) )?(any|whatever) ((year|time|date|city|country|continent|place|size|age)s?(?! (of|in|on|zone|but)( |$))|(time|point|stage)(?= in \\d))',
    '(now|today|current(ly)?|present|past|former(ly)?|before) (or|and) (in the )?(now|today|current(ly)?|present|past|former(ly)?|before)',
  ].join('|'),
);
const talking = phrase('(who|that) ((has|have) )?(speaks?|talks?|spoken?|talked) about(?= )');
const nameThem = phrase(
  'name (the|all|some|any|every|an?|one|two|three|five|ten)(?= )|name(?=( \\S+){5})|so(?= (who|what|which) )',
);

/** Ignores "who talk about" in "lawyers who talk about crypto". */
function ignoreTalking(sentence: Sentence): void {
  for (const at of sentence.words.keys()) {
    const { kind, isTelling } = kindWordAt(sentence, at - 1) ?? {};
    if (kind === 'people' && isTelling) sentence.take(at, sentence.after(at, talking) ?? at, 'filler');
  }
}

/** Reads "wallets like ledger that support solana": entities must be about the last word, and be like the others. */
function readDifference(sentence: Sentence, like: string | null): void {
  if (like === null) return;
  for (const [at, { key }] of sentence.words.entries()) if (fillsTopic(key)) sentence.take(at, at + 1, 'filler');
  const [first = 0, last = 0, ...others] = [...sentence.words.keys()].filter(sentence.isFree);
  const isApart = last > first + 1 && !sentence.isFree(last - 1) && others.length === 0;
  if (isApart && sentence.isTopicOrChain([sentence.key(last)])) sentence.take(first, first + 1, 'like');
}

/** Takes out "biggest", because nothing in the data ranks entities so, and "old" of "old banks founded before 1900". */
function ignoreAdjectives(sentence: Sentence, time: Question['time']): void {
  if (time?.about === 'founded') sentence.takeAll(age, 'filler');
  for (const at of sentence.words.keys()) {
    if (!sentence.isRead() || !sentence.is(at, superlative)) continue;
    sentence.take(sentence.key(at - 1) === 'most' ? at - 1 : at, at + 1, 'ignored');
  }
}

const superlative = /^(biggest|largest|popular|famous)$/;
const age = phrase('(very|really|quite) (old|young|new)|old|young');

/** Words for an order, the kinds with dates, and the time that the word means. */
const orders: readonly {
  readonly word: RegExp;
  readonly of: readonly KindName[];
  readonly order: NonNullable<Question['order']>;
  readonly side?: 'from' | 'until';
}[] = [
  { word: /^(upcoming|future|next)$/, of: ['events'], order: 'soonest', side: 'from' },
  { word: /^(past|previous|last)$/, of: ['events'], order: 'newest', side: 'until' },
  { word: /^(latest|newest|youngest|recent)$/, of: ['events', 'companies'], order: 'newest' },
  { word: /^(oldest|earliest)$/, of: ['events', 'companies'], order: 'oldest' },
];

const editionWordsMax = 2;

/** Reads a request for one of a series of events: "last devcon", "when is the next ethdenver". */
function isEdition(sentence: Sentence): boolean {
  const { words } = sentence;
  const at = words.findIndex(({ key }) => !fillers.has(key) && !/^(when|recent)$/.test(key));
  const name = words.slice(at + 1);
  const isName = name.length > 0 && name.length <= editionWordsMax;
  const isTopic = name.some(({ key }) => sentence.isTopicOrChain([key]));
  const isCue = editionCue.test(words[at]?.key ?? '') && !isTitle(sentence, at, words.length);
  if (!isName || isTopic || !isCue || sentence.isRead()) return false;
  sentence.take(0, at, 'filler');
  return true;
}

function readOrder(sentence: Sentence, asked: readonly KindName[], now: Date): Pick<Question, 'order' | 'time'> {
  for (const [at, { name }] of sentence.words.entries()) {
    const found = orders.find(({ word, of }) => sentence.is(at, word) && of.some((kind) => asked.includes(kind)));
    if (found === undefined) continue;
    const nouns = sentence.words.flatMap(({ key }, place) => (isKindNoun(key) ? place : []));
    // "Events of the next two parts", "events next to the station".
    if (sentence.is(at, /^(next|last)$/) && nouns.length > 0 && !nouns.some((noun) => noun > at)) continue;
    sentence.take(sentence.is(at - 1, /^most$/) ? at - 1 : at, at + 1, 'order');
    const { order, side } = found;
    const open = { about: 'starts', from: null, until: null, yearly: false, text: name } as const;
    return { order, time: side === undefined ? null : { ...open, [side]: daysFrom(now, 0, 1).from } };
  }
  return { order: null, time: null };
}
