import { isTitle, kindWordAt, nounsOf } from '../kind-words.ts';
import { mayBeName, nameEnd } from '../names.ts';
import type { Place } from '../question.ts';
import { firstOf, type Sentence } from '../sentence.ts';
import { linkWords, wordSet } from '../words.ts';
import { placeWordsMax } from './gazetteer.ts';

/** Words before a place. "Of" only counts behind a noun ("startups of berlin"), because names contain it as well. */
const placeWords = wordSet('in from near around across within at outof hq headquartered');
const fromWhere =
  /^(speaking|based|located|headquarter(ed|s)|held|happening|living|hq|seats?|sit(s|ting)?|offices?|domiciled|established|registered|incorporated|run)$/;

interface Found extends Omit<Place, 'text'> {
  readonly end: number;
}

/** Limits on the places of a question and their names of countries and cities: cursors carry them. */
const placesMax = 4;
/** Longer texts are rarely questions. */
const apartWordsMax = 12;
const namesMax = 300;

export function readPlaces(sentence: Sentence): Place[] {
  const places: Place[] = [];
  for (const at of sentence.words.keys()) {
    if (places.length >= placesMax) break;
    if (!sentence.isFree(at)) continue;
    places.push(...(afterPreposition(sentence, at) ?? apart(sentence, at) ?? behindNoun(sentence, at) ?? []));
  }
  let names = 0;
  return alternatives([...places, ...beforeNoun(sentence)].slice(0, placesMax)).filter(({ countries, cities }) => {
    names += countries.length + cities.length;
    return names <= namesMax;
  });
}

/** Joins places that nothing can be in at once: two cities, or two countries. */
function alternatives(places: readonly Place[]): Place[] {
  const joined: Place[] = [];
  for (const place of places) {
    const at = joined.findIndex((one) => excludeEachOther(one, place));
    const other = joined[at];
    if (other === undefined) joined.push(place);
    else joined[at] = { ...either(other, place), text: `${other.text} or ${place.text}` };
  }
  return joined;
}

function excludeEachOther(one: Place, other: Place): boolean {
  const isSameLevel = one.cities.length > 0 === other.cities.length > 0;
  const areOther = (names: readonly string[], others: readonly string[]) =>
    !names.some((name) => others.includes(name));
  return isSameLevel && areOther(one.cities, other.cities) && areOther(one.countries, other.countries);
}

/** Reads "in berlin", "based in the uk", "from lisbon or porto", "in berlin, germany". */
function afterPreposition(sentence: Sentence, at: number): Place[] | null {
  const isOf = sentence.key(at) === 'of' && kindWordAt(sentence, at - 1)?.isPlural === true;
  if (!isOf && !placeWords.has(sentence.key(at))) return null;
  // "In either Paris or Lyon".
  const from = sentence.is(at + 1, /^either$/) ? at + 2 : at + 1;
  return take(sentence, cueStart(sentence, at), from, placesFrom(sentence, from));
}

/** Reads "berlin-based startups" and, in short texts, "lagos or nairobi" and "peru: which startups are there". */
function apart(sentence: Sentence, at: number): Place[] | null {
  const { words } = sentence;
  const list = placesFrom(sentence, at);
  const [first, last] = [list?.[0]?.end ?? at, list?.at(-1)?.end ?? at];
  const isJoined = words.slice(at, first).some((_, to) => sentence.joinEnd(at + to) !== null);
  const isList = isJoined || (at === 0 && words[last - 1]?.endsPhrase === true);
  const isName = words.length > apartWordsMax || isTitle(sentence, 0, words.length);
  return isBasedAt(sentence, last) || (isList && !isName) ? take(sentence, at, at, list) : null;
}

const isBasedAt = ({ is }: Sentence, at: number) =>
  is(at, /^(based|hq|headquartered|domiciled|incorporated)$/) && !is(at + 1, /^(in|on)$/);

/** Returns the position of the first of the words before the preposition of a place: "with their seat in". */
export function cueStart(sentence: Sentence, at: number): number {
  // "With their seat in neither the UK nor France", "whose headquarters are in Ohio".
  const behind = sentence.is(at - 1, /^(in|is|are)$/) ? at - 1 : at;
  if (!sentence.is(behind - 1, fromWhere)) return at;
  let from = behind - 1;
  // "Having their head office in".
  while (sentence.is(from - 1, /^(head|main|offices?|seat|hq|an?|the|its|their|whose|with|has|have|having|is|are)$/))
    from -= 1;
  return from;
}

/**
 * Reads a name that the data doesn't have as a place, behind a noun or a part that was read: "companies in timbuktu".
 * Its words are still searched for.
 */
export function readUnknownPlace(sentence: Sentence): Place[] {
  const nouns = sentence.places.length === 0 ? [] : nounsOf(sentence);
  const place = firstOf(nouns.length === 0 ? [] : sentence.words.keys(), (at) => {
    const from = cueStart(sentence, at);
    const isBehind = nouns.includes(from - 1) || (from > 0 && !sentence.isFree(from - 1));
    if (!sentence.is(at, /^(in|near)$/) || !isBehind) return null;
    const unknown = unknownAt(sentence, sentence.afterThe(at + 1));
    if (unknown === null || !isBoundary(sentence, unknown.end)) return null;
    sentence.note(from, unknown.end, 'place');
    return { ...unknown, text: sentence.written(at + 1, unknown.end) };
  });
  return place === null ? [] : [place];
}

/** Reads "hackathons berlin", "events held lisbon next month": a noun, a place, and nothing more. */
function behindNoun(sentence: Sentence, at: number): Place[] | null {
  const noun = sentence.is(at - 1, fromWhere) ? at - 2 : at - 1;
  const isTopic = sentence.words[noun]?.endsPhrase === true && sentence.isPluralTopic(sentence.key(noun));
  return isTopic || nounsOf(sentence).includes(noun) ? take(sentence, at, at, placesFrom(sentence, at)) : null;
}

/** Reads "latin american crypto funds", "berlin startups": a place at the beginning of a phrase with a plural noun. */
function beforeNoun(sentence: Sentence): Place[] {
  for (const noun of modifiedNouns(sentence)) {
    const start = phraseStart(sentence, noun);
    for (let at = start; at < noun; at += 1) {
      const found = placeAt(sentence, at, noun);
      if (found === null || !modifies(sentence, at, start, noun, found)) continue;
      const list = withListed(sentence, at, found);
      return take(sentence, list.from, list.from, [list.place]) ?? [];
    }
  }
  return [];
}

/** Adds the places before one in a list: "german and french startups", "boston, austin or seattle banks". */
function withListed(sentence: Sentence, at: number, found: Found): { readonly from: number; readonly place: Found } {
  const isJoined = sentence.is(at - 1, /^(and|or)$/);
  const last = isJoined ? at - 2 : at - 1;
  const other = isJoined || sentence.words[last]?.endsPhrase ? placeAt(sentence, last, last + 1) : null;
  return other === null ? { from: at, place: found } : withListed(sentence, last, either(other, found));
}

/** Nouns before which a place may stand: those that ask for a kind, and topics at the end ("asian exchanges"). */
function modifiedNouns(sentence: Sentence): readonly number[] {
  const last = sentence.words.findLastIndex((_, at) => sentence.isFree(at));
  const isTopic = sentence.isPluralTopic(sentence.key(last));
  const nouns = nounsOf(sentence).filter((at) => kindWordAt(sentence, at)?.isPlural === true);
  if (isTitle(sentence, 0, last + 1)) return nouns;
  // "French vc, seed".
  const vc = sentence.words.findIndex((_, at) => sentence.is(at, /^vc$/));
  return [...nouns, ...(isTopic ? [last] : []), ...(vc > 0 ? [vc] : [])];
}

/** Returns true if a place locates the noun's entities, unlike the topic in "split payments startups". */
function modifies(sentence: Sentence, at: number, start: number, noun: number, { cities, end }: Found): boolean {
  const kind = kindWordAt(sentence, noun)?.kind;
  // After the beginning of a phrase, only words for nations are certainly places: "defi german startups".
  // States have several cities, and no other meaning: "ohio banks".
  const mayBeCity = at === start && (kind !== undefined || cities.length > 1);
  // "San francisco blockchain week speakers" names an event.
  const between = sentence.words.slice(end, noun);
  const isOfName = /^(people|investors)$/.test(kind ?? '') && !between.every(({ key }) => sentence.isTopic([key]));
  const isTopic = sentence.isTopic(sentence.words.slice(at, end).map(({ key }) => key));
  return cities.length === 0 || (mayBeCity && !isOfName && !isTopic);
}

/** Returns the first word of those before a noun that belong to it. */
function phraseStart(sentence: Sentence, noun: number): number {
  let at = noun;
  const isLink = (to: number) =>
    linkWords.has(sentence.key(to)) &&
    !sentence.isTopic(sentence.keys(to - 1, to + 2).split(' ')) &&
    // "Zk or mev events".
    ![to - 1, to + 1].every((one) => sentence.isTopicOrChain([sentence.key(one)]));
  while (sentence.isFree(at - 1) && !isLink(at - 1) && !sentence.words[at - 1]?.endsPhrase) at -= 1;
  while (at < noun && sentence.is(at, /^(the|a|an|all|any|some|list|show|me|find|best|top|give)$/)) at += 1;
  return at;
}

/** Reads a name that is neither a place of the data nor a topic: "in timbuktu". */
function unknownAt(sentence: Sentence, at: number): Found | null {
  const end = nameEnd(sentence, at);
  const words = sentence.words.slice(at, end).map(({ key }) => key);
  if (words.length > unknownWordsMax || !mayBeName(sentence, at, end) || sentence.isTopicOrChain(words)) return null;
  const isOther = words.some((word, place) => {
    return sentence.isTopicOrChain([word]) || kindWordAt(sentence, at + place) !== null || notPlaces.test(word);
  });
  return isOther ? null : { countries: [], cities: [], end };
}

const unknownWordsMax = 3;
const notPlaces =
  /^(of|portfolio|ecosystem|sector|space|industry|field|area|business|stealth|beta|general|any|all|every)$|\d/;

/** Reads alternatives, or a city and its country; null if none begins here, or if the name continues after it. */
function placesFrom(sentence: Sentence, at: number): Found[] | null {
  const first = placeAt(sentence, sentence.afterThe(at));
  if (first === null) return null;
  const list = [first];
  let last = first;
  for (;;) {
    const joined = sentence.joinEnd(last.end);
    const hasComma = sentence.words[last.end - 1]?.endsPhrase === true;
    // "In Berlin or in Paris".
    const isRepeated = joined !== null && placeWords.has(sentence.key(joined));
    const next = placeAt(sentence, sentence.afterThe((joined ?? last.end) + (isRepeated ? 1 : 0)));
    if (next === null || (joined === null && !hasComma && last.cities.length === 0)) break;
    // "In Tokyo, Osaka or Seoul", but "in Berlin, Germany" and "in Austin, Texas".
    const isListed =
      hasComma &&
      last.cities.length > 0 === next.cities.length > 0 &&
      !last.cities.some((city) => next.cities.includes(city));
    if (joined !== null || isListed) list.push(either(list.pop() ?? last, next));
    else list.push(next);
    last = next;
  }
  // Names begin with a city: "in berlin blockchain week".
  const isNation = last.cities.length === 0 && sentence.is(at - 1, /^(in|from|across|within)$/);
  const isShort = sentence.words.length <= apartWordsMax;
  return (isNation && isShort) || list[0] !== first || isBoundary(sentence, last.end) ? list : null;
}

function either<One extends Omit<Place, 'text'>>(one: One, other: One): One {
  return {
    ...other,
    countries: [...new Set([...one.countries, ...other.countries])],
    cities: [...new Set([...one.cities, ...other.cities])],
  };
}

/** Returns true if the place ends here: "in berlin blockchain week" names an event instead of a place. */
function isBoundary(sentence: Sentence, at: number): boolean {
  const next = sentence.key(at);
  if (next === '' || linkWords.has(next) || sentence.words[at - 1]?.endsPhrase === true) return true;
  const isNext =
    /^((19|20)\d\d|of|ones?|continent|region|upcoming|investing|backing|running|active|hosting|early|late|(pre)?seed|hq)$/.test(
      next,
    );
  return isNext || nounsOf(sentence).includes(at);
}

/** Returns the longest place that begins at a word and ends before a limit. */
export function placeAt(sentence: Sentence, at: number, limit = sentence.words.length): Found | null {
  let found: Found | null = null;
  for (let end = at + 1; end <= Math.min(limit, at + placeWordsMax) && sentence.isFree(end - 1); end += 1) {
    const place = sentence.gazetteer.find(sentence.keys(at, end));
    if (place !== null) found = { ...place, end };
    const { endsPhrase, isPossessive } = sentence.words[end - 1] ?? {};
    if (endsPhrase || isPossessive) break;
  }
  return found;
}

/** Returns the place at a word if the words around it don't belong to a name. */
export function placeApart(sentence: Sentence, at: number, isApart: (at: number) => boolean) {
  const found = isApart(at - 1) ? placeAt(sentence, at) : null;
  // "Peru's defi scene".
  if (found === null || !(sentence.words[found.end - 1]?.isPossessive || isApart(found.end))) return null;
  const { countries, cities, end } = found;
  if (countries.length + cities.length > namesMax) return null;
  return { from: at, until: end, place: { text: sentence.written(at, end), countries, cities } };
}

/** Takes places with the words before them, from a position on; null if there are none. */
function take(sentence: Sentence, from: number, nameFrom: number, list: readonly Found[] | null): Place[] | null {
  if (list === null) return null;
  let start = sentence.afterThe(nameFrom);
  const places = list.map(({ countries, cities, end }) => {
    const text = sentence.written(start, end);
    start = sentence.afterThe(end);
    return { text, countries, cities };
  });
  const end = list.at(-1)?.end ?? nameFrom;
  sentence.take(from, sentence.is(end, /^(ones?|continent|region)$/) ? end + 1 : end, 'place');
  if (isBasedAt(sentence, end)) sentence.take(end, end + 1, 'filler');
  return places;
}
