import type { KindName } from '../../kinds/kind.ts';

/**
 * The relation of an entity to another one. The kinds that a question asks for decide which end is named: with people
 * or investors, `of` names the company or event ("founder of ethereum", "speakers at devcon"); with companies or events
 * it names the person or investor ("companies founded by vitalik", "events by consensys"). A `portfolio` is always that
 * of the investor whom `of` names.
 */
export type RelationRole = keyof typeof holders;

export interface Relation {
  readonly role: RelationRole;
  /** The other entity as it was written; '' for any, as in "founded a company". */
  readonly of: string;
  /** Others that will do as well: "founders of aave or compound". */
  readonly or: readonly string[];
}

/** The kind that has a role, and answers unless the question asks for another one. */
export const holders = {
  founder: 'people',
  investor: 'investors',
  portfolio: 'companies',
  speaker: 'people',
  member: 'people',
  author: 'people',
  organizer: 'events',
  ceo: 'people',
} as const satisfies Readonly<Record<string, KindName>>;
export const relationRoles = Object.keys(holders) as readonly RelationRole[];

/** A place: all of its countries and cities are alternatives, spelled as the data spells them. */
export interface Place {
  readonly text: string;
  readonly countries: readonly string[];
  readonly cities: readonly string[];
}

/** Blockchains that will do, spelled as the data spells them. */
export interface Chains {
  readonly text: string;
  readonly names: readonly string[];
}

/** A half-open range of calendar dates, YYYY-MM-DD; null if it is open. */
export interface TimeRange {
  /** The event of that time: an event started, or a company was founded. */
  readonly about: 'starts' | 'founded';
  readonly from: string | null;
  readonly until: string | null;
  /** True if the days of other years are meant as well: "in september" without a year. */
  readonly yearly: boolean;
  readonly text: string;
}

/** Related entities that are described by places instead of named: "german vcs". */
export interface RelatedClass {
  readonly kind: 'companies' | 'investors';
  /** The text to search for: "german investors". */
  readonly text: string;
  /** The text with the words that relate them, as in `Question.parts`. */
  readonly part: string;
}

/** The amounts that questions may compare, with the kind that has them. Funding is in US dollars. */
export const amountKinds = {
  employees: 'companies',
  funding: 'companies',
  investors: 'companies',
  proposals: 'people',
  portfolio: 'investors',
  capacity: 'events',
} as const satisfies Record<string, KindName>;

/** A half-open range of an amount; null if it is open. */
export interface AmountRange {
  readonly about: keyof typeof amountKinds;
  /** The series of counted proposals, such as "eip"; null if all count. */
  readonly of: string | null;
  readonly from: number | null;
  readonly until: number | null;
  readonly text: string;
}

/** A condition that no result may meet: "not in berlin", "not backed by paradigm"; of several, no result meets any. */
export interface Exclusion extends Pick<Question, 'places' | 'time' | 'online' | 'chains' | 'amounts' | 'relation'> {
  readonly text: string;
  /** True if entities whose place, time or chains are unknown are results, too. */
  readonly orUnknown: boolean;
}

export const nothingExcluded: Omit<Exclusion, 'text'> = {
  places: [],
  time: null,
  online: null,
  chains: [],
  amounts: [],
  relation: null,
  orUnknown: false,
};

export const partNames = [
  'kind',
  'relation',
  'like',
  'without',
  'place',
  'time',
  'online',
  'chain',
  'order',
  'amount',
  // A condition that the data can't answer.
  'ignored',
  // The remaining words, in responses only.
  'words',
] as const;

export type PartName = (typeof partNames)[number];

/** A part of a question, and its meaning. */
export interface ReadPart {
  readonly as: PartName;
  /** Its words as they were written, in their order. */
  readonly text: string;
}

/** The understood part of a text. */
export interface Question {
  /** The rest, which is searched for as words; '' if nothing is left. Equals the text if nothing was understood. */
  readonly rest: string;
  /** The words of the rest that name topics, if the question is long; the rest itself if it is short. */
  readonly topics: string;
  /** Kinds that it asks for ("startups", "who", "hackathon", "fund"); empty if none. */
  readonly kinds: readonly KindName[];
  /** Nouns that not every entity of a kind deserves ("hackathon", "engineer"); one of them is enough. */
  readonly nouns: readonly string[];
  readonly relation: Relation | null;
  /** Relations that hold in addition to the first: "backed both chainlink and aave". */
  readonly also: readonly Relation[];
  readonly relatedClass: RelatedClass | null;
  /** "Former engineers of status": those whose relation is over come first. */
  readonly tense: 'past' | null;
  /** "Companies like uniswap", "alternatives to ledger", "dex other than opensea": the name as written. */
  readonly like: string | null;
  /** "Co-investors of paradigm", "startups with the same backers as aave"; null if any likeness is enough. */
  readonly sharing: 'investments' | null;
  /** Names that must not be answers: "other than X", "except X". */
  readonly without: readonly string[];
  /** Topics that must not be the answers', as written and in the vocabulary's tokens: "not custodial". */
  readonly withoutTopics: readonly { readonly text: string; readonly tokens: string }[];
  readonly excluded: readonly Exclusion[];
  readonly amounts: readonly AmountRange[];
  /** All of them must hold: "in lisbon", "in europe". */
  readonly places: readonly Place[];
  /** Places that the data doesn't have. Only texts can prove them, so they don't filter. */
  readonly unknownPlaces: readonly Place[];
  readonly time: TimeRange | null;
  readonly online: boolean | null;
  /** All of them must hold: "on both base and celo". */
  readonly chains: readonly Chains[];
  readonly order: 'newest' | 'oldest' | 'soonest' | null;
  /** The positions of all parts in the text, from the left; empty if nothing was understood. */
  readonly parts: readonly ReadPart[];
}
