import { type KindName, kindNames } from '../../kinds/kind.ts';
import type { Knowledge } from './knowledge.ts';
import type { Question } from './question.ts';
import { keysFrom, phrase, phraseEnd, type Sentence } from './sentence.ts';
import { monthNumbers, seasonMonths } from './times/calendar.ts';
import { fillers, linkWords } from './words.ts';

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
  events: 'event',
};

/** Nouns that mean more than that. */
const tellingNouns: Readonly<Record<KindName, string>> = {
  companies: 'protocol dapp platform exchange vendor provider agency studio',
  people:
    'developer dev engineer researcher auditor expert specialist cryptographer lawyer designer scientist economist ceo cto coo contributor maintainer programmer mathematician academic professor manager journalist reporter marketer analyst student organizer organiser',
  investors: 'accelerator incubator angel family_office',
  events:
    'conference meetup hackathon summit workshop webinar expo party festival gathering buildathon happy_hour demo_day',
};

/** Types of events that a noun includes. */
const typesOf: Readonly<Record<string, readonly string[]>> = { conference: ['conference', 'summit', 'expo'] };

/** Pronouns and the like, which are not part of names. */
const pronouns: readonly string[] = 'people women somebody someone anybody anyone folks persons'.split(' ');

const kindWords: ReadonlyMap<string, KindWord> = new Map([
  ...kindNames.flatMap((kind) =>
    ([plainNouns, tellingNouns] as const).flatMap((nouns) =>
      nouns[kind].split(' ').flatMap((written): (readonly [string, KindWord])[] => {
        const word = { noun: written.replace('_', ' '), kind, isTelling: nouns === tellingNouns };
        return [
          [word.noun, { ...word, isPlural: false }],
          [pluralOf(word.noun), { ...word, isPlural: true }],
          // Misspelt: "partys".
          ...(written.endsWith('y') ? [[`${word.noun}s`, { ...word, isPlural: true }] as const] : []),
        ];
      }),
    ),
  ),
  ...pronouns.map((word): readonly [string, KindWord] => [
    word,
    { noun: word, kind: 'people', isPlural: true, isTelling: false },
  ]),
  ['editions', { noun: 'edition', kind: 'events', isPlural: true, isTelling: false }],
  ['meet ups', { noun: 'meetup', kind: 'events', isPlural: true, isTelling: true }],
  ['venture capital', { noun: 'venture capital', kind: 'investors', isPlural: true, isTelling: true }],
]);

function pluralOf(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return noun.endsWith('s') ? `${noun}es` : `${noun}s`;
}

export function isKindWord(key: string): boolean {
  return kindWords.has(key);
}

/** Returns the noun of two words that ends at a position. */
function compoundAt(sentence: Sentence, at: number): KindWord | null {
  return kindWords.get(`${sentence.key(at - 1)} ${sentence.key(at)}`) ?? null;
}

/** Returns the kinds that the word at a position asks for, if it is free. */
export function kindWordAt(sentence: Sentence, at: number): KindWord | null {
  const word = compoundAt(sentence, at) ?? kindWords.get(sentence.key(at)) ?? null;
  // "Venture firms".
  const invests = word?.kind === 'companies' && /^(venture|vc|investment|capital|equity)$/.test(sentence.key(at - 1));
  return invests ? { ...word, kind: 'investors' } : word;
}

/**
 * Returns true if a noun phrase ends after its noun: "startups in berlin", "crypto funds". In "Investors Exchange" it
 * continues, and the noun is part of a name.
 */
export function isHead(sentence: Sentence, at: number, { gazetteer, isTopicOrChain }: Knowledge): boolean {
  // "Ethcc editions", but "music nft editions" and "digital editions".
  if (
    sentence.key(at) === 'editions' &&
    (isTopicOrChain([sentence.key(at - 1)]) || /(al|or|ed)$/.test(sentence.key(at - 1)))
  )
    return false;
  // "With more than 100 employees".
  if (/^\d/.test(sentence.key(at - 1)) && kindWordAt(sentence, at)?.kind === 'people') return false;
  if (pronouns.includes(sentence.key(at))) return isSubject(sentence, at);
  if (isPurpose(sentence, at)) return false;
  const next = sentence.key(at + 1);
  // "Startups and investors", but "pay employees and merchants".
  if (/^(and|or)$/.test(next))
    return kindWords.has(sentence.key(at + 2)) || /^(no|not|without)$/.test(sentence.key(at + 2));
  if (next === '' || sentence.words[at]?.endsPhrase === true || linkWords.has(next)) return true;
  if (/^((19|20)\d\d|q[1-4]|of|alternatives?|competitors?|upcoming|online|to(day|night|morrow))$/.test(next))
    return true;
  if (/^(older|newer|younger|less|more|over|under)$/.test(next)) return true;
  if (monthNumbers.has(next) || seasonMonths.has(next)) return true;
  // "Events happening", "investors interested".
  if (/(ing|[^e]ed)$|^(takes?|took|held|made|set|ran|built|live|available|will|backs?|invests?)$/.test(next))
    return true;
  return (gazetteer.find(next) ?? gazetteer.find(`${next} ${sentence.key(at + 2)}`)) !== null;
}

/**
 * In "tools for developers" and "a wallet for crypto startups", the users are not wanted. In "looking for startups",
 * they are.
 */
function isPurpose(sentence: Sentence, at: number): boolean {
  const link = [at - 1, at - 2].find((place) => sentence.key(place) === 'for');
  return (
    link !== undefined &&
    link > 0 &&
    !/^(look|looking|search|searching|hunt|hunting|ask|asking)$/.test(sentence.key(link - 1))
  );
}

/**
 * "Somebody thinking about voting", "compiler people"; in "money for somebody with an idea" the person is not searched
 * for.
 */
function isSubject(sentence: Sentence, at: number): boolean {
  const before = sentence.words.slice(0, at);
  const next = sentence.key(at + 1);
  if (next === 'at' || sentence.words[at + 1]?.key === 'who' || at === sentence.words.length - 1) return true;
  // "People DAO" is a name.
  return before.every(({ key }) => fillers.has(key)) && (next === '' || linkWords.has(next) || /ing$/.test(next));
}

/** Returns true if words from one up to before another are written like a name: "Crypto Startups". */
export function isTitle({ words }: Sentence, from: number, until: number): boolean {
  // "RIVALS OF LIQUITY" is shouted.
  if (words.length > 2 && words.every(({ name }) => name === name.toUpperCase())) return false;
  return until - from > 1 && words.slice(from, until).every(({ name }) => /^[\p{Lu}\p{N}]/u.test(name));
}

/** Returns the kinds of all nouns, even without further evidence. Times have different meanings by kind. */
export function nounsOf(sentence: Sentence, knowledge: Knowledge): number[] {
  return [...sentence.words.keys()].filter((at) => {
    const word = kindWordAt(sentence, at);
    if (word === null || !isHead(sentence, at, knowledge)) return false;
    return word.isPlural || isAskedFor(sentence, at, knowledge);
  });
}

/**
 * A singular noun asks for its kind after an article, a question word, "online" or a topic, and at the beginning of
 * "hackathon paris" or "conference 2024". A noun for people also does at the end of a text. Otherwise it is more often
 * part of a name: "Founders Fund", "Paris Blockchain Summit".
 */
function isAskedFor(sentence: Sentence, at: number, knowledge: Knowledge): boolean {
  if (/^(a|an|any|every|each|which|what|online|virtual|newest|youngest|oldest|earliest)$/.test(sentence.key(at - 1)))
    return true;
  if (editionCue.test(sentence.key(at - 1))) return true;
  // No name ends with "researcher".
  if (kindWordAt(sentence, at)?.kind === 'people' && at === sentence.words.length - 1)
    return !isTitle(sentence, 0, at + 1);
  const next = sentence.key(1);
  if (at === 0)
    return next === '' || /^(in|near|for|19\d\d|20\d\d)$/.test(next) || knowledge.gazetteer.find(next) !== null;
  const before = sentence.words.slice(0, at).map(({ key }) => key);
  // "The last ethglobal hackathon".
  const isEdition = editionCue.test(before.find((key) => !fillers.has(key)) ?? '');
  return !isTitle(sentence, 0, at + 1) && (knowledge.isTopicOrChain(before) || isEdition);
}

/** Words for one of a series of events. */
export const editionCue = /^(last|latest|next|previous|upcoming|recent)$/;

/**
 * Reads the kinds that the nouns of a sentence ask for. Takes nouns out of the sentence if they only name the kind. A
 * singular that a place or time has made a question of counts as well: "hackathon in asia".
 * @param isWhoPerson true if "who" asks for a person; a competitor of a company is none
 */
export function readKinds(
  sentence: Sentence,
  knowledge: Knowledge,
  isWhoPerson: boolean,
): Pick<Question, 'kinds' | 'nouns'> {
  const found: KindWord[] = [];
  const nouns = new Set(nounsOf(sentence, knowledge));
  for (const at of sentence.words.keys()) {
    const word = kindWordAt(sentence, at);
    if (word === null || !isHead(sentence, at, knowledge)) continue;
    if (!nouns.has(at) && !(sentence.isRead() && !isTitle(sentence, Math.max(0, at - 1), at + 1))) continue;
    if (!isSecondary(sentence, at, word.kind, found)) {
      found.push(word);
      // "Listed companies" are a topic.
      const isTopic = word.kind === 'companies' && knowledge.isTopic([sentence.key(at - 1), word.noun]);
      takeNoun(sentence, at, { ...word, isTelling: word.isTelling || isTopic });
    } else if (!word.isTelling) {
      sentence.take(at, at + 1, 'filler');
    }
  }
  if (found.length === 0) return { kinds: kindAskedByWord(sentence, knowledge, isWhoPerson), nouns: [] };
  const types = found.every(isType) ? found : [];
  return {
    kinds: [...new Set(found.map(({ kind }) => kind))],
    nouns: types.flatMap(({ noun }) => typesOf[noun] ?? noun),
  };
}

function takeNoun(sentence: Sentence, at: number, { isTelling }: KindWord): void {
  if (isTelling) {
    sentence.note(at, at + 1, 'kind');
  } else {
    sentence.take(compoundAt(sentence, at) === null ? at : at - 1, at + 1, 'kind');
    if (/^(who|that|which)$/.test(sentence.key(at + 1))) sentence.take(at + 1, at + 2, 'filler');
  }
}

const objectLink = /^(at|in|of|from|to|backs?|backing)$/;

/** Returns true for the second noun of "engineers at defi startups": people are wanted. */
function isSecondary({ words }: Sentence, at: number, kind: KindName, found: readonly KindWord[]): boolean {
  const before = words.slice(0, at);
  const link = before.findLastIndex(
    ({ key, endsPhrase }) => endsPhrase || objectLink.test(key) || /^(and|or|who|that)$/.test(key),
  );
  const isOther = found.length > 0 && found.every((other) => other.kind !== kind);
  return isOther && before[link]?.endsPhrase === false && objectLink.test(before[link].key);
}

/** Returns true for a noun that not every entity of its kind deserves. Those for companies mean little more. */
function isType({ noun, kind, isTelling }: KindWord): boolean {
  if (/^(speaker|author|creator)$/.test(noun)) return true;
  return isTelling && kind !== 'companies' && !noun.startsWith('venture');
}

const wasHeld = /^wh(ere|en) (was|were|will)( .*)? held( |$)/;
/** "Anything crypto happening", "everything that began": together with a place or time. */
const happens = phrase(
  '(any|some|every)thing( (crypto|web3|blockchain))?( (that|which))?( (is|was|will be))? (go(es|ing) on|happen(s|ed|ing)|began|begins|kick(s|ed|ing) off|(takes|took|taking) place)|happenings',
);
const whatHappens = phrase('whats?( (is|are|was|were|will( be)?))? (happen(s|ed|ing)?|(go(es|ing) )?on)');

/** Questions for a kind without a noun for it: "what happened", "who", "wallets outside the US". */
function kindAskedByWord(sentence: Sentence, { isPluralTopic }: Knowledge, isWhoPerson: boolean): KindName[] {
  const keys = keysFrom(sentence, 0);
  const end = phraseEnd(keys, 0, whatHappens) ?? (wasHeld.test(keys) ? 2 : 0);
  // "What's on in berlin", but not "what is on ramp".
  if (end > 0 && !(sentence.key(end - 1) === 'on' && sentence.isFree(end))) {
    sentence.take(0, end, 'kind');
    return ['events'];
  }
  for (const at of sentence.isRead() ? sentence.words.keys() : []) {
    const until = phraseEnd(keysFrom(sentence, at), at, happens);
    if (until === null) continue;
    sentence.take(at, until, 'kind');
    return ['events'];
  }
  // "Wallets outside the US", "newest wallets".
  const isAsked = [...sentence.words.keys()].some(
    (at) =>
      isPluralTopic(sentence.key(at)) &&
      !sentence.isFree(at + 1) &&
      (sentence.isRead() || /^(newest|oldest)$/.test(sentence.key(at - 1))),
  );
  if (isWhoPerson && isAsked) return ['companies'];
  if (!isWhoPerson || sentence.key(0) !== 'who' || sentence.words.length <= 2) return [];
  sentence.take(0, 1, 'kind');
  return ['people'];
}

/** Returns the words that name no kind. "Hackathons" and "happy hours" do. */
export function beyondKinds(words: readonly string[]): readonly string[] {
  const isPair = (one: string | undefined, other: string | undefined) => kindWords.has(`${one} ${other}`);
  return words.filter(
    (word, at) => !(kindWords.has(word) || isPair(word, words[at + 1]) || isPair(words[at - 1], word)),
  );
}
