import { isKindWord } from './kind-words.ts';
import { matchesWord } from './sentence.ts';
import { fillers, linkWords } from './words.ts';

/** Cue words that may have one wrong letter. Words with a similar brand are left out. */
const correctable =
  'company companies startup startups business businesses project projects investor investors founder founders cofounder cofounders speaker speakers conference conferences hackathon hackathons workshop workshops meetups alternative alternatives competitor competitors similar instead portfolio founded invested between organizer organizers somebody someone upcoming excluding engineer engineers developer developers researcher researchers employees authors happened'.split(
    ' ',
  );
/** Other words of questions that are one letter away from these. */
const spelledRight: ReadonlySet<string> = new Set([
  ...correctable,
  ...'inventor inventors invented inventing cofounded cofounding coauthored confounded invests investing organize organizes organized organizing organise organises organised founding funding including'.split(
    ' ',
  ),
]);

/** Returns the cue word that a word is, or misspells by one letter; otherwise the word itself. */
export function correctCue(key: string): string {
  if (key.length < 6 || spelledRight.has(key) || isKindWord(key) || linkWords.has(key) || fillers.has(key)) return key;
  return correctable.find((cue) => matchesWord(key, cue)) ?? key;
}
