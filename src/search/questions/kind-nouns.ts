import { type KindName, kindNames } from '../../kinds/kind.ts';

/** The kinds that a noun asks for. */
export interface KindWord {
  /** In the singular. */
  readonly noun: string;
  readonly kind: KindName;
  readonly isPlural: boolean;
  /** True if it means more than the kind, so that it is searched for as well: "hackathon", "auditor". */
  readonly isTelling: boolean;
}

/** Singular nouns that only name the kind. */
const plainNouns: Readonly<Record<KindName, string>> = {
  companies: 'company startup firm business project app maker manufacturer issuer operator',
  people: 'person individual founder cofounder creator speaker author employee',
  investors: 'investor fund vc backer funder financier venture_capitalist',
  events: 'event gathering meeting edition get_together gettogether',
};

/** Nouns that mean more than that. */
const tellingNouns: Readonly<Record<KindName, string>> = {
  companies: 'protocol dapp platform exchange vendor provider agency studio',
  people:
    'developer dev engineer researcher auditor expert specialist cryptographer lawyer designer scientist economist ceo cto coo contributor maintainer programmer mathematician academic professor manager journalist reporter marketer analyst podcaster podcast_host student organizer organiser',
  investors: 'accelerator incubator angel family_office',
  events: 'conference meetup hackathon summit workshop webinar expo party festival buildathon happy_hour demo_day',
};

/** Pronouns and the like, which are not part of names. */
export const pronouns: readonly string[] = 'people women guys somebody someone anybody anyone folks persons'.split(' ');

export const kindNouns: ReadonlyMap<string, KindWord> = new Map(
  [
    ...kindNames.flatMap((kind) => [...nounsFor(kind, plainNouns, false), ...nounsFor(kind, tellingNouns, true)]),
    ...pronouns.map((noun) => plural(noun, noun, 'people', false)),
    plural('happenings', 'event', 'events', false),
    plural('corporations', 'company', 'companies', false),
    plural('institutions', 'company', 'companies', false),
    plural('side events', 'event', 'events', false),
    plural('meet ups', 'meetup', 'events', true),
    plural('venture capital', 'venture capital', 'investors', true),
  ].map(({ written, ...word }) => [written, word]),
);

function plural(written: string, noun: string, kind: KindName, isTelling: boolean) {
  return { written, noun, kind, isTelling, isPlural: true };
}

function nounsFor(kind: KindName, nouns: typeof plainNouns, isTelling: boolean) {
  return nouns[kind].split(' ').flatMap((joined) => {
    const noun = joined.replace('_', ' ');
    const one = { ...plural(noun, noun, kind, isTelling), isPlural: false };
    // "Partys" is misspelt.
    const many = noun.endsWith('y') ? [pluralOf(noun), `${noun}s`] : [pluralOf(noun)];
    return [one, ...many.map((written) => plural(written, noun, kind, isTelling))];
  });
}

function pluralOf(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return noun.endsWith('s') ? `${noun}es` : `${noun}s`;
}

export function isKindNoun(key: string): boolean {
  return kindNouns.has(key);
}

/** Returns the words that name no kind. "Hackathons" and "happy hours" do. */
export function beyondKinds(words: readonly string[]): readonly string[] {
  const isPair = (one: string | undefined, other: string | undefined) => kindNouns.has(`${one} ${other}`);
  return words.filter(
    (word, at) => !(kindNouns.has(word) || isPair(word, words[at + 1]) || isPair(words[at - 1], word)),
  );
}
