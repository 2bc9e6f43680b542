import type { Sentence } from './sentence.ts';

/** Reads whether events are held online. */
export function readOnline(sentence: Sentence): boolean | null {
  for (const at of sentence.words.keys()) {
    const key = sentence.key(at);
    const isApart = key === 'in' && sentence.key(at + 1) === 'person';
    if (!isApart && !/^(online|virtual|remote|inperson|offline|irl|onsite)$/.test(key)) continue;
    sentence.take(at, isApart ? at + 2 : at + 1, 'online');
    return /^(online|virtual|remote)$/.test(key);
  }
  return null;
}
