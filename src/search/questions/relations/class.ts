import type { KindName } from '../../../kinds/kind.ts';
import { askedKinds, kindWordAt } from '../kind-words.ts';
import { placeAt } from '../places/places.ts';
import type { RelatedClass } from '../question.ts';
import { phrase, type Sentence } from '../sentence.ts';
import { denial } from './cue-words.ts';

const backedBy = phrase(
  '((that|which|who) )?((is|are|was|were|got) )?(backed|funded|financed|supported) by|with|(that|which|who) (have|has|count)',
);
const amongInvestors = phrase('(among|amongst|as|on) (its|their|an|the) (investors?|backers?|cap table)');
const investedIn = phrase('(investors?|vcs?|funds|backers?|invest(s|ed|ing)?) in|back(s|ed|ing)?|fund(s|ed|ing)?');
const articles = phrase('an?|the|some|any|other');
const classAdjectives = /^(big|early|stage|venture|vc|capital|institutional|based)$/;

/**
 * Reads "backed by german vcs" and "in berlin startups", where places stand for names. Takes the words as ignored until a
 * search finds these entities. "Not backed by german vcs" stays ignored.
 */
export function readClass(sentence: Sentence): RelatedClass | null {
  const [subject] = askedKinds(sentence);
  const isAsked = subject === 'companies' || subject === 'investors';
  if (!isAsked || sentence.words.some((_, at) => sentence.is(at, /^(like|such)$/))) return null;
  const not = sentence.words.findIndex((_, at) => sentence.after(at, denial) !== null);
  const [cue, kind] =
    subject === 'companies' ? ([backedBy, 'investors'] as const) : ([investedIn, 'companies'] as const);
  for (const at of sentence.words.keys()) {
    const from = sentence.after(at, cue);
    if (from === null) continue;
    const found = classAt(sentence, sentence.after(from, articles) ?? from, kind);
    if (found === null) continue;
    const cueStart = subject === 'companies' ? at : from - 1;
    // "Companies with german investors that are not banks" keep their exclusion.
    if (not > cueStart) return null;
    const start = not < 0 ? cueStart : not;
    const words = sentence.words.slice(start, found.end);
    sentence.take(start, found.end, 'ignored');
    return not < 0 ? { kind, text: found.text, part: words.map(({ text }) => text).join(' ') } : null;
  }
  return null;
}

/** Returns the text to search for, "French investors" for "a French VC among their investors", and the end of the words. */
function classAt(sentence: Sentence, start: number, kind: KindName) {
  const isOfClass = (at: number) => sentence.is(at, classAdjectives) || kindWordAt(sentence, at)?.kind === kind;
  let first = start;
  while (sentence.is(first, classAdjectives)) first += 1;
  const before = placesAt(sentence, first);
  let after = before.end;
  while (isOfClass(after)) after += 1;
  const noun = kindWordAt(sentence, after - 1);
  const behind = sentence.is(after, /^(in|from)$/) ? placesAt(sentence, after + 1) : { names: [], end: after };
  const names = before.names.length > 0 ? before.names : behind.names;
  const last = names === behind.names ? behind.end : after;
  const end = sentence.after(last, amongInvestors) ?? last;
  const isOne = noun?.isPlural === false && end > last;
  const isListed = sentence.nextListed(end) !== null && end < sentence.words.length;
  if (noun?.kind !== kind || names.length === 0 || !(noun.isPlural || isOne) || isListed) return null;
  const places = names.join(' or ');
  return { text: names === before.names ? `${places} ${kind}` : `${kind} in ${places}`, end };
}

/** Returns the places of "germany or the uk" and the position after them. */
function placesAt(sentence: Sentence, at: number) {
  const names: string[] = [];
  let end = at;
  for (let next: number | null = at; next !== null; next = sentence.joinEnd(end)) {
    const from = sentence.afterThe(next);
    const place = placeAt(sentence, from);
    if (place === null) break;
    names.push(sentence.written(from, place.end));
    end = place.end;
  }
  return { names, end };
}
