import { askedKinds, kindWordAt } from '../kind-words.ts';
import type { RelatedClass } from '../question.ts';
import { phrase, type Sentence } from '../sentence.ts';

const backedBy = phrase('((that|which|who) )?((is|are|was|were|got) )?(backed|funded|financed|supported) by|with');
const investedIn = phrase('(investors?|vcs?|funds|backers?|invest(s|ed|ing)?) in|back(s|ed|ing)?|fund(s|ed|ing)?');
const ofClass = /^(the|some|any|other|big|early|stage|venture|vc|capital|institutional|based)$/;

/**
 * Reads "startups backed by german vcs" and "investors in berlin startups": the related ones have a place instead of a
 * name. Its words are ignored, unless a search finds those entities.
 */
export function readClass(sentence: Sentence): RelatedClass | null {
  const { words, gazetteer, is, key } = sentence;
  const [subject] = askedKinds(sentence);
  if (subject !== 'companies' && subject !== 'investors') return null;
  const [cue, kind] =
    subject === 'companies' ? ([backedBy, 'investors'] as const) : ([investedIn, 'companies'] as const);
  const isPlace = (at: number) => gazetteer.find(key(at)) !== null;
  for (const at of words.keys()) {
    const from = sentence.after(at, cue);
    if (from === null) continue;
    let noun = from;
    while (isPlace(noun) || is(noun, ofClass)) noun += 1;
    const word = kindWordAt(sentence, noun);
    const isBefore = words.slice(from, noun).some((_, place) => isPlace(from + place));
    const isBehind = !isBefore && is(noun + 1, /^(in|from)$/) && isPlace(noun + 2);
    const end = isBehind ? noun + 3 : noun + 1;
    if (word?.isPlural !== true || word.kind !== kind || !(isBefore || isBehind)) continue;
    const start = subject === 'companies' ? at : from - 1;
    const found = { kind, text: sentence.written(from, end), part: sentence.written(start, end) };
    sentence.take(start, end, 'ignored');
    return found;
  }
  return null;
}
