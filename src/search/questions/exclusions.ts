import { correctCue } from './correct-cue.ts';
import { isHead, isKindWord, kindWordAt, nounsOf } from './kind-words.ts';
import type { Knowledge } from './knowledge.ts';
import { isStatement, mayBeName, nameEnd, namesAt, namesMax } from './names.ts';
import { readOnline } from './online.ts';
import { readPlaces } from './places/places.ts';
import type { Exclusion } from './question.ts';
import { readRelation } from './relations/relations.ts';
import { createSentence, fold, joinEnd, keysFrom, nameOf, phrase, phraseEnd, type Sentence } from './sentence.ts';
import { readTime } from './times/times.ts';
import { fillsTopic } from './words.ts';

const nameCue = phrase(
  'other than|minus|(apart|aside) from|except( for)?|besides|excluding|leaving out|with the exception of|(but )?not( (counting|including))?',
);
/** Cues before a condition that no result may meet. */
const conditionCue = phrase(
  "(((but|and) )?(that|which|who) )?((is|are|was|were|do|does|did|has|have|had|will|would|can)( not|n['’]?t| neither| never)( been)?|cannot|can['’]?t|won['’]?t|never)|(that|which|who) (skip|avoid)s?|((but|and|just|yet) )*not( (counting|including))?|(any|every)where (but|except|other than)|elsewhere than|neither|nor|without|((but|and|with|yet) )?no(?! (later|earlier|sooner|less|fewer|more|longer) )|lacking|outside( of)?|except( for)?|excluding|with the exception of|other than",
);
/** Cues before a condition that may also be a topic, such as "is not". */
const topicCue =
  /\b(is|are|was|were|do|does|did|can|has|have)\b|n['’]?t$|^cannot|^(((but|and|just|yet) )*not|neither|nor|without|((but|and|with|yet) )?no|lacking|except( for)?|excluding|with the exception of|outside( of)?)$|\b(skip|avoid)s?$/;

/** Verbs between a cue and a place: "that don't operate in the US". */
const placeVerb = phrase(
  'those( (that|which) (are|were))?|(run|led|managed|domiciled)(?= (from|in|out) )|operat(e|ing)|tak(e|ing) place|held|(have|having) (an )?offices?|(do|doing) business|exist|live|found(ed)?|establish(ed)?|start(ed)?|created?|launch(ed)?',
);

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
    ignoreToken(sentence, at, knowledge);
    const condition =
      nonAt(sentence, at, knowledge) ?? investorlessAt(sentence, at) ?? conditionAt(sentence, at, knowledge, now);
    const found = condition === null ? topicsAt(sentence, at, knowledge) : [];
    if (typeof condition === 'string') found.push(condition);
    else if (condition !== null) conditions.push(condition);
    topics.push(...found);
    if (condition !== null || found.length > 0) continue;
    const others = excludedNames(sentence, at);
    // "Events other than conferences", "projects other than marketplaces".
    const isTopic = (name: string) => isKindWord(fold(name)) || knowledge.isPluralTopic(name);
    topics.push(...others.filter(isTopic));
    const named = others.filter((name) => !isTopic(name));
    if (/^(other|apart|aside|besides)$/.test(sentence.words[at]?.key ?? '')) like ??= named[0] ?? null;
    names.push(...named);
  }
  return { names: [...names, ...conditions.flatMap(nameOfEntity)].slice(0, namesMax), like, topics, conditions };
}

/** "People at aave excluding lens" excludes people of that company, and a person of that name. */
function nameOfEntity({ text, relation }: Exclusion): string[] {
  return /^(other|exc|with the exc)/i.test(text) && relation !== null && relation.of !== '' ? [relation.of] : [];
}

/** Reads "non-US", "non-European" and "non-EVM"; "non-custodial" is a topic itself. */
function nonAt(sentence: Sentence, at: number, { gazetteer, isTopicOrChain }: Knowledge): Exclusion | string | null {
  const end = sentence.key(at) === 'non' && kindWordAt(sentence, at + 1) !== null ? at + 2 : at + 1;
  const text = sentence.words
    .slice(at, end)
    .map(({ name }) => name)
    .join('-');
  const name = text.replace(/^non-(?=\p{L}+$)/iu, '');
  const place = name === text ? null : gazetteer.find(fold(name));
  const isTopic = name !== text && (isTopicOrChain([name]) || isKindWord(fold(name))) && !isTopicOrChain([text]);
  if (place === null && !isTopic) return null;
  sentence.take(at, end, 'without');
  return place === null ? name : { ...nothing, text, places: [{ text: name, ...place }] };
}

const withoutInvestors = phrase(
  "(without|lacking|with(out)? no|(((but|and) )?(that|which|who) )?(((do|does)( not|n['’]?t)|never) have|(has|have|had)( no|n['’]?t)|never had)|((but|and|yet) )?no)( (any|known|named|outside|external|institutional))? (investor|backer)s?( (listed|known))?(?= (in|at|on|and|or|but|that|which|who|founded|based|near|with|after|before) |$)",
);

/** Reads "without investors" and "that have no outside backers". */
function investorlessAt(sentence: Sentence, at: number): Exclusion | null {
  const end = phraseEnd(keysFrom(sentence, at), at, withoutInvestors);
  if (end === null) return null;
  const text = nameOf(sentence, at, end);
  sentence.take(at, end, 'without');
  return { ...nothing, text, relation: { role: 'investor', of: '', or: [] } };
}

const ofToken = phrase(
  "((that|which|who) )?((with|having|have|has)( (an?|its|their|own|native))+|(without|(with|have|has) no|no|do(es)?( not|n['’]?t) have)( (an?|its|their|any|own|native))*) tokens?( yet)?(?= (in|on|at|and|but|that|which|founded|based)( |$)|$)",
);

/** The data doesn't know which "companies without a token" have none. */
function ignoreToken(sentence: Sentence, at: number, { isPluralTopic }: Knowledge): void {
  const isBehind = kindWordAt(sentence, at - 1) !== null || isPluralTopic(sentence.key(at - 1), sentence.key(at - 2));
  const end = isBehind ? phraseEnd(keysFrom(sentence, at), at, ofToken) : null;
  if (end !== null) sentence.take(at, end, 'ignored');
}

const nothing: Omit<Exclusion, 'text'> = { places: [], time: null, online: null, relation: null, orUnknown: false };

type Reader = (tail: Sentence, knowledge: Knowledge, now: Date) => Partial<Exclusion>;

const placesIn: Reader = (tail, knowledge) => ({ places: readPlaces(tail, knowledge) });
const relationIn: Reader = (tail, knowledge) => {
  const relation = readRelation(tail, knowledge)?.relations[0] ?? null;
  // "Without investors in berlin".
  return { relation: knowledge.gazetteer.find(fold(relation?.of ?? '')) === null ? relation : null };
};

const readers: readonly (readonly [lead: readonly string[], read: Reader])[] = [
  [[], placesIn],
  [['in'], placesIn],
  [[], (tail) => ({ online: readOnline(tail) })],
  [[], (tail, knowledge, now) => ({ time: timeOf(tail, knowledge, now) })],
];

function timeOf(tail: Sentence, knowledge: Knowledge, now: Date) {
  const asked = nounsOf(tail, knowledge).flatMap((at) => kindWordAt(tail, at)?.kind ?? []);
  return readTime(tail, asked, now);
}

/** A way to read a condition: the words before it, the position of its own first word, and that of the whole. */
type Attempt = readonly [before: readonly string[], from: number, read: Reader, start: number];

/**
 * Reads the condition after a cue as if it were wanted: "companies [not] in the US". A relation may lack words that
 * precede the cue: "who invested in aave but [not] in uniswap".
 */
function conditionAt(sentence: Sentence, at: number, knowledge: Knowledge, now: Date): Exclusion | null {
  const cueUntil = phraseEnd(keysFrom(sentence, at), at, conditionCue);
  if (cueUntil === null || !sentence.isFree(cueUntil)) return null;
  const cueEnd = articleEnd(sentence, cueUntil);
  const verbEnd = phraseEnd(keysFrom(sentence, cueEnd), cueEnd, placeVerb) ?? cueEnd;
  const noun = sentence.words.find((_, place) => kindWordAt(sentence, place) !== null)?.key ?? 'companies';
  const words = sentence.words.map(({ text }) => text);
  // "Investors in aave other than paradigm" excludes an investor, not what it invested in.
  const isEntity = entityCue.test(keysFrom(sentence, at));
  const heads = [
    [noun, 'who'],
    ...(isEntity ? [] : [[noun]]),
    ...words.slice(0, at).map((_, left) => words.slice(0, at - left)),
  ];
  // "Who did not speak" asks for people.
  const start = at === 0 && sentence.key(at) === 'who' ? at + 1 : at;
  const attempts: readonly Attempt[] = [
    ...readers.map(([lead, read]) => [[noun, ...lead], verbEnd, read, start] as const),
    ...subjectBefore(sentence, at).map(
      (that) => [['what', 'did', ...words.slice(that + 1, at)], cueEnd, relationIn, that] as const,
    ),
    ...heads.map((before) => [before, cueEnd, relationIn, start] as const),
  ];
  for (const [before, from, read, first] of attempts) {
    const lead = before.map((word) => word.replace(/[,;:]$/, ''));
    const tail = createSentence([...before, ...words.slice(from)].join(' '), correctCue);
    const found = read(tail, knowledge, now);
    let end = before.length;
    while (end < tail.words.length && !tail.isFree(end)) end += 1;
    const isRead = Object.values(found)
      .flat()
      .some((value) => value !== null);
    const isBefore = first === start && found.relation?.of.split(' ').some((word) => lead.includes(word)) === true;
    const isOfEntity = isEntity && /^(investor|portfolio)$/.test(found.relation?.role ?? '');
    if (!isRead || isBefore || isOfEntity || end === before.length) continue;
    const until = from + end - before.length;
    const text = sentence.words.slice(first, until).map((word) => word.name);
    sentence.take(first, until, 'without');
    return { ...nothing, ...found, text: text.join(' ') };
  }
  return null;
}

/** Returns the position after an article; the given one if there is none. */
function articleEnd(sentence: Sentence, at: number): number {
  return /^(an?|the|its|their|any)$/.test(sentence.key(at)) ? at + 1 : at;
}

const entityCue =
  /^(other than|except( for)?|excluding|with the exception of|not (counting|including)) (?!(in|at|from|by|on|those)( |$))/;
const subjectWordsMax = 3;

/** Finds the clause of a cue with its own subject: "that paradigm [did not] invest in". */
function subjectBefore(sentence: Sentence, at: number): number[] {
  const that = sentence.words.findLastIndex(
    (_, place) => place < at - 1 && /^(that|which|where)$/.test(sentence.key(place)),
  );
  return that >= 0 && at - that <= subjectWordsMax + 1 ? [that] : [];
}

/** "Except", "excluding" or "with the exception of". */
const exceptCue = /^(exc|with the)/;

/** Reads "not custodial", "neither on ethereum nor on base": topics, and those that they make with the noun before. */
function topicsAt(sentence: Sentence, at: number, knowledge: Knowledge): string[] {
  const from = phraseEnd(keysFrom(sentence, at), at, conditionCue);
  if (from === null || !excludesTopic(sentence, at, from, knowledge)) return [];
  const cue = keysFrom(sentence, at, from);
  const topics: string[] = [];
  let end = from;
  for (let next: number | null = from; next !== null; next = joinEnd(sentence, end)) {
    const start = topicStart(sentence, next);
    const stop = nameEnd(sentence, start);
    // "Without solana support".
    const isFilled = fillsTopic(sentence.key(stop - 1)) || /^(ecosystem|mainnet|chain)$/.test(sentence.key(stop - 1));
    const last = stop - start > 1 && isFilled ? stop - 1 : stop;
    if (last === start || (end > from && isStatement(sentence, start, last))) break;
    const found = topicsIn(sentence, { at, cue, start, last }, knowledge);
    // "Excluding a16z and coinbase ventures".
    if (found.length === 0 && exceptCue.test(cue)) return [];
    if (found.length === 0) break;
    topics.push(...found);
    end = stop;
  }
  if (topics.length > 0) sentence.take(at, end, 'without');
  return topics;
}

function topicStart(sentence: Sentence, from: number): number {
  let start = from;
  while (fillsTopic(sentence.key(start)) || /^(part|under|touch|list(ed)?)$/.test(sentence.key(start))) start += 1;
  return start;
}

/** Returns true for "not a bank" and "no hackathons", but not for "without borders" or within a story. */
function excludesTopic(sentence: Sentence, at: number, from: number, knowledge: Knowledge): boolean {
  const cue = keysFrom(sentence, at, from);
  const noun = articleEnd(sentence, from);
  if (!topicCue.test(cue)) return false;
  if (kindWordAt(sentence, noun) !== null && isHead(sentence, noun, knowledge)) return true;
  const isLong = sentence.words.length > wordsWithNotMax && /^((but|and) )?(not|without)$|^(with )?no$/.test(cue);
  // "A16z portfolio without the open source ones", "but not on ethereum".
  const chain = topicStart(sentence, from);
  const isOnChain = chain > noun && knowledge.isTopicOrChain([sentence.key(chain)]);
  const isOfOnes = /^(ones|companies|projects|support|deployment)$/.test(sentence.key(nameEnd(sentence, noun) - 1));
  return (!isLong || isOnChain || isOfOnes) && (at > 0 || noun > from);
}

interface TopicSpan {
  /** The position of the cue. */
  readonly at: number;
  readonly cue: string;
  readonly start: number;
  readonly last: number;
}

function topicsIn(sentence: Sentence, { at, cue, start, last }: TopicSpan, knowledge: Knowledge): string[] {
  const words = sentence.words.slice(start, last).map(({ key }) => key);
  const joined = [...words, sentence.key(at - 1)];
  const isOthers = sentence.key(start - 1) === 'those' || sentence.key(start - 2) === 'those';
  if (exceptCue.test(cue) && !isOthers) return knowledge.isTopic(words) ? [words.join(' ')] : [];
  if (knowledge.isTopicOrChain(words)) return [words.join(' ')];
  if (knowledge.isTopicOrChain(joined)) return [words.join(' '), joined.join(' ')];
  const isAsked =
    (cue !== 'not' || sentence.key(start - 1) === 'on') &&
    (kindWordAt(sentence, at - 1)?.isPlural === true || knowledge.isPluralTopic(sentence.key(at - 1)));
  const isFurther = cue === 'nor' && !sentence.isFree(at - 1);
  const isNoun = kindWordAt(sentence, last - 1) !== null;
  const isAny = /^without$|\bno$|^lacking$/.test(cue)
    ? mayBeName(sentence, start, last)
    : (isAsked || isFurther || isNoun) && words.length <= topicWordsMax;
  return isAny ? [words.join(' ')] : [];
}

const topicWordsMax = 2;

/** Reads "other than uniswap and curve". */
function excludedNames(sentence: Sentence, at: number): readonly string[] {
  const cueEnd = phraseEnd(keysFrom(sentence, at), at, nameCue);
  if (cueEnd === null) return [];
  const start = /^(from|by)$/.test(sentence.key(cueEnd)) ? cueEnd + 1 : cueEnd;
  // "Except the cto", but "except the graph".
  const noun = articleEnd(sentence, start);
  const from = kindWordAt(sentence, noun) === null ? start : noun;
  const { names, end } = namesAt(sentence, from);
  const isMisread = sentence.key(at) === 'not' && cueEnd === at + 1 && !isNot(sentence, at, end - from);
  // "Why is not counting votes hard".
  const isVerb = sentence.key(at) === 'not' && verbsBeforeNot.test(sentence.key(at - 1));
  if (names.length === 0 || isMisread || isVerb) return [];
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
