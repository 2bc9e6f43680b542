import type { KindName } from '../../kinds/kind.ts';
import { type KindWord, kindNouns, pronouns } from './kind-nouns.ts';
import type { Question } from './question.ts';
import { firstOf, phrase, type Sentence } from './sentence.ts';
import { monthNumbers, seasonMonths } from './times/calendar.ts';
import { fillers, linkWords } from './words.ts';

/** Returns the noun of two words that ends at a position. */
function compoundAt(sentence: Sentence, at: number): KindWord | undefined {
  return kindNouns.get(`${sentence.key(at - 1)} ${sentence.key(at)}`);
}

/** "The pragma series, which cities", but "comic series", "series a" and "a series of". */
function isEventSeries({ words }: Sentence, at: number): boolean {
  if (words[at]?.name !== 'series' || /^([a-h]|of)$/.test(words[at + 1]?.key ?? '')) return false;
  return words.some(({ key }) => /^(where|when|cit(y|ies)|venues?|dates?|editions?|hosted|held|places?)$/.test(key));
}

/** Returns the kinds that the word at a position asks for, if it is free. */
export function kindWordAt(sentence: Sentence, at: number): KindWord | null {
  const noun = sentence.is(at, /^series$/) && isEventSeries(sentence, at) ? 'editions' : sentence.key(at);
  const word = compoundAt(sentence, at) ?? kindNouns.get(noun) ?? null;
  // "Venture firms".
  const invests = word?.kind === 'companies' && sentence.is(at - 1, /^(venture|vc|investment|capital|equity)$/);
  return invests ? { ...word, kind: 'investors' } : word;
}

/** Words after the end of a noun phrase, in addition to link words: "events happening", "investors interested". */
const afterHead =
  /^((19|20)\d\d|q[1-4]|of|alternatives?|competitors?|upcoming|online|no|not|without|to(day|night|morrow)|older|newer|younger|only|(pre)?seed|less|more|over|under|takes?|took|held|made|set|ran|built|live|available|kick(ed)?|w(ill|ould)|[cs]h?ould|might|backs?|invests?|deals?|.*(ing|[^e]ed))$/;
const listOrStart = /^(list $|start (after|before|in|since)$)/;

/** Returns true if a noun phrase ends after its noun: "startups in berlin", but not "Investors Exchange", a name. */
export function isHead(sentence: Sentence, at: number): boolean {
  const before = sentence.key(at - 1);
  // "Ethcc editions", but "music nft editions", "digital editions" and "time series".
  if (sentence.is(at, /^(editions?|series)$/)) {
    const isOther = sentence.key(at) === 'series' && /^(time|web|art|event|an?|)$/.test(before);
    return !(isOther || sentence.isTopicOrChain([before]) || /(al|or|ed)$/.test(before));
  }
  // "With more than 100 employees".
  if (/^\d/.test(before) && kindWordAt(sentence, at)?.kind === 'people') return false;
  if (isPurpose(sentence, at)) return false;
  if (pronouns.includes(sentence.key(at))) return isSubject(sentence, at);
  const [next, second] = [sentence.key(at + 1), sentence.key(at + 2)];
  // "Startups and investors", but "pay employees and merchants".
  if (/^(and|or)$/.test(next)) return kindNouns.has(second) || /^(no|not|without)$/.test(second);
  const isLink = next === '' || listOrStart.test(`${next} ${second}`) || linkWords.has(next) || afterHead.test(next);
  if (isLink || sentence.words[at]?.endsPhrase || monthNumbers.has(next) || seasonMonths.has(next)) return true;
  return (sentence.gazetteer.find(next) ?? sentence.gazetteer.find(`${next} ${second}`)) !== null;
}

/** In "a wallet for crypto startups", the users are not wanted; in "looking for startups", they are. */
function isPurpose(sentence: Sentence, at: number): boolean {
  const link = [at - 1, at - 2].find((place) => sentence.is(place, /^for$/)) ?? 0;
  return link > 0 && !sentence.is(link - 1, /^(look|search|hunt|ask)(ing)?$/);
}

/** "Somebody thinking about voting", "compiler people"; but not the person in "money for somebody with an idea". */
function isSubject(sentence: Sentence, at: number): boolean {
  const next = sentence.key(at + 1);
  if (/^(at|who|)$/.test(next)) return true;
  // "People DAO" is a name.
  const isFirst = sentence.words.slice(0, at).every(({ key }) => fillers.has(key));
  return isFirst && (next === '' || linkWords.has(next) || /(ing|ed)$|^(ever|given|spoken|written)$/.test(next));
}

/** Returns true if words from one up to before another are written like a name: "Crypto Startups". */
export function isTitle({ words }: Sentence, from: number, until: number): boolean {
  // "RIVALS OF LIQUITY" is shouted.
  if (words.length > 2 && words.every(({ name }) => name === name.toUpperCase())) return false;
  return until - from > 1 && words.slice(from, until).every(({ name }) => /^[\p{Lu}\p{N}]/u.test(name));
}

/** Returns the positions of the nouns that ask for a kind, even without further evidence. */
export function nounsOf(sentence: Sentence): number[] {
  return [...sentence.words.keys()].filter((at) => {
    const word = kindWordAt(sentence, at);
    return word !== null && isHead(sentence, at) && (word.isPlural || isAskedFor(sentence, at, word));
  });
}

/** Returns the kinds that these nouns ask for. Times have different meanings by kind. */
export function askedKinds(sentence: Sentence): KindName[] {
  return nounsOf(sentence).flatMap((at) => kindWordAt(sentence, at)?.kind ?? []);
}

/** Words for one of a series of events. */
export const editionCue = /^(last|latest|next|previous|upcoming|recent)$/;
const askingCue = /^(a|an|any|every|each|which|what|online|virtual|newest|youngest|oldest|earliest)$/;
const besideSubject = /^(in|near|for|who|that|which|speaking|19\d\d|20\d\d)$/;

/**
 * A singular noun asks for its kind after an article, a question word, "online" or a topic, and at the beginning of
 * "hackathon paris" or "conference 2024". A noun for people also does at the end of a text. Otherwise it is more often
 * part of a name: "Founders Fund", "Paris Blockchain Summit".
 */
function isAskedFor(sentence: Sentence, at: number, { kind }: KindWord): boolean {
  if (sentence.is(at - 1, askingCue) || sentence.is(at - 1, editionCue)) return true;
  // "Every devcon edition".
  if (sentence.is(at, /^edition$/) && [at - 2, at - 3].some((place) => sentence.is(place, /^(every|each)$/)))
    return true;
  const next = sentence.key(1);
  const isPerson = kind === 'people' && at === sentence.words.length - 1;
  if (at === 0 && !isPerson) return next === '' || besideSubject.test(next) || sentence.gazetteer.find(next) !== null;
  if (isTitle(sentence, 0, at + 1)) return false;
  const before = sentence.words.slice(0, at).map(({ key }) => key);
  // No name ends with "researcher". "The last ethglobal hackathon" is one of a series.
  const isEdition = editionCue.test(before.find((key) => !fillers.has(key)) ?? '');
  return isPerson || sentence.isTopicOrChain(before) || isEdition;
}

/** Types of events that a noun includes. */
const typesOf: Readonly<Record<string, readonly string[]>> = { conference: ['conference', 'summit', 'expo'] };

/**
 * Reads the kinds that nouns ask for, and takes nouns that only name a kind. A singular that a place or time has made a
 * question of counts as well: "hackathon in asia".
 * @param isWhoPerson true if "who" asks for a person; a competitor of a company is none
 */
export function readKinds(sentence: Sentence, isWhoPerson: boolean): Pick<Question, 'kinds' | 'nouns'> {
  const found: KindWord[] = [];
  const nouns = new Set(nounsOf(sentence));
  const asksPlaces = askedKinds(sentence).every((kind) => kind === 'events') && takePlaces(sentence);
  for (const at of sentence.words.keys()) {
    const word = kindWordAt(sentence, at);
    if (word === null || !isHead(sentence, at)) continue;
    if (!nouns.has(at) && !(sentence.isRead() && !isTitle(sentence, Math.max(0, at - 1), at + 1))) continue;
    if (!isSecondary(sentence, at, word.kind, found)) {
      found.push(word);
      takeNoun(sentence, at);
    } else if (!word.isTelling) sentence.take(at, at + 1, 'filler');
  }
  if (found.length === 0) return { kinds: asksPlaces ? ['events'] : kindAskedByWord(sentence, isWhoPerson), nouns: [] };
  const types = found.every(isType) ? found : [];
  return {
    kinds: [...new Set(found.map(({ kind }) => kind))],
    nouns: types.flatMap(({ noun }) => typesOf[noun] ?? noun),
  };
}

/** Returns the nouns for types of events at these positions. */
export function nounNames(sentence: Sentence, positions: readonly number[]): readonly string[] {
  const found = positions.flatMap((at) => kindWordAt(sentence, at) ?? []);
  return found.every(isType) ? found.flatMap(({ noun }) => typesOf[noun] ?? noun) : [];
}

/** Takes a noun that only names a kind, and marks one that means more. */
export function takeNoun(sentence: Sentence, at: number): void {
  const { isTelling = true, kind, noun = '' } = kindWordAt(sentence, at) ?? {};
  // "Listed companies" are a topic.
  if (isTelling || (kind === 'companies' && sentence.isTopic([sentence.key(at - 1), noun]))) {
    sentence.note(at, at + 1, 'kind');
  } else {
    sentence.take(compoundAt(sentence, at) === undefined ? at : at - 1, at + 1, 'kind');
    if (sentence.is(at + 1, /^(who|that|which)$/)) sentence.take(at + 1, at + 2, 'filler');
  }
}

const objectLink = /^(at|in|of|from|to|backs?|backing)$/;

/** Returns true for the second noun of "engineers at defi startups" and "editions of web3 summit". */
function isSecondary({ words }: Sentence, at: number, kind: KindName, found: readonly KindWord[]): boolean {
  const link = words
    .slice(0, at)
    .findLast(({ key, endsPhrase }) => endsPhrase || objectLink.test(key) || /^(and|or|who|that)$/.test(key));
  const isOther = found.length > 0 && found.every((other) => other.kind !== kind || other.noun === 'edition');
  return isOther && link?.endsPhrase === false && objectLink.test(link.key);
}

/** Returns true for a noun that not every entity of its kind deserves. Those for companies mean little more. */
function isType({ noun, kind, isTelling }: KindWord): boolean {
  return /^(speaker|author|creator)$/.test(noun) || (isTelling && kind !== 'companies' && !noun.startsWith('venture'));
}

/** "Anything crypto happening", "everything that began": together with a place or time. */
const happens = phrase(
  '(any|some|every)thing( (crypto|web3|blockchain))?( (that|which))?( (is|was|will be))? (go(es|ing) on|happen(s|ed|ing)|began|begins|kick(s|ed|ing) off|(takes|took|taking) place)',
);
const whatHappens = phrase(
  'whats?( (is|are|was|were|will( be)?))? (happen(s|ed|ing)?|(go(es|ing) )?on|running)|what (took|takes|has taken|will take) place|wh(ere|en) (was|were|will)(?=( .*)? held( |$))',
);

const whichPlaces = phrase(
  '(in )?which (cities|places|venues)( (was|were|did|has|have|had))?( (it|they))?( (go|gone|went|held|happen(ed)?))?',
);

/** Takes "which cities"; returns false if there is none. */
function takePlaces(sentence: Sentence): boolean {
  const free = sentence.rest().length;
  sentence.takeAll(whichPlaces, 'kind');
  return sentence.rest().length < free;
}

/** Questions for a kind without a noun for it: "what happened", "who", "wallets outside the US". */
function kindAskedByWord(sentence: Sentence, isWhoPerson: boolean): KindName[] {
  const spanOf = (wanted: RegExp, places: Iterable<number>) =>
    firstOf(places, (from) => {
      const until = sentence.after(from, wanted);
      return until === null ? null : { from, until };
    });
  const anywhere = [...sentence.words.keys()];
  const atStart = spanOf(whatHappens, [0]);
  // "What's on in berlin", but not "what is on ramp".
  const isRamp = atStart !== null && sentence.is(atStart.until - 1, /^on$/) && sentence.isFree(atStart.until);
  const ofEvents = (isRamp ? null : atStart) ?? (sentence.isRead() ? spanOf(happens, anywhere) : null);
  if (ofEvents !== null) {
    sentence.take(ofEvents.from, ofEvents.until, 'kind');
    return ['events'];
  }
  // "Wallets outside the US", "newest wallets".
  const isAsked = [...sentence.words.keys()].some(
    (at) =>
      sentence.isPluralTopic(sentence.key(at), sentence.key(at - 1)) &&
      !sentence.isFree(at + 1) &&
      (sentence.isRead() || sentence.is(at - 1, /^(newest|oldest)$/)),
  );
  if (isWhoPerson && isAsked) return ['companies'];
  if (!isWhoPerson || !sentence.is(0, /^who$/) || sentence.words.length <= 2) return [];
  sentence.take(0, 1, 'kind');
  return ['people'];
}
