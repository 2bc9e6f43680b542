import { matchesWord } from './sentence.ts';

// Words that questions are made of, beside the names and topics in them.

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Words that end a name, or begin what is said about the word before. */
export const linkWords = setOf(
  'in on at and or but who whom whose that which with without for from near by to about around across within during since after before until between like similar such as other than except besides excluding instead not based located working building founded established launched backed funded created focused doing is are was were where when using this next last has have had did does do via versus vs',
);

/** Words that ask, and mean nothing that could be found; left out where they stand before or behind the rest. */
export const fillers = setOf(
  'a an the any some all list show me find give please what which who whom whose whos whats are is was were there do does did can could i we you they looking look search searching need want to get that have has had and or in on at from by of but for with as it its be been being also most best top good named called other than like one ones something anything thing things stuff tell about know known more every each them',
);

/** Before "like" they make it another word. */
export const likersBefore = setOf(
  'would i id we wed you they looks look looking feels feel sounds sound dont doesnt do does much',
);

/** Cue words that are tolerated with one letter wrong. Those that a brand is near to are not among them. */
const correctable = [
  ...['company', 'companies', 'startup', 'startups', 'business', 'businesses', 'project', 'projects'],
  ...['investor', 'investors', 'founder', 'founders', 'cofounder', 'cofounders', 'speaker', 'speakers'],
  ...['conference', 'conferences', 'hackathon', 'hackathons', 'workshop', 'workshops', 'meetups'],
  ...['alternative', 'alternatives', 'competitor', 'competitors', 'similar', 'instead', 'portfolio'],
  ...['founded', 'invested', 'between', 'organizer', 'organizers', 'somebody', 'someone', 'upcoming'],
  ...['engineer', 'engineers', 'developer', 'developers', 'researcher', 'researchers', 'employees', 'authors'],
] as const;
const spelledRight: ReadonlySet<string> = new Set<string>(correctable);

/** The cue word that a word is, or misspells by one letter; the word itself where it is none. */
export function correctCue(key: string): string {
  if (spelledRight.has(key) || key.length < 6) return key;
  return correctable.find((cue) => matchesWord(key, cue)) ?? key;
}
