import { anyMoney } from './amounts.ts';
import { isKindNoun } from './kind-nouns.ts';
import { askedKinds, isHead, kindWordAt } from './kind-words.ts';
import { isOnlyChain } from './knowledge.ts';
import { isStatement, mayBeName, nameEnd, namesAt, namesMax } from './names.ts';
import { readOnline } from './online.ts';
import { cueStart, readPlaces } from './places/places.ts';
import { type Exclusion, nothingExcluded } from './question.ts';
import { readRelation } from './relations/relations.ts';
import { createSentence, phrase, type Sentence } from './sentence.ts';
import { readTime } from './times/times.ts';
import { chainNames, chainNoun, fillsTopic, fold } from './words.ts';

const except =
  'except( for)?|excl(uding)?|minus|with the exception of|(apart|aside) from|leaving (out|aside)|not (counting|including)|((but|and) )?none( of|(?= (in|at|from) ))';
const nameCue = phrase(
  `((any|every)(one|body|thing) )?(else|other) than|(any|every)(one|body|thing) but|besides?|${except}|(but )?not( (counting|including))?`,
);
const avoiding = '(that|which|who) (skip(s|ped)?|avoid(s|ed)?)';
/** Cues before a condition that no result may meet. */
const conditionCue = phrase(
  `((but|and|yet) )?((that|which|who) )?((is|are|was|were|do|does|did|has|have|had|will|would|can)( not|n['’]?t| neither| never)( been)?|cannot|can['’]?t|won['’]?t|never)|${avoiding}|((but|and|yet) )?(skip(ping)?|leave out|(is|are) (unrelated to|(missing|absent) from)|unrelated to|(has|have) nothing to do with|nothing (about|on|with))|(but )?drop(ping)?|((but|and|just|yet) )*not( (counting|including))?|((any|every|some)where|((in|on) )?(an?|any|some) (city|country|place|continent|state|year)) (but|except|other than)|elsewhere than|neither|nor|without( (ever|having|been))*|((but|and|with|yet) )?no(?! (later|earlier|sooner|less|fewer|more|longer) )|lacking|outside( of)?|(${except})( ((those|anyone|anybody|people) )?who(ever)?( (was|were|is|are|has|have|also|ever|been))*)?|(else|other) than`,
);
/** Cues before a condition that may also be a topic, such as "is not". */
const topicCue =
  /\b(is|are|was|were|do|does|did|can|has|have)\b|n['’]?t$|^cannot|^(((but|and|just|yet) )*not|neither|nor|without|((but|and|with|yet) )?no|lacking|outside( of)?)$|\b((skip|drop)(s|p?p(ed|ing))?|avoid(s|ed)?|leave out|unrelated to|(missing|absent) from|nothing .*)$/;

const exceptCue = phrase(except);

/** Cues before an entity; before "in" and the like, a condition follows. */
const entityCue = phrase(`(other than|${except})(?= (?!(in|at|from|by|on|those)( |$)))`);

/** Verbs between a cue and a place: "that don't operate in the US". */
const placeVerb = phrase(
  '(those|ones?|(any|every)(thing|one|body)|firms|companies|startups|projects|events|funds|investors)( (that|which) (are|were))?(?= (based|located|headquartered|in|from|out) )|(those|ones?)( (that|which) (are|were))?|(run|led|managed|domiciled)(?= (from|in|out) )|operat(e|ing)|tak(e|ing) place|held|(have|having) (an )?offices?|(do|doing) business|exist|live|found(ed)?|establish(ed)?|start(ed)?|created?|launch(ed)?',
);

/** Words after the name that several entities share: "other than the devcon ones". */
const seriesEnd = / (ones|series|events|editions)$/i;

/** Reads exclusions, and takes them out of the sentence together with the words that exclude. */
export function readExclusions(sentence: Sentence, now: Date) {
  const names: string[] = [];
  const topics: string[] = [];
  const conditions: Exclusion[] = [];
  /** "Dex other than uniswap" asks for alternatives to it. "Except uniswap" only excludes it. */
  let like: string | null = null;
  for (const at of sentence.words.keys()) {
    if (!sentence.isFree(at) || mayBeNoun(sentence, at)) continue;
    const condition = nonAt(sentence, at) ?? unbackedAt(sentence, at) ?? conditionAt(sentence, at, now);
    const found = condition === null ? topicsAt(sentence, at) : [];
    if (typeof condition === 'string') found.push(condition);
    else if (condition !== null) conditions.push(condition);
    topics.push(...found);
    if (condition !== null || found.length > 0) continue;
    // "Events other than conferences", "projects other than marketplaces".
    const isTopic = (name: string) => isKindNoun(fold(name)) || sentence.isPluralTopic(name);
    const others = excludedNames(sentence, at);
    const named = others.filter((name) => !isTopic(name)).map((name) => name.replace(seriesEnd, ''));
    topics.push(...others.filter(isTopic));
    const isOther = /^(other|apart|aside|besides?)$/.test(sentence.words[at]?.key ?? '');
    if (isOther && !others.some((name) => seriesEnd.test(name))) like ??= named[0] ?? null;
    names.push(...named);
  }
  return { names: [...names, ...conditions.flatMap(nameOfEntity)].slice(0, namesMax), like, topics, conditions };
}

/** "Skip Protocol" is a name, and drops of NFTs are a topic. */
function mayBeNoun({ is, words }: Sentence, at: number): boolean {
  if (is(at + 1, /^((any|every)(thing|one|body)?|those|the|all)$/)) return false;
  return at === 0 ? is(at, /^(skip|drop)$/) : is(at, /^drop(ping)?$/) && words[at - 1]?.endsPhrase !== true;
}

/** "People at aave excluding lens" excludes people of that company, and a person of that name. */
function nameOfEntity({ text, relation }: Exclusion): string[] {
  return /^(other|exc|with the exc)/i.test(text) && relation !== null && relation.of !== '' ? [relation.of] : [];
}

/** Reads "non-US", "non-European" and "non-EVM"; "non-custodial" is a topic itself. */
function nonAt(sentence: Sentence, at: number): Exclusion | string | null {
  const end = sentence.is(at, /^non$/) && kindWordAt(sentence, at + 1) !== null ? at + 2 : at + 1;
  const text = sentence.written(at, end).replace(' ', '-');
  const name = text.replace(/^non-(?=\p{L}+$)/iu, '');
  if (name === text) return null;
  const place = sentence.gazetteer.find(fold(name));
  const isTopic = (sentence.isTopicOrChain([name]) || isKindNoun(fold(name))) && !sentence.isTopicOrChain([text]);
  if (place === null && !isTopic) return null;
  sentence.take(at, end, 'without');
  return place === null ? name : { ...nothingExcluded, text, places: [{ text: name, ...place }] };
}

const without =
  "(without|lacking|with(out)? no|(((but|and) )?(that|which|who) )?(((do|does)( not|n['’]?t)|never) have|(has|have|had)( no|n['’]?t)|never had)|((but|and|yet) )?no)( (any|known|named|outside|external|institutional))*";
const unraised =
  "((but|and|yet) )?((that|which|who) )?((((do|does|did|has|have|had)( not|n['’]?t)|never)( yet)? raised?( (any|outside|external))*( (money|funding|capital))?( yet)?)|(has |have )?raised no (money|funding|capital)( yet)?)";
const here = '(?= (in|at|on|and|or|but|that|which|who|founded|based|near|with|after|before) |$)';
const withoutInvestors = phrase(
  `(${without}|${avoiding}) ((investor|backer)s?( (listed|known))?|(vc|venture capital) (money|funding|backing))${here}`,
);
const withoutFunding = phrase(`(${without} (funding|capital|funds)( yet| so far)?|${unraised})${here}|unfunded(?= )`);

/** Reads "without investors", "that have no outside backers" and "that never raised money". */
function unbackedAt(sentence: Sentence, at: number): Exclusion | null {
  const fundingEnd = sentence.after(at, withoutFunding);
  const end = fundingEnd ?? sentence.after(at, withoutInvestors);
  if (end === null) return null;
  const text = sentence.nameOf(at, end);
  sentence.take(at, end, 'without');
  return {
    ...nothingExcluded,
    text,
    amounts: fundingEnd === null ? [] : [anyMoney(text)],
    relation: { role: 'investor', of: '', or: [] },
  };
}

type Reader = (tail: Sentence, now: Date) => Partial<Exclusion>;

const placesIn: Reader = (tail) => ({ places: readPlaces(tail) });
const relationIn: Reader = (tail) => {
  const relation = readRelation(tail)?.relations[0] ?? null;
  // "Without investors in berlin".
  return { relation: tail.gazetteer.find(fold(relation?.of ?? '')) === null ? relation : null };
};

const readers: readonly (readonly [lead: readonly string[], read: Reader])[] = [
  [[], placesIn],
  [['in'], placesIn],
  [[], (tail) => ({ online: readOnline(tail) })],
  [[], (tail, now) => ({ time: readTime(tail, askedKinds(tail), now) })],
];

/** A way to read a condition: the words before it, the position of its own first word, and that of the whole. */
type Attempt = readonly [before: readonly string[], from: number, read: Reader, start: number];

const subjectWordsMax = 3;

/**
 * Reads the condition after a cue as if it were wanted: "companies [not] in the US", or with words before the cue: "who
 * invested in aave but [not] in uniswap".
 */
function conditionAt(sentence: Sentence, at: number, now: Date): Exclusion | null {
  const cueUntil = sentence.after(at, conditionCue);
  if (cueUntil === null || !sentence.isFree(cueUntil)) return null;
  const cueEnd = articleEnd(sentence, cueUntil);
  const verbEnd = sentence.after(cueEnd, placeVerb) ?? cueEnd;
  const noun = sentence.words.find((_, to) => kindWordAt(sentence, to)?.isPlural)?.key ?? 'companies';
  const words = sentence.words.map(({ read }) => read);
  // "Investors in aave other than paradigm" excludes an investor, not what it invested in.
  const isEntity = sentence.after(at, entityCue) !== null;
  const heads = [
    ...(isEntity ? [] : [[noun]]),
    ...words.slice(0, at).map((_, left) => words.slice(0, at - left)),
    [noun, 'who'],
  ];
  // "Who did not speak" asks for people.
  const start = at === 0 && sentence.is(at, /^who$/) ? at + 1 : at;
  // A clause of its own: "that paradigm [did not] invest in".
  const that = words.findLastIndex((_, place) => place < at - 1 && sentence.is(place, /^(that|which|where)$/));
  const subject: Attempt = [['what', 'did', ...words.slice(that + 1, at)], cueEnd, relationIn, that];
  const attempts: readonly Attempt[] = [
    ...readers.map(([lead, read]) => [[noun, ...lead], verbEnd, read, start] as const),
    ...(that >= 0 && at - that <= subjectWordsMax + 1 ? [subject] : []),
    ...heads.map((before) => [before, cueEnd, relationIn, start] as const),
  ];
  for (const [before, from, read, first] of attempts) {
    const tail = createSentence([...before, ...words.slice(from)].join(' '), sentence);
    const found = read(tail, now);
    let end = before.length;
    while (end < tail.words.length && !tail.isFree(end)) end += 1;
    const isRead = Object.values(found).some((value) => value !== null && (!Array.isArray(value) || value.length > 0));
    const lead = before.map((word) => word.replace(/[,;:]$/, ''));
    const isBefore = first === start && found.relation?.of.split(' ').some((word) => lead.includes(word)) === true;
    const isOfEntity = isEntity && /^(investor|portfolio)$/.test(found.relation?.role ?? '');
    if (!isRead || isBefore || isOfEntity || end === before.length) continue;
    const until = from + end - before.length;
    sentence.take(cueStart(sentence, first), until, 'without');
    return { ...nothingExcluded, ...found, text: sentence.written(first, until) };
  }
  return null;
}

/** Returns the position after an article; the given one if there is none. */
function articleEnd(sentence: Sentence, at: number): number {
  return sentence.is(at, /^(an?|the|its|their|any)$/) ? at + 1 : at;
}

/** Reads "not custodial", "neither on ethereum nor on base": topics, and those that they make with the noun before. */
function topicsAt(sentence: Sentence, at: number): string[] {
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
    // "Without solana support".
    const isFilled = fillsTopic(sentence.key(stop - 1)) || sentence.is(stop - 1, chainNoun);
    const last = stop - start > 1 && isFilled ? stop - 1 : stop;
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

/** Returns the position after "and", or after a comma before a known topic: "not in finance, insurance or gaming". */
function listedEnd(sentence: Sentence, end: number): number | null {
  const next = sentence.nextListed(end);
  return next === end && !isKnown(sentence, end) ? null : next;
}

function isKnown(sentence: Sentence, at: number): boolean {
  return sentence.isTopicOrChain(sentence.keys(at, nameEnd(sentence, at)).split(' '));
}

const beforeTopic = phrase('part|under|also|touch(es|ing)?|list(ed)?|(available|active|live)(?= on )');

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
  const isAny = /^without$|\bno$|^lacking$/.test(cue)
    ? mayBeName(sentence, start, last)
    : (isAsked || isFurther || isNoun) && words.length <= topicWordsMax;
  return isAny ? [topic] : [];
}

const verbsBeforeNot = /^(do|does|did|is|are|was|were|can|could|should|will|would|has|have|had|am|when|if|.*['’].*)$/;
/** Longer texts are stories, not names. */
const wordsWithNotMax = 6;

/** Reads "other than uniswap and curve". */
function excludedNames(sentence: Sentence, at: number): readonly string[] {
  const cueEnd = sentence.after(at, nameCue);
  if (cueEnd === null) return [];
  const start = sentence.is(cueEnd, /^(from|by)$/) ? cueEnd + 1 : cueEnd;
  // "Except the cto", but "except the graph".
  const noun = articleEnd(sentence, start);
  const from = kindWordAt(sentence, noun) === null ? start : noun;
  const { names, end } = namesAt(sentence, from);
  const isNot = sentence.is(at, /^not$/);
  // "Dex not uniswap": before one name, behind what is wanted. "Not in aave, not a16z" is a list.
  const isLong = sentence.words.length > wordsWithNotMax || end !== from + 1;
  const isMisread = isNot && cueEnd === at + 1 && (at === 0 || (isLong && sentence.isFree(at - 1)));
  // "Why is not counting votes hard".
  const isVerb = isNot && sentence.is(at - 1, verbsBeforeNot);
  if (names.length === 0 || isMisread || isVerb) return [];
  sentence.take(at, end, 'without');
  return names;
}
