import { correctCue } from './correct-cue.ts';
import { kindWordAt, nounsOf } from './kind-words.ts';
import type { Knowledge } from './knowledge.ts';
import { mayBeName, nameEnd, namesAt } from './names.ts';
import { readOnline } from './online.ts';
import { readPlaces } from './places/places.ts';
import type { Exclusion } from './question.ts';
import { readRelation } from './relations/relations.ts';
import { createSentence, fold, keysFrom, phrase, phraseEnd, type Sentence } from './sentence.ts';
import { readTime } from './times/times.ts';
import { fillers, linkWords } from './words.ts';

/** Cues before a name that is excluded. */
const nameCue = phrase('other than|(apart|aside) from|except( for)?|besides|excluding|(but )?not');
/** Cues before a condition that no result may meet. */
const conditionCue = phrase(
  "(((but|and) )?(that|which|who) )?((is|are|was|were|do|does|did|has|have|had|will)( not|n['’]t)|never)|((but|and) )?not|without|outside( of)?|except( for)?|excluding|other than",
);
/** Cues before a condition that may also be a topic, such as "is not". */
const topicCue = /\b(is|are|was|were)\b|^(is|are|was|were)n|^((but |and )?not|without|except( for)?|excluding)$/;

const namesMax = 4;

/** The exclusions of a sentence. */
export interface Excluded {
  readonly names: readonly string[];
  /** "Dex other than uniswap" asks for alternatives to it. "Except uniswap" only excludes it. */
  readonly like: string | null;
  readonly topics: readonly string[];
  readonly conditions: readonly Exclusion[];
}

/** Reads exclusions, and takes them out of the sentence together with the words that exclude. */
export function readExclusions(sentence: Sentence, knowledge: Knowledge, now: Date): Excluded {
  const names: string[] = [];
  const topics: string[] = [];
  const conditions: Exclusion[] = [];
  let like: string | null = null;
  for (const at of sentence.words.keys()) {
    if (!sentence.isFree(at)) continue;
    const condition = nonPlace(sentence, at, knowledge) ?? conditionAt(sentence, at, knowledge, now);
    if (condition !== null) {
      conditions.push(condition);
      continue;
    }
    const found = topicsAt(sentence, at, knowledge);
    if (found.length > 0) {
      topics.push(...found);
      continue;
    }
    const others = excludedNames(sentence, at);
    if (/^(other|apart|aside|besides)$/.test(sentence.words[at]?.key ?? '')) like ??= others[0] ?? null;
    names.push(...others);
  }
  return { names: names.slice(0, namesMax), like, topics, conditions };
}

/** Reads "non-US", "non-European". */
function nonPlace(sentence: Sentence, at: number, { gazetteer }: Knowledge): Exclusion | null {
  const word = sentence.words[at];
  const name = /^non-(\p{L}+)$/iu.exec(word?.name ?? '')?.[1];
  const place = name === undefined ? null : gazetteer.find(fold(name));
  if (word === undefined || name === undefined || place === null) return null;
  sentence.take(at, at + 1, 'without');
  return { ...nothing, text: word.name, places: [{ text: name, ...place }] };
}

const nothing: Omit<Exclusion, 'text'> = { places: [], time: null, online: null, relation: null, orUnknown: false };

type Reader = (tail: Sentence, knowledge: Knowledge, now: Date) => Partial<Exclusion>;

const readers: readonly (readonly [lead: readonly string[], read: Reader])[] = [
  [[], (tail, knowledge) => ({ places: readPlaces(tail, knowledge) })],
  [['in'], (tail, knowledge) => ({ places: readPlaces(tail, knowledge) })],
  [[], (tail) => ({ online: readOnline(tail) })],
  [[], (tail, knowledge, now) => ({ time: timeOf(tail, knowledge, now) })],
  [['who'], (tail, knowledge) => ({ relation: readRelation(tail, knowledge)?.relation ?? null })],
  [[], (tail, knowledge) => ({ relation: readRelation(tail, knowledge)?.relation ?? null })],
];

function timeOf(tail: Sentence, knowledge: Knowledge, now: Date) {
  const asked = nounsOf(tail, knowledge).flatMap((at) => kindWordAt(tail, at)?.kind ?? []);
  return readTime(tail, asked, now);
}

/** Reads the condition after a cue as if it were wanted: "companies [not] in the US". */
function conditionAt(sentence: Sentence, at: number, knowledge: Knowledge, now: Date): Exclusion | null {
  const from = phraseEnd(keysFrom(sentence, at), at, conditionCue);
  if (from === null || !sentence.isFree(from)) return null;
  const noun = sentence.words.find((_, place) => kindWordAt(sentence, place) !== null)?.key ?? 'companies';
  const written = sentence.words.slice(from).map(({ text }) => text);
  for (const [lead, read] of readers) {
    const before = [noun, ...lead];
    const tail = createSentence([...before, ...written].join(' '), correctCue);
    const found = read(tail, knowledge, now);
    let end = before.length;
    while (end < tail.words.length && !tail.isFree(end)) end += 1;
    const isRead = Object.values(found).some((value) => value !== null && value !== undefined && !isEmpty(value));
    if (!isRead || end === before.length) continue;
    const until = from + end - before.length;
    // "Who did not speak" asks for people.
    const start = at === 0 && sentence.key(at) === 'who' ? at + 1 : at;
    const text = sentence.words.slice(start, until).map((word) => word.name);
    sentence.take(start, until, 'without');
    return { ...nothing, ...found, text: text.join(' ') };
  }
  return null;
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Reads "not custodial", "not on ethereum": a topic, and the one that it makes with the noun before. */
function topicsAt(sentence: Sentence, at: number, knowledge: Knowledge): string[] {
  const keys = keysFrom(sentence, at);
  const from = phraseEnd(keys, at, conditionCue);
  if (from === null || at === 0) return [];
  const cue = keys
    .split(' ')
    .slice(0, from - at)
    .join(' ');
  const isStory = sentence.words.length > wordsWithNotMax && /^((but|and) )?(not|without)$/.test(cue);
  if (!topicCue.test(cue) || isStory) return [];
  let start = from;
  while (linkWords.has(sentence.key(start)) || fillers.has(sentence.key(start)) || sentence.key(start) === 'focused')
    start += 1;
  const end = nameEnd(sentence, start);
  const words = sentence.words.slice(start, end).map(({ key }) => key);
  if (words.length === 0) return [];
  const isNamed = /^(except|excluding)/.test(keys);
  const joined = [...words, sentence.key(at - 1)];
  const isKnown = isNamed ? knowledge.isTopic(words) : knowledge.isTopicOrChain(words);
  const isJoined = !isKnown && knowledge.isTopicOrChain(joined);
  const isAsked =
    cue === 'without'
      ? mayBeName(sentence, start, end)
      : kindWordAt(sentence, at - 1)?.isPlural === true && !isNamed && sentence.key(at) !== 'not';
  if (!isKnown && !isJoined && !(isAsked && words.length <= topicWordsMax)) return [];
  sentence.take(at, end, 'without');
  return (isJoined ? [words, joined] : [words]).map((topic) => topic.join(' '));
}

const topicWordsMax = 2;

/** Reads "other than uniswap and curve". */
function excludedNames(sentence: Sentence, at: number): readonly string[] {
  const cueEnd = phraseEnd(keysFrom(sentence, at), at, nameCue);
  if (cueEnd === null) return [];
  const from = /^(from|by)$/.test(sentence.key(cueEnd)) ? cueEnd + 1 : cueEnd;
  const { names, end } = namesAt(sentence, from);
  if (names.length === 0 || (sentence.key(at) === 'not' && !isNot(sentence, at, end - from))) return [];
  sentence.take(at, end, 'without');
  return names;
}

const verbsBeforeNot = /^(do|does|did|is|are|was|were|can|could|should|will|would|has|have|had|am|when|if|.*['’].*)$/;
/** Longer texts are stories, not names. */
const wordsWithNotMax = 6;

/** "Not" before one name, behind what is wanted: "dex not uniswap". */
function isNot(sentence: Sentence, at: number, words: number): boolean {
  const isShort = sentence.words.length <= wordsWithNotMax && words === 1;
  return at > 0 && isShort && !verbsBeforeNot.test(sentence.key(at - 1));
}
