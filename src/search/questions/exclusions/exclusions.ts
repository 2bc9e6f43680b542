import { anyMoney } from '../amounts.ts';
import { isKindNoun } from '../kind-nouns.ts';
import { kindWordAt } from '../kind-words.ts';
import { namesAt, namesMax } from '../names.ts';
import { type Exclusion, nothingExcluded } from '../question.ts';
import type { KnownName } from '../relations/possible-names.ts';
import { phrase, type Sentence } from '../sentence.ts';
import { fold, joinedName } from '../words.ts';
import { conditionAt } from './condition.ts';
import { articleEnd, avoiding, conditionCue, except, other, wordsWithNotMax } from './cues.ts';
import { namedOnesAt } from './relations.ts';
import { topicsAt } from './topics.ts';

const nameCue = phrase(
  `((any|every)(one|body|thing) )?(${other})|(any|every)(one|body|thing) but|besides?|${except}|(but )?not( (counting|including))?`,
);
/** Words after the name that several entities share: "other than the devcon ones". */
const seriesEnd = / (ones|series|events|editions)$/i;

/** Each takes time for every word before it. */
const cuesMax = 6;

/** Reads exclusions, and takes them out of the sentence together with the words that exclude. */
export function readExclusions(sentence: Sentence, now: Date, known: readonly KnownName[]) {
  const names: string[] = [];
  const topics: string[] = [];
  const conditions: Exclusion[] = [];
  /** "Dex other than uniswap" asks for alternatives to it. "Except uniswap" only excludes it. */
  let like: string | null = null;
  const cues = [...sentence.words.keys()].filter((at) => sentence.after(at, conditionCue) !== null);
  const end = cues[cuesMax] ?? sentence.words.length;
  for (let at = 0; at < end; at += 1) {
    if (!sentence.isFree(at) || mayBeNoun(sentence, at)) continue;
    const condition =
      namedOnesAt(sentence, at, known) ??
      nonAt(sentence, at) ??
      unbackedAt(sentence, at) ??
      conditionAt(sentence, at, now);
    const found = condition === null ? topicsAt(sentence, at) : [];
    if (typeof condition === 'string') found.push(condition);
    else if (condition !== null) conditions.push(condition);
    topics.push(...found);
    if (condition !== null || found.length > 0) continue;
    const others = namesAndTopics(sentence, at, known);
    topics.push(...others.topics);
    names.push(...others.names);
    like ??= others.like;
  }
  return { names: [...names, ...conditions.flatMap(nameOfEntity)].slice(0, namesMax), like, topics, conditions };
}

/** Reads "events other than conferences", "dex other than uniswap" and "passkeys instead of seed phrases". */
function namesAndTopics(sentence: Sentence, at: number, known: readonly KnownName[]) {
  // "Instead of" only compares, unless a name of the data follows.
  const isSoft = sentence.is(at, /^(rather|instead)$/);
  const isOther = isSoft || sentence.is(at, /^(other|apart|aside|besides?)$/);
  const isTopic = (name: string) => isKindNoun(fold(name)) || (!isSoft && sentence.isPluralTopic(name));
  const isKnown = (one: string) => known.some(({ name }) => joinedName(name) === joinedName(one));
  const all = excludedNames(sentence, at);
  const named = all.filter((name) => !isTopic(name)).map((name) => name.replace(seriesEnd, ''));
  return {
    topics: all.filter(isTopic),
    names: isSoft ? named.filter(isKnown) : named,
    like: isOther && !all.some((name) => seriesEnd.test(name)) ? (named[0] ?? null) : null,
  };
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

const verbBehind = phrase('(have |has )?(invested in|backed|funded|spoke|spoken|worked)(?= )');
const verbsBeforeNot = /^(do|does|did|is|are|was|were|can|could|should|will|would|has|have|had|am|when|if|.*['’].*)$/;

/** Reads "other than uniswap and curve". */
function excludedNames(sentence: Sentence, at: number): readonly string[] {
  const cueEnd = sentence.after(at, nameCue);
  if (cueEnd === null) return [];
  const start = sentence.is(cueEnd, /^(from|by)$/) ? cueEnd + 1 : cueEnd;
  // "Except the cto", but "except the graph".
  const noun = articleEnd(sentence, start);
  const from = kindWordAt(sentence, noun) === null ? start : noun;
  // "Firms other than paradigm invested in aave".
  const verb = sentence.words.findIndex((_, to) => to > from && sentence.after(to, verbBehind) !== null);
  const { names, end } = namesAt(sentence, from, verb < 0 ? undefined : verb);
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
