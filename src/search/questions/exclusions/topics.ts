import { askedKinds, isHead, kindWordAt } from '../kind-words.ts';
import { isOnlyChain } from '../knowledge.ts';
import { isStatement, mayBeName, nameEnd } from '../names.ts';
import type { Sentence } from '../sentence.ts';
import { phrase } from '../sentence.ts';
import { chainNames, chainNoun, fillsTopic } from '../words.ts';
import { articleEnd, conditionCue, except, wordsWithNotMax } from './cues.ts';

/** Cues before a condition that may also be a topic, such as "is not". */
const topicCue =
  /\b(is|are|was|were|do|does|did|can|has|have)\b|n['’]?t$|^cannot|^(((but|and|just|yet) )*not|neither|nor|without|((but|and|with|yet) )?no|lacking|outside( of)?)$|\b((skip|drop)(s|p?p(ed|ing))?|avoid(s|ed)?|leave out|unrelated to|(missing|absent) from|nothing .*)$/;

const exceptCue = phrase(except);

/** Reads "not custodial", "neither on ethereum nor on base": topics, and those that they make with the noun before. */
export function topicsAt(sentence: Sentence, at: number): string[] {
  const from = sentence.after(at, conditionCue);
  if (from === null || !excludesTopic(sentence, at, from)) return [];
  const cue = sentence.keys(at, from);
  const topics: string[] = [];
  let end = from;
  for (let next: number | null = from; next !== null; next = listedEnd(sentence, end)) {
    const start = topicStart(sentence, next);
    // "No lending no bridges".
    const no = sentence.words.findIndex((_, to) => to > start && sentence.is(to, /^no$/));
    const stop = Math.min(nameEnd(sentence, start), no < 0 ? sentence.words.length : no);
    const last = topicEnd(sentence, start, stop);
    const isOne = isKnown(sentence, start) || kindWordAt(sentence, start)?.isPlural === false;
    const isVerb = end > from && !isOne && isStatement(sentence, start, last);
    if (last === start || isVerb) break;
    const found = topicsIn(sentence, at, cue, start, last);
    // "Excluding a16z and coinbase ventures".
    if (found.length === 0 && exceptCue.test(cue)) return [];
    if (found.length === 0) break;
    topics.push(...found);
    end = stop;
  }
  if (topics.length > 0) sentence.take(at, end, 'without');
  return topics;
}

/** Returns the end of the topic in "without solana support", "the eth mainnet ones" and "not the hackathon kind". */
function topicEnd({ key, is }: Sentence, start: number, stop: number): number {
  let end = stop;
  while (end - start > 1 && (fillsTopic(key(end - 1)) || is(end - 1, chainNoun) || is(end - 1, /^(kind|type|sort)$/)))
    end -= 1;
  return end;
}

/** Returns the position after "and", or after a comma before a known topic: "not in finance, insurance or gaming". */
function listedEnd(sentence: Sentence, end: number): number | null {
  const next = sentence.nextListed(end);
  return next === end && !isKnown(sentence, end) ? null : next;
}

function isKnown(sentence: Sentence, at: number): boolean {
  return sentence.isTopicOrChain(sentence.keys(at, nameEnd(sentence, at)).split(' '));
}

const beforeTopic = phrase(
  '(talk|speak|sell)(s|ing)?|do(es|ing)?|(mak|issu|provid)(es?|ing)|part|under|also|touch(es|ing)?|list(ed)?|(available|active|live)(?= on )',
);

function topicStart(sentence: Sentence, from: number): number {
  let start = from;
  while (fillsTopic(sentence.key(start)) || sentence.after(start, beforeTopic)) start += 1;
  return start;
}

/** Returns true for "not a bank" and "no hackathons", but not for "without borders" or within a story. */
function excludesTopic(sentence: Sentence, at: number, from: number): boolean {
  const cue = sentence.keys(at, from);
  const noun = articleEnd(sentence, from);
  if (!topicCue.test(cue) && !exceptCue.test(cue)) return false;
  if (kindWordAt(sentence, noun) !== null && isHead(sentence, noun)) return true;
  // The second one is certain in "no lending no bridges".
  const isStory = sentence.words.length > wordsWithNotMax && (at === 0 || sentence.isFree(at - 1));
  const isLong = isStory && /^((but|and) )?(not|without)$|^(with )?no$/.test(cue);
  // "A16z portfolio without the open source ones", "but not on ethereum".
  const chain = topicStart(sentence, from);
  const isOnChain = chain > noun && sentence.isTopicOrChain([sentence.key(chain)]);
  const stop = nameEnd(sentence, noun);
  const isOfOnes = sentence.is(stop - 1, /^(ones|companies|projects|support|deployment)$/);
  const isListed = stop > noun + 1 || sentence.words[stop - 1]?.endsPhrase === true;
  const isCompound = isListed && sentence.words.length <= 2 * wordsWithNotMax && isKnown(sentence, noun);
  return (!isLong || isOnChain || isOfOnes || isCompound) && (at > 0 || noun > from);
}

const topicWordsMax = 2;

/** Returns the topics in the words from `start` to `last`, after a cue at `at`. */
function topicsIn(sentence: Sentence, at: number, cue: string, start: number, last: number): string[] {
  const before = sentence.key(at - 1);
  const words = sentence.words.slice(start, last).map(({ key }) => chainNames.get(key) ?? key);
  const [topic, joined] = [words.join(' '), [...words, before]];
  const isOthers = sentence.words.some(
    (_, place) => place > at && place <= last && sentence.is(place, /^(those|ones|(any|every)thing)$/),
  );
  if (exceptCue.test(cue) && !isOthers) return sentence.isTopic(words) ? [topic] : [];
  if (sentence.isTopicOrChain(words)) return [topic];
  // "Ethereum optimism base".
  if (words.every((word) => isOnlyChain(sentence, word))) return words;
  if (sentence.isTopicOrChain(joined)) return [topic, joined.join(' ')];
  const isAsked =
    (cue !== 'not' || sentence.is(start - 1, /^on$/)) &&
    (kindWordAt(sentence, at - 1)?.isPlural === true || sentence.isPluralTopic(before));
  const isFurther = cue === 'nor' && !sentence.isFree(at - 1);
  const isNoun = kindWordAt(sentence, last - 1) !== null;
  const isAny =
    /^(without|lacking)$|\bno$/.test(cue) ||
    (cue.startsWith('outside') && askedKinds(sentence).some((kind) => kind === 'companies' || kind === 'investors'))
      ? mayBeName(sentence, start, last)
      : (isAsked || isFurther || isNoun) && words.length <= topicWordsMax;
  return isAny ? [topic] : [];
}
