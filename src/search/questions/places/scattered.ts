import { isTitle, kindWordAt, nounNames, takeNoun } from '../kind-words.ts';
import type { Question } from '../question.ts';
import { firstOf, type Sentence } from '../sentence.ts';
import { fillers, linkWords, wordSet } from '../words.ts';
import { placeApart } from './places.ts';

/** Words that a question for events may have anywhere, and that add nothing. */
const idle = wordSet(
  'there then only just any ever already when year years month day days week date dates type types kind kinds matter no ok okay must please pls somewhere something anything someone happen happens happened happening organised organized organise host hosted hosts thrown throw fell fall falls began begin begins begun start starts started stop stopped run ran running run came come comes go goes going went were been soil ground town towns city cities country countries themed theme related minded calendar agenda schedule scheduled planned many several other others both scene see sees saw seen together met communities kicked',
);
const isIdle = (key: string): boolean => key === '' || idle.has(key) || fillers.has(key) || linkWords.has(key);

const order = /^(last|next|past|previous|recent)$/;
const happens = /^(happen(s|ed|ing)?|organi[sz]ed|hosted|held)$/;

/** Words of questions that names don't have. */
const asking = /^(which|whats?|where|when|any(thing)?|some|stuff|things?|scene)$/;

/** More words that nothing explains make a description, or a name. */
const unexplainedMax = 3;

const occasionWordsMax = 3;

/** Marks "in the days around devcon 5" as ignored, if both a time and a place are known. */
function ignoreOccasion(sentence: Sentence, isKnown: boolean): void {
  if (!isKnown) return;
  for (const at of sentence.words.keys()) {
    if (!sentence.is(at, /^(around|when)$/)) continue;
    let end = at + 1;
    while (sentence.isFree(end)) end += 1;
    const from = sentence.is(at - 1, /^days$/) ? at - 1 : at;
    if (end <= at + 1 + occasionWordsMax) sentence.take(from, end, 'ignored');
  }
}

type Found = Pick<Question, 'kinds' | 'nouns' | 'places'>;

/**
 * Reads a question for events whose place and nouns stand anywhere: "brazil where was hackathon", "osaka october 2019
 * things around devcon 5". Two of a noun, a time and a place are needed. Takes the words that add nothing.
 */
export function readScattered(sentence: Sentence, read: Found, hasTime: boolean): Found {
  const positions = [...sentence.words.keys()].filter(sentence.isFree);
  if (read.kinds.some((kind) => kind !== 'events') || positions.length === 0) return read;
  // "Privacy editions" may be of anything.
  const isAsking = positions.some((at) => sentence.is(at, asking));
  const nouns = positions.filter((at) => kindWordAt(sentence, at)?.kind === 'events' && !sentence.is(at, /^edition/));
  const isExplained = (at: number) => isIdle(sentence.key(at)) || nouns.includes(at);
  const isBeside = (at: number) => isExplained(at) || (isAsking && sentence.isTopicOrChain([sentence.key(at)]));
  const apart = read.places.length > 0 ? null : firstOf(positions, (at) => placeApart(sentence, at, isBeside));
  const isInPlace = (at: number) => apart !== null && at >= apart.from && at < apart.until;
  const asksForEvents = read.kinds.length > 0 || nouns.length > 0 || positions.some((at) => sentence.is(at, happens));
  const hasPlace = read.places.length > 0 || apart !== null;
  const others = positions.filter((at) => !isExplained(at) && !isInPlace(at));
  const evidence = [asksForEvents, hasTime, hasPlace].filter(Boolean).length;
  // "Lisbon June 2024" asks for events.
  const isName = isTitle(sentence, 0, sentence.words.length) && !(hasTime && others.length + nouns.length === 0);
  if (isName || evidence < 2 || others.length > unexplainedMax) return read;
  if (apart !== null) sentence.take(apart.from, apart.until, 'place');
  ignoreOccasion(sentence, hasTime && hasPlace);
  const found = nounNames(sentence, nouns);
  const isNew = apart !== null || read.kinds.length === 0;
  const isTaken = (key: string): boolean => idle.has(key) || (isNew && isIdle(key) && !order.test(key));
  for (const at of positions) if (isTaken(sentence.key(at))) sentence.take(at, at + 1, 'filler');
  for (const at of nouns) takeNoun(sentence, at);
  return {
    kinds: ['events'],
    nouns: read.nouns.length > 0 ? read.nouns : found,
    places: apart === null ? read.places : [apart.place],
  };
}
