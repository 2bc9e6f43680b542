import { firstOf, type Sentence } from './sentence.ts';

/** Reads whether events are held online. */
export function readOnline(sentence: Sentence): boolean | null {
  return firstOf(sentence.words.keys(), (at) => {
    const isOnline = sentence.is(at, /^(online|virtual|remote)$/);
    const isApart = sentence.is(at, /^in$/) && sentence.is(at + 1, /^person$/);
    if (!isOnline && !isApart && !sentence.is(at, /^(inperson|offline|irl|onsite)$/)) return null;
    sentence.take(at, isApart ? at + 2 : at + 1, 'online');
    return isOnline;
  });
}
