import { isOneEditAway } from '../vocabulary/vocabulary.ts';
import { isKindNoun } from './kind-nouns.ts';
import { fillers, linkWords, wordSet } from './words.ts';

/**
 * Cue words that may have one letter wrong, missing, added or swapped. Shorter words are similar to words with other
 * meanings, and words with a similar brand are left out.
 */
const correctable = wordSet(
  'company companies startup startups business businesses project projects investor investors founder founders cofounder cofounders speaker speakers conference conferences hackathon hackathons workshop workshops meetups alternative alternatives competitor competitors similar instead portfolio founded invested between organizer organizers somebody someone upcoming excluding engineer engineers developer developers researcher researchers employees authors happened',
);
const cues = [...correctable];
/** Other words of questions that are one letter away from these. */
const spelledRight = wordSet(
  'inventor inventors invented inventing cofounded cofounding coauthored confounded invests investing organize organizes organized organizing organise organises organised founding funding including',
);

/** Returns the cue word that a word is, or misspells by one letter; otherwise the word itself. */
export function correctCue(key: string): string {
  if (!/^[a-z]{6,}$/.test(key) || correctable.has(key) || spelledRight.has(key)) return key;
  if (isKindNoun(key) || linkWords.has(key) || fillers.has(key)) return key;
  return cues.find((cue) => cue[0] === key[0] && isOneEditAway(key, cue)) ?? key;
}
