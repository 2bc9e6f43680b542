import { articleEnd } from '../exclusions/cues.ts';
import { kindWordAt } from '../kind-words.ts';
import type { Sentence } from '../sentence.ts';
import { denial } from './cue-words.ts';
import type { KnownName } from './possible-names.ts';

/** Words at the beginning of a question or clause. */
export const starter = /^(who(m|se|ever)?|what|which|is|are|ha[sd]|have|did|do|does)$/;

/** Returns the names that a word such as "not" excludes; null if it excludes something else. */
export function deniedNames(sentence: Sentence, all: readonly KnownName[], others: readonly number[]) {
  const not = others.find((at) => sentence.after(at, denial) !== null);
  if (not === undefined) return [];
  // "Leaving out all who funded nansen, who invested in farcaster".
  const clause = sentence.words.findIndex((_, at) => sentence.words[at - 1]?.endsPhrase && sentence.is(at, starter));
  const clauseEnd = not === 0 && clause > 0 ? clause : sentence.words.length;
  const behind = all.filter(({ from }) => from > not && from < clauseEnd);
  if (behind.length > 0) return behind;
  // "People at aave except its founders", "speakers at devcon who are not founders".
  const role = kindWordAt(sentence, articleEnd(sentence, sentence.after(not, denial) ?? not));
  if (all.length === 1 || role?.kind === 'people') return null;
  const before = all.filter(({ until }) => until <= not);
  // "That a16z and paradigm didn't".
  const isApart = (name: KnownName, at: number) => sentence.nextListed(before[at - 1]?.until ?? -1) !== name.from;
  return before.slice(Math.max(0, before.findLastIndex(isApart)));
}

/** Returns the beginning and the end of the words that exclude names: "but not in aave", "where a16z is not in". */
export function deniedWords(sentence: Sentence, denied: readonly KnownName[]): readonly [number, number] {
  if (denied.length === 0) return [0, 0];
  const not = [...sentence.words.keys()].filter((at) => sentence.after(at, denial) !== null);
  const isBefore = denied.every((name) => name.until <= Math.max(...not));
  const until = isBefore ? sentence.words.length : Math.max(...denied.map((name) => name.until));
  let from = Math.min(...denied.map((name) => name.from), ...not);
  while (sentence.is(from - 1, /^(but|and|that|which|who|where|do|does|did)$/)) from -= 1;
  return [from, until];
}
