import type { KindName } from '../../../kinds/kind.ts';
import { askedKinds, kindWordAt } from '../kind-words.ts';
import type { RelatedClass } from '../question.ts';
import { phrase, type Sentence } from '../sentence.ts';
import { denial } from './cue-words.ts';

const backedBy = phrase(
  '((that|which|who) )?((is|are|was|were|got) )?(backed|funded|financed|supported) by|with|(that|which|who) (have|has|count)',
);
const amongInvestors = phrase('(among|amongst|as|on) (its|their|an|the) (investors?|backers?|cap table)');
const investedIn = phrase('(investors?|vcs?|funds|backers?|invest(s|ed|ing)?) in|back(s|ed|ing)?|fund(s|ed|ing)?');
const articles = phrase('an?|the|some|any|other');
const ofClass = /^(big|early|stage|venture|vc|capital|institutional|based)$/;

/**
 * Reads "startups backed by german vcs" and "investors in berlin startups": the related ones have a place instead of a
 * name. Its words are ignored, unless a search finds those entities.
 */
export function readClass(sentence: Sentence): RelatedClass | null {
  const [subject] = askedKinds(sentence);
  const isOfMore = sentence.words.some(
    (_, at) => sentence.after(at, denial) !== null || sentence.is(at, /^(like|such)$/),
  );
  if ((subject !== 'companies' && subject !== 'investors') || isOfMore) return null;
  const [cue, kind] =
    subject === 'companies' ? ([backedBy, 'investors'] as const) : ([investedIn, 'companies'] as const);
  for (const at of sentence.words.keys()) {
    const from = sentence.after(at, cue);
    const found = from === null ? null : classAt(sentence, sentence.after(from, articles) ?? from, kind);
    if (found === null) continue;
    const start = subject === 'companies' ? at : (from ?? at) - 1;
    const words = sentence.words.slice(start, found.end);
    sentence.take(start, found.end, 'ignored');
    return { kind, text: found.text, part: words.map(({ text }) => text).join(' ') };
  }
  return null;
}

/** Returns "french vcs" for "French VC among their investors", with the end of these words. */
function classAt(sentence: Sentence, start: number, kind: KindName) {
  const { gazetteer, is, key } = sentence;
  const isPlace = (at: number) => gazetteer.find(key(at)) !== null;
  let after = start;
  while (isPlace(after) || is(after, ofClass) || kindWordAt(sentence, after)?.kind === kind) after += 1;
  const word = kindWordAt(sentence, after - 1);
  const isBefore = sentence.words.slice(start, after).some((_, at) => isPlace(start + at));
  const last = !isBefore && is(after, /^(in|from)$/) && isPlace(after + 1) ? after + 2 : after;
  const end = sentence.after(last, amongInvestors) ?? last;
  const isOne = word?.isPlural === false && end > last;
  const isListed = sentence.nextListed(end) !== null && end < sentence.words.length;
  if (word?.kind !== kind || !(word.isPlural || isOne) || !(isBefore || last > after) || isListed) return null;
  // "Big german vcs" are german investors.
  const places = sentence.words.slice(start, last).filter((_, at) => isPlace(start + at));
  return { text: `${places.map(({ name }) => name).join(' ')} ${kind}`, end };
}
