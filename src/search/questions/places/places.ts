import { isTitle, kindWordAt, nounsOf } from '../kind-words.ts';
import type { Knowledge } from '../knowledge.ts';
import { mayBeName, nameEnd } from '../names.ts';
import type { Place } from '../question.ts';
import { afterThe, joinEnd, type Sentence } from '../sentence.ts';
import { linkWords } from '../words.ts';

/**
 * Words before a place. "Of" only counts right after a noun for a kind ("startups of berlin"), because names contain it
 * as well.
 */
const placeWords: ReadonlySet<string> = new Set(['in', 'from', 'near', 'around', 'across', 'within', 'at', 'outof']);
const fromWhere = /^(based|located|headquartered|held|happening|living|headquarters|hq|offices?|domiciled|run)$/;

interface Found extends Omit<Place, 'text'> {
  readonly end: number;
}

/** Limits on the places of a question and their names of countries and cities: cursors carry them. */
const placesMax = 4;
const namesMax = 300;

export function readPlaces(sentence: Sentence, knowledge: Knowledge): Place[] {
  const places: Place[] = [];
  for (const at of sentence.words.keys()) {
    if (places.length >= placesMax) break;
    if (!sentence.isFree(at)) continue;
    places.push(
      ...(inFront(sentence, at, knowledge) ??
        afterPreposition(sentence, at, knowledge) ??
        based(sentence, at, knowledge) ??
        behindNoun(sentence, at, knowledge) ??
        []),
    );
  }
  const all = [...places, ...beforeNoun(sentence, knowledge)].slice(0, placesMax);
  let names = 0;
  return all.filter(({ countries, cities }) => {
    names += countries.length + cities.length;
    return names <= namesMax;
  });
}

/** Reads "in berlin", "based in the uk", "from lisbon or porto", "in berlin, germany". */
function afterPreposition(sentence: Sentence, at: number, knowledge: Knowledge): Place[] | null {
  const isOf = sentence.key(at) === 'of' && kindWordAt(sentence, at - 1)?.isPlural === true;
  if (!isOf && !placeWords.has(sentence.key(at))) return null;
  const list = placesFrom(sentence, at + 1, knowledge);
  if (list === null) return null;
  return take(sentence, cueStart(sentence, at), at + 1, list);
}

/** Reads "south america: which meetups were there". */
function inFront(sentence: Sentence, at: number, knowledge: Knowledge): Place[] | null {
  const list = at === 0 && nounsOf(sentence, knowledge).length > 0 ? placesFrom(sentence, at, knowledge) : null;
  const isApart = sentence.words[(list?.at(-1)?.end ?? 0) - 1]?.endsPhrase === true;
  return list !== null && isApart ? take(sentence, at, at, list) : null;
}

function cueStart(sentence: Sentence, at: number): number {
  if (!fromWhere.test(sentence.key(at - 1))) return at;
  let from = at - 1;
  // "Having their head office in".
  while (/^(head|main|an?|the|its|their|whose|with|has|have|having|is|are)$/.test(sentence.key(from - 1))) from -= 1;
  return from;
}

/**
 * Reads a name that the data doesn't have as a place, after a noun that asks for a kind or a part that was read:
 * "companies in timbuktu". Its words are still searched for.
 */
export function readUnknownPlace(sentence: Sentence, knowledge: Knowledge): Place[] {
  const nouns = knowledge.places.length === 0 ? [] : nounsOf(sentence, knowledge);
  for (const at of sentence.words.keys()) {
    const from = cueStart(sentence, at);
    const isBehind = nouns.includes(from - 1) || (nouns.length > 0 && from > 0 && !sentence.isFree(from - 1));
    if (!/^(in|near)$/.test(sentence.key(at)) || !isBehind) continue;
    const unknown = unknownAt(sentence, afterThe(sentence, at + 1), knowledge);
    if (unknown === null || !isBoundary(sentence, unknown.end, knowledge)) continue;
    sentence.note(from, unknown.end, 'place');
    const names = sentence.words.slice(at + 1, unknown.end).map(({ name }) => name);
    return [{ ...unknown, text: names.join(' ') }];
  }
  return [];
}

/** Reads "berlin-based startups", "uk based exchanges". */
function based(sentence: Sentence, at: number, knowledge: Knowledge): Place[] | null {
  const found = placeAt(sentence, at, sentence.words.length, knowledge);
  if (
    found === null ||
    !/^(based|hq|headquartered)$/.test(sentence.key(found.end)) ||
    sentence.key(found.end + 1) === 'in'
  )
    return null;
  const places = take(sentence, at, at, [found]);
  sentence.take(found.end, found.end + 1, 'filler');
  return places;
}

/** Reads "hackathons berlin", "events lisbon next month": a noun in the plural, a place, and nothing more. */
function behindNoun(sentence: Sentence, at: number, knowledge: Knowledge): Place[] | null {
  const noun = kindWordAt(sentence, at - 1);
  if (noun === null || !nounsOf(sentence, knowledge).includes(at - 1)) return null;
  const list = placesFrom(sentence, at, knowledge);
  return list === null ? null : take(sentence, at, at, list);
}

/**
 * Reads "latin american crypto funds", "berlin startups": a place at the beginning of a phrase that ends with a plural
 * noun.
 */
function beforeNoun(sentence: Sentence, knowledge: Knowledge): Place[] {
  for (const noun of modifiedNouns(sentence, knowledge)) {
    const start = phraseStart(sentence, noun);
    for (let at = start; at < noun; at += 1) {
      const found = placeAt(sentence, at, noun, knowledge);
      if (found === null || !modifies(sentence, { at, start, noun }, found, knowledge)) continue;
      const from = beginning(sentence, at, knowledge);
      const other = from === at ? null : placeAt(sentence, from, at - 1, knowledge);
      return take(sentence, from, from, [other === null ? found : either(other, found)]);
    }
  }
  return [];
}

/** Nouns before which a place may stand: those that ask for a kind, and topics at the end ("asian exchanges"). */
function modifiedNouns(sentence: Sentence, knowledge: Knowledge): readonly number[] {
  const last = sentence.words.findLastIndex((_, at) => sentence.isFree(at));
  const isTopic = knowledge.isPluralTopic(sentence.key(last));
  const nouns = nounsOf(sentence, knowledge).filter((at) => kindWordAt(sentence, at)?.isPlural === true);
  return isTopic && !isTitle(sentence, 0, last + 1) ? [...nouns, last] : nouns;
}

/**
 * Returns true if a place locates the noun's entities, and isn't part of a name or topic: "split payments startups".
 */
function modifies(
  sentence: Sentence,
  { at, start, noun }: { readonly at: number; readonly start: number; readonly noun: number },
  { cities, end }: Found,
  { isTopic }: Knowledge,
): boolean {
  // After the beginning of a phrase, only words for nations are certainly places: "defi german startups".
  // States have several cities, and no other meaning: "ohio banks".
  const mayBeCity = at === start && (kindWordAt(sentence, noun) !== null || cities.length > 1);
  const between = sentence.words.slice(end, noun).map(({ key }) => key);
  // "San francisco blockchain week speakers" names an event.
  const isOfName =
    /^(people|investors)$/.test(kindWordAt(sentence, noun)?.kind ?? '') && !between.every((key) => isTopic([key]));
  const isPlace = cities.length === 0 || (mayBeCity && !isOfName);
  return isPlace && !isTopic(sentence.words.slice(at, end).map(({ key }) => key));
}

/** Returns the position of the first place before a noun: "german and french startups". */
function beginning(sentence: Sentence, at: number, knowledge: Knowledge): number {
  return /^(and|or)$/.test(sentence.key(at - 1)) && placeAt(sentence, at - 2, at - 1, knowledge) !== null ? at - 2 : at;
}

/** Returns the first word of those before a noun that belong to it. */
function phraseStart(sentence: Sentence, noun: number): number {
  let at = noun;
  while (sentence.isFree(at - 1) && !linkWords.has(sentence.key(at - 1)) && !sentence.words[at - 1]?.endsPhrase)
    at -= 1;
  while (at < noun && /^(the|a|an|all|any|some|list|show|me|find|best|top|give)$/.test(sentence.key(at))) at += 1;
  return at;
}

/** Reads a name that is neither a place of the data nor a topic: "in timbuktu". */
function unknownAt(sentence: Sentence, at: number, knowledge: Knowledge): Found | null {
  const end = nameEnd(sentence, at);
  const words = sentence.words.slice(at, end).map(({ key }) => key);
  const isOther = words.some((word, place) => {
    return knowledge.isTopicOrChain([word]) || kindWordAt(sentence, at + place) !== null || notPlaces.test(word);
  });
  const isName = words.length <= unknownWordsMax && mayBeName(sentence, at, end) && !knowledge.isTopicOrChain(words);
  return isName && !isOther ? { countries: [], cities: [], end } : null;
}

const unknownWordsMax = 3;
const notPlaces =
  /^(of|portfolio|ecosystem|sector|space|industry|field|area|business|stealth|beta|general|any|all|every)$|\d/;

/** Reads alternatives, or a city and its country; null if none begins here, or if the name continues after it. */
function placesFrom(sentence: Sentence, at: number, knowledge: Knowledge): Found[] | null {
  const first = placeAt(sentence, afterThe(sentence, at), sentence.words.length, knowledge);
  if (first === null) return null;
  const list = [first];
  for (let last = first; ; ) {
    const joined = joinEnd(sentence, last.end);
    const isOr = joined !== null;
    const hasComma = sentence.words[last.end - 1]?.endsPhrase === true;
    // "In Berlin or in Paris".
    const isRepeated = isOr && placeWords.has(sentence.key(joined));
    const start = afterThe(sentence, (joined ?? last.end) + (isRepeated ? 1 : 0));
    const next = placeAt(sentence, start, sentence.words.length, knowledge);
    if (next === null || !(isOr || hasComma || last.cities.length > 0)) break;
    const before = list.at(-1) ?? last;
    // "In Tokyo, Osaka or Seoul", but "in Berlin, Germany".
    const isListed = hasComma && [last, next].every((one) => one.countries.length === 0 && one.cities.length === 1);
    if (isOr || isListed) list[list.length - 1] = either(before, next);
    else list.push(next);
    last = next;
  }
  return isBoundary(sentence, list.at(-1)?.end ?? at, knowledge) ? list : null;
}

function either(one: Found, other: Found): Found {
  return {
    countries: [...new Set([...one.countries, ...other.countries])],
    cities: [...new Set([...one.cities, ...other.cities])],
    end: other.end,
  };
}

/** Returns true if the place ends here: "in berlin blockchain week" names an event instead of a place. */
function isBoundary(sentence: Sentence, at: number, knowledge: Knowledge): boolean {
  const next = sentence.key(at);
  if (next === '' || linkWords.has(next) || sentence.words[at - 1]?.endsPhrase === true) return true;
  return (
    nounsOf(sentence, knowledge).includes(at) ||
    /^((19|20)\d\d|of|upcoming|investing|backing|running|active|hosting)$/.test(next)
  );
}

/** Returns the longest place that begins at a word and ends before a limit. */
function placeAt(sentence: Sentence, at: number, limit: number, { gazetteer }: Knowledge): Found | null {
  let name = '';
  let found: Found | null = null;
  for (let end = at; end < Math.min(limit, at + gazetteer.longest) && sentence.isFree(end); end += 1) {
    const word = sentence.words[end];
    name = name === '' ? sentence.key(end) : `${name} ${sentence.key(end)}`;
    const place = gazetteer.find(name);
    if (place !== null) found = { ...place, end: end + 1 };
    if (word?.endsPhrase === true || word?.isPossessive === true) break;
  }
  return found;
}

function take(sentence: Sentence, from: number, nameFrom: number, list: readonly Found[]): Place[] {
  let start = afterThe(sentence, nameFrom);
  const places = list.map(({ countries, cities, end }) => {
    const names = sentence.words.slice(start, end).map(({ name }) => name);
    start = afterThe(sentence, end);
    return { text: names.join(' '), countries, cities };
  });
  sentence.take(from, list.at(-1)?.end ?? nameFrom, 'place');
  return places;
}
