import { isKindNoun } from '../kind-nouns.ts';
import { kindWordAt } from '../kind-words.ts';
import type { Sentence } from '../sentence.ts';
import { linkWords } from '../words.ts';
import { type Cue, cueOf, isHelping, telling } from './cue-words.ts';

/** The number of words that may be neither in a name nor explained by a relation. They are ignored. */
export type Unexplained = 'none' | 'few' | 'any';

/** Returns the use of a word outside names; `unknown` if it may be a name or a condition. */
export function useOf(
  sentence: Sentence,
  at: number,
  cues: ReadonlySet<Cue>,
  { unexplained, isOfProposal }: { readonly unexplained: Unexplained; readonly isOfProposal: boolean },
) {
  const isLast = unexplained !== 'none';
  const { key, is, gazetteer, isTopicOrChain } = sentence;
  const mayHaveTopic = cues.has('talk') || isOfProposal;
  // "KKR & Co."
  if (is(at, /^co$/)) return is(at + 1, /^(invest|found)/) ? 'explained' : 'unknown';
  if (isExplained(sentence, at, mayHaveTopic)) return 'explained';
  const noun = kindWordAt(sentence, at);
  // "CTOs", but not in "founder and CTO".
  if (noun?.kind === 'people' && !cues.has('money') && ![at - 1, at + 1].some((one) => is(one, /^(and|or|&)$/)))
    return 'searched';
  // "BIP authors on taproot".
  const isOfTalk = mayHaveTopic && unexplained !== 'any' && !is(at, /\d/) && gazetteer.find(key(at)) === null;
  const isTopic = isOfTalk || [[key(at)], [key(at - 1), key(at)], [key(at), key(at + 1)]].some(isTopicOrChain);
  if ((isLast || isOfProposal) && isTopic) return 'searched';
  return unexplained === 'any' || (isLast && isNeedless(sentence, at)) ? 'ignored' : 'unknown';
}

function isExplained(sentence: Sentence, at: number, mayHaveTopic: boolean): boolean {
  const { key, is } = sentence;
  const noun = kindWordAt(sentence, at);
  const isOther =
    (is(at, /^than$/) && is(at - 1, /^other$/)) ||
    (is(at, /^used$/) && is(at + 1, /^to$/)) ||
    (is(at, /^cap$/) && is(at + 1, /^tables?$/));
  const isAbout =
    mayHaveTopic && is(at, /^(about|concerning|regarding|covering|involving|concern(s|ed)?|proposals?|standards?)$/);
  // In "investors in Maker", "maker" is a name; in "in company coinbase", "company" is a noun.
  const isEnd = key(at + 1) === '' || linkWords.has(key(at + 1));
  if (noun?.isPlural === false && isEnd && is(at - 1, /^(in(to)?|of|at|by|from|behind)$/)) return false;
  return isOther || isAbout || (noun ? !noun.isTelling : isHelping(key(at))) || cueOf(key(at)) !== undefined;
}

/** Returns true for a word that a question can do without: no name, place, number or condition. */
function isNeedless({ words, is, joinEnd, gazetteer }: Sentence, at: number): boolean {
  const { text = '', key = '' } = words[at] ?? {};
  const mayBeName =
    joinEnd(at + 1) !== null || words[at - 1]?.endsPhrase || is(at - 1, /^(and|n?or|in(to)?|of|at|by|from|with|to)$/);
  return /^[a-z'’]+[?!.]*$/.test(text) && !mayBeName && !telling.test(key) && !isKindNoun(key) && !gazetteer.find(key);
}
