import { askedKinds, isTitle, kindWordAt } from '../kind-words.ts';
import { nameEnd, nameStart } from '../names.ts';
import { holders } from '../question.ts';
import type { Sentence } from '../sentence.ts';
import { linkWords } from '../words.ts';
import { doing, roleNouns, speaking } from './roles.ts';
import { askForEvent, isAboutTopic, isPlainTopic, type ReadRelation, relate } from './span.ts';

/** Returns the nouns at a position, each with the position after it. */
function nounsAt(sentence: Sentence, at: number) {
  return roleNouns.flatMap((noun) => {
    const end = sentence.after(at, noun.noun);
    return end === null ? [] : [{ noun, end }];
  });
}

/** Reads "founder of ethereum", "speakers at devcon", "portfolio companies of paradigm", "ceo trezor". */
export function nounBefore(sentence: Sentence, at: number): ReadRelation | null {
  for (const { noun, end } of nounsAt(sentence, at)) {
    const linkEnd = sentence.after(end, noun.links);
    const isLinked = linkEnd !== null;
    if (!isLinked && !(noun.precedes === true && isShortNameAlone(sentence, at, end))) continue;
    const nameFrom = linkEnd ?? end;
    if (isAboutTopic(sentence, nameFrom)) return null;
    if (noun.role === 'organizer') return askForEvent(sentence, at, nameFrom);
    const from = noun.isTelling === true ? end : at;
    return relate(sentence, { from, nameFrom, role: noun.role, kind: holders[noun.role], isNoun: true });
  }
  return null;
}

/** "Founder aave": a role and one or two words that are not written as one name, such as "Founder Fund". */
function isShortNameAlone(sentence: Sentence, at: number, end: number): boolean {
  const { length } = sentence.words;
  const isName = length > end && length <= end + 2 && nameEnd(sentence, end) === length;
  return at === 0 && isName && !isTitle(sentence, 0, length) && kindWordAt(sentence, length - 1) === null;
}

/** Words before a role that specify it, and aren't a name: "seed investors". */
const adjectives =
  /^(pre)?(seed|series|round|angel|early|late|stage|serial|institutional|technical|strategic|lead|active|female|women|male|young|solo|first|best|top|famous|known|keynote|main|new|all|core|company|startup|startups|our|my|their|private|retail|accredited|potential|notable|big|biggest|largest|list|show|find|me|no|not|without|of|support|customer|sales|hire|hires|hiring|pay|paying)$/;

/** Reads "ethereum founder", "circle's ceo", "uniswap investors", "paradigm portfolio". */
export function nounBehind(sentence: Sentence, at: number): ReadRelation | null {
  const found = nounsAt(sentence, at).find(({ noun }) => noun.follows);
  if (found === undefined) return null;
  const { noun, end } = found;
  const next = sentence.key(end);
  if (next !== '' && next !== 'list' && !linkWords.has(next)) return null;
  const last = nameStart(sentence, at);
  // "Aave and lido investors".
  const isList = sentence.is(last - 1, /^(and|or)$/) && kindWordAt(sentence, last - 2) === null;
  const from = isList ? nameStart(sentence, last - 1) : last;
  const words = sentence.words.slice(last, at);
  const isPossessive = words.at(-1)?.isPossessive === true;
  const isTopic = !isPossessive && isPlainTopic(sentence, last, at);
  if (isTopic || words.some(({ key }) => adjectives.test(key))) return null;
  // "Ledger employees", but "foreign employees".
  if (sentence.key(at) === 'employees' && !isPossessive && !/^\p{Lu}/u.test(words[0]?.name ?? '')) return null;
  const { role, follows } = noun;
  if (follows === 'several words' && words.length < 2 && !isPossessive && !isList) return null;
  // "Firstminute's companies", but "ethereum's startups".
  const isOwner = isPossessive && !sentence.isTopicOrChain(words.map(({ name }) => name));
  if (follows === 'possessive' && !isOwner) return null;
  return relate(sentence, { from, nameFrom: from, nameUntil: at, end, role, kind: holders[role], isNoun: true });
}

/** Reads "at polygon" in "who works on zk at polygon" and "who gave a talk about zk at devcon". */
export function atNamed(sentence: Sentence, at: number): ReadRelation | null {
  if (sentence.key(at) !== 'at' || kindWordAt(sentence, at - 1) !== null) return null;
  if (!askedKinds(sentence).includes('people') && !sentence.is(0, /^whos?$/)) return null;
  const nameFrom = sentence.afterThe(at + 1);
  const isSpeaker = sentence.words.some((_, place) => sentence.is(place, speaking));
  const isTopic = !isSpeaker && isPlainTopic(sentence, nameFrom, nameEnd(sentence, nameFrom));
  if (isTopic || isAboutTopic(sentence, nameFrom)) return null;
  sentence.takeAll(doing, 'filler');
  return relate(sentence, { from: at, nameFrom, role: isSpeaker ? 'speaker' : 'member', kind: 'people' });
}
