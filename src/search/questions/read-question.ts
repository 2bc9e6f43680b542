import type { KindName } from '../../kinds/kind.ts';
import { normalizeText } from '../vocabulary/analyze-text.ts';
import { readAmounts } from './amounts.ts';
import { correctCue } from './correct-cue.ts';
import { readExclusions } from './exclusions.ts';
import { editionCue, isKindWord, isTitle, kindWordAt, nounsOf, readKinds } from './kind-words.ts';
import type { Knowledge } from './knowledge.ts';
import { readLike } from './neighbours.ts';
import { readOnline } from './online.ts';
import { readPlaces, readUnknownPlace } from './places/places.ts';
import type { Question } from './question.ts';
import { readRelation } from './relations/relations.ts';
import { createSentence, keysFrom, phrase, phraseEnd, type Sentence } from './sentence.ts';
import { daysFrom } from './times/calendar.ts';
import { readTime } from './times/times.ts';
import { fillers, fillsTopic, linkWords } from './words.ts';

/**
 * Reads a question in plain English: kinds, places, times, relations and neighbours. Other words remain to be searched
 * for; if nothing is understood, that is the whole text. Names are kept unless words around them ask a question. No
 * reading is certain, so a search must use the text as well.
 * @param now the time that "next month" is relative to, in UTC
 */
export function readQuestion(text: string, knowledge: Knowledge, now: Date): Question {
  const normal = normalizeText(text);
  const sentence = createSentence(normal, correctCue);
  for (const at of sentence.words.keys())
    sentence.take(at, phraseEnd(keysFrom(sentence, at), at, inOurData) ?? at, 'filler');
  for (let last = sentence.words.length - 1; polite.test(sentence.key(last)); last -= 1)
    sentence.take(last, last + 1, 'filler');
  if (/^name (the|all|some|any|every|an?|two|three|five|ten) /.test(keysFrom(sentence, 0)))
    sentence.take(0, 1, 'filler');
  const askedKinds = () => nounsOf(sentence, knowledge).flatMap((at) => kindWordAt(sentence, at)?.kind ?? []);
  const amounts = readAmounts(sentence, askedKinds());
  const asked = askedKinds();
  const excluded = readExclusions(sentence, knowledge, now);
  const time = readTime(sentence, asked, now);
  const places = readPlaces(sentence, knowledge);
  const asLike = readLike(sentence);
  const related = readRelation(sentence, knowledge);
  // "What did paradigm back besides uniswap" asks for no neighbours.
  const like = asLike ?? (related === null ? excluded.like : null);
  const online = asked.includes('events') ? readOnline(sentence) : null;
  const unknownPlaces = readUnknownPlace(sentence, knowledge);
  dropChainVerbs(sentence, knowledge);
  const { kinds, nouns } = readKinds(sentence, knowledge, like === null);
  if (like !== null) readDifference(sentence, knowledge);
  ignoreSuperlatives(sentence);
  const [relation = null, ...also] = related?.relations ?? [];
  const answering: readonly KindName[] = kinds.length === 0 && isEdition(sentence, knowledge) ? ['events'] : kinds;
  // "Funds founded by" a person.
  const isFund =
    asked.length > 0 &&
    related?.kind === 'companies' &&
    relation?.role !== 'portfolio' &&
    asked.every((kind) => kind === 'investors');
  const wanted = related === null || isFund ? answering : [related.kind];
  const ordered = readOrder(sentence, wanted);
  return {
    rest: sentence.isRead() ? withoutFillers(sentence) : normal,
    kinds: wanted,
    nouns,
    relation,
    also,
    like,
    without: excluded.names,
    withoutTopics: excluded.topics.map((text) => ({ text, tokens: text })),
    excluded: excluded.conditions,
    amounts,
    places,
    unknownPlaces,
    time: time ?? timeOfOrder(ordered, now),
    online,
    order: ordered?.order ?? null,
    parts: sentence.parts(),
  };
}

const linking = /^(that|which|who|you|we|i|they|can|could|be|is|are|a|on|with|for|in|to|under|of|the|both)$/;
const inUse =
  /^(use|used|usable|support(s|ing)?|runs?|running|works?|working|built|building|lives?|available|deployed|launched|listed|active|native|compatible|part)$/;

/** Returns the position after words between a noun and a chain: "marketplaces that can be used on". */
function chainVerbEnd(sentence: Sentence, at: number): number | null {
  let end = at;
  while (linking.test(sentence.key(end)) || inUse.test(sentence.key(end))) end += 1;
  return sentence.words.slice(at, end).some(({ key }) => inUse.test(key)) ? end : null;
}

/** Takes the verb out of "wallets that support bitcoin" and "lending protocols built on base". */
function dropChainVerbs(sentence: Sentence, { isTopic, isTopicOrChain, isPluralTopic }: Knowledge): void {
  const isChain = (at: number) => isTopicOrChain([sentence.key(at)]) && !isTopic([sentence.key(at)]);
  for (const at of sentence.words.keys()) {
    // "On both base and optimism".
    if (sentence.key(at) === 'both' && isChain(at + 1)) sentence.take(at, at + 1, 'filler');
    const end = chainVerbEnd(sentence, at);
    const isPlural = isPluralTopic(sentence.key(at - 1), sentence.key(at - 2));
    // "That support solana developers".
    const after = /^(chain|ecosystem|network|mainnet)$/.test(sentence.key((end ?? at) + 1)) ? 2 : 1;
    const isEnd = end !== null && (!sentence.isFree(end + after) || linkWords.has(sentence.key(end + after)));
    if (!isEnd || !isChain(end)) continue;
    if (isPlural) sentence.note(at - 1, at, 'kind');
    if (!isPlural && kindWordAt(sentence, at - 1)?.kind !== 'companies') continue;
    sentence.take(at, end, 'filler');
    sentence.take(end + 1, end + after, 'filler');
  }
}

/** Reads "wallets like ledger that support solana": entities must be about the last word, and be like the others. */
function readDifference(sentence: Sentence, { isTopicOrChain }: Knowledge): void {
  for (const [at, { key }] of sentence.words.entries()) if (fillsTopic(key)) sentence.take(at, at + 1, 'filler');
  const [first = 0, last = 0, ...others] = [...sentence.words.keys()].filter(sentence.isFree);
  const isApart = last > first + 1 && !sentence.isFree(last - 1) && others.length === 0;
  if (isApart && isTopicOrChain([sentence.key(last)])) sentence.take(first, first + 1, 'like');
}

/** Takes "biggest" and "most popular" out of a question, because nothing in the data ranks entities so. */
function ignoreSuperlatives(sentence: Sentence): void {
  for (const at of sentence.words.keys()) {
    if (!sentence.isRead() || !superlative.test(sentence.key(at))) continue;
    sentence.take(sentence.key(at - 1) === 'most' ? at - 1 : at, at + 1, 'ignored');
  }
}

const superlative = /^(biggest|largest|popular|famous)$/;

const inOurData = phrase('(in|from|of) (the|your|this) (data|database|dataset|directory|records)$');
const polite = /^(please|pls|plz|thanks|thank|thx|you)$/;

/** Returns the rest without filler words at its beginning and end. */
function withoutFillers(sentence: Sentence): string {
  const words = [...sentence.rest()];
  while (fillers.has(words[0]?.key ?? '')) {
    const isTop = words.shift()?.key === 'top';
    // "Top 10".
    if (isTop && /^\d{1,3}$/.test(words[0]?.key ?? '')) words.shift();
  }
  while (fillers.has(words.at(-1)?.key ?? '') && words.at(-2)?.key !== 'series') words.pop();
  const last = words.at(-1);
  return words
    .map((word) => (word.isCorrected ? word.key : word === last ? word.text.replace(/[?,;:]+$/, '') : word.text))
    .join(' ');
}

interface ReadOrder {
  readonly order: NonNullable<Question['order']>;
  readonly side: 'past' | 'future' | null;
  readonly text: string;
}

const orders: readonly {
  readonly word: RegExp;
  readonly of: readonly KindName[];
  readonly order: NonNullable<Question['order']>;
  readonly side: ReadOrder['side'];
}[] = [
  { word: /^(upcoming|future|next)$/, of: ['events'], order: 'soonest', side: 'future' },
  { word: /^(past|previous|last)$/, of: ['events'], order: 'newest', side: 'past' },
  { word: /^(latest|newest|youngest|recent)$/, of: ['events', 'companies'], order: 'newest', side: null },
  { word: /^(oldest|earliest)$/, of: ['events', 'companies'], order: 'oldest', side: null },
];

const editionWordsMax = 2;

/** Reads a request for one of a series of events: "last devcon", "when is the next ethdenver". */
function isEdition(sentence: Sentence, { isTopicOrChain }: Knowledge): boolean {
  const { words } = sentence;
  const at = words.findIndex(({ key }) => !fillers.has(key) && !/^(when|recent)$/.test(key));
  const name = words.slice(at + 1).map(({ key }) => key);
  const isName = name.length > 0 && name.length <= editionWordsMax && !name.some((word) => isTopicOrChain([word]));
  const isCue = editionCue.test(words[at]?.key ?? '') && !isTitle(sentence, at, words.length);
  if (!isName || !isCue || sentence.isRead()) return false;
  sentence.take(0, at, 'filler');
  return true;
}

function readOrder(sentence: Sentence, asked: readonly KindName[]): ReadOrder | null {
  for (const at of sentence.words.keys()) {
    const found = orders.find(({ word, of }) => word.test(sentence.key(at)) && of.some((kind) => asked.includes(kind)));
    if (found === undefined) continue;
    const nouns = sentence.words.flatMap(({ key }, place) => (isKindWord(key) ? place : []));
    // "Events of the next two parts", "events next to the station".
    if (/^(next|last)$/.test(sentence.key(at)) && nouns.length > 0 && !nouns.some((noun) => noun > at)) continue;
    sentence.take(sentence.key(at - 1) === 'most' ? at - 1 : at, at + 1, 'order');
    return { order: found.order, side: found.side, text: sentence.words[at]?.name ?? '' };
  }
  return null;
}

function timeOfOrder(ordered: ReadOrder | null, now: Date): Question['time'] {
  if (ordered === null || ordered.side === null) return null;
  const { from } = daysFrom(now, 0, 1);
  const isFuture = ordered.side === 'future';
  return {
    about: 'starts',
    from: isFuture ? from : null,
    until: isFuture ? null : from,
    yearly: false,
    text: ordered.text,
  };
}
