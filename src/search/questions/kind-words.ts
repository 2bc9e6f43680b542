import { type KindName, kindNames } from '../../kinds/kind.ts';
import type { Knowledge } from './knowledge.ts';
import type { Sentence } from './sentence.ts';
import { fillers, linkWords } from './words.ts';

/** What a noun says about the kind of what is searched for. */
interface KindWord {
  readonly kind: KindName;
  readonly isPlural: boolean;
  /** It says more than the kind, so that it is searched for as well: "hackathon", "auditor". */
  readonly isTelling: boolean;
}

/** Nouns in the singular that say nothing but the kind. */
const plainNouns: Readonly<Record<KindName, string>> = {
  companies: 'company startup firm business project',
  people: 'person individual founder cofounder creator speaker author employee',
  investors: 'investor fund vc backer funder financier',
  events: 'event',
};

/** Nouns that say more than that. */
const tellingNouns: Readonly<Record<KindName, string>> = {
  companies: 'protocol dapp platform vendor provider agency studio',
  people:
    'developer dev engineer researcher auditor expert specialist cryptographer lawyer designer scientist economist ceo cto coo contributor maintainer programmer mathematician academic professor organizer organiser',
  investors: 'accelerator incubator angel',
  events: 'conference meetup hackathon summit workshop webinar expo party festival gathering buildathon',
};

/** Pronouns and such: never a part of a name, so always meant. */
const pronouns = 'people somebody someone anybody anyone folks persons'.split(' ');

const kindWords: ReadonlyMap<string, KindWord> = new Map([
  ...kindNames.flatMap((kind) =>
    ([plainNouns, tellingNouns] as const).flatMap((nouns) =>
      nouns[kind].split(' ').flatMap((noun): (readonly [string, KindWord])[] => [
        [noun, { kind, isPlural: false, isTelling: nouns === tellingNouns }],
        [pluralOf(noun), { kind, isPlural: true, isTelling: nouns === tellingNouns }],
      ]),
    ),
  ),
  ...pronouns.map((word): readonly [string, KindWord] => [word, { kind: 'people', isPlural: true, isTelling: false }]),
]);

function pluralOf(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return noun.endsWith('s') ? `${noun}es` : `${noun}s`;
}

/** What the word at a place says about kinds, if it is free and such a word. */
export function kindWordAt(sentence: Sentence, at: number): KindWord | null {
  return kindWords.get(sentence.key(at)) ?? null;
}

/**
 * Whether what a noun says ends behind it: "startups in berlin", "crypto funds". In "Investors Exchange" it goes on, and
 * the noun is part of a name.
 */
export function isHead(sentence: Sentence, at: number, { gazetteer }: Knowledge): boolean {
  const next = sentence.key(at + 1);
  if (next === '' || sentence.words[at]?.endsPhrase === true || linkWords.has(next)) return true;
  if (/^((19|20)\d\d|of|alternatives?|competitors?|upcoming|online)$/.test(next)) return true;
  return gazetteer.find(next) !== null;
}

/** Whether words from one up to before another are written like a name: "Crypto Startups". */
export function isTitle({ words }: Sentence, from: number, until: number): boolean {
  return until - from > 1 && words.slice(from, until).every(({ name }) => /^[\p{Lu}\p{N}]/u.test(name));
}

/** Nouns that ask for kinds, whether or not the sentence goes on to show it: for times, which mean different things. */
export function nounsOf(sentence: Sentence, knowledge: Knowledge): number[] {
  return [...sentence.words.keys()].filter((at) => {
    const word = kindWordAt(sentence, at);
    if (word === null || !isHead(sentence, at, knowledge)) return false;
    return word.isPlural ? !isName(sentence, at) : isAskedFor(sentence, at, knowledge);
  });
}

/** A plural at the end of what is written like a name. */
function isName(sentence: Sentence, at: number): boolean {
  return sentence.words.length > 1 && at === sentence.words.length - 1 && isTitle(sentence, 0, at + 1);
}

/**
 * A noun in the singular is asked for where an article, a word that asks, "online" or nothing but a topic stands before
 * it, or where a relative clause follows. By itself it is rather part of a name: "Founders Fund", "Paris Blockchain
 * Summit".
 */
function isAskedFor(sentence: Sentence, at: number, knowledge: Knowledge): boolean {
  if (/^(a|an|any|which|what|online|virtual|upcoming)$/.test(sentence.key(at - 1))) return true;
  if (/^(who|that|which|whose|where|about)$/.test(sentence.key(at + 1))) return true;
  if (at === 0) return sentence.words.length === 1 || /^(in|near|for|19\d\d|20\d\d)$/.test(sentence.key(1));
  const before = sentence.words.slice(0, at).map(({ key }) => key);
  while (fillers.has(before[0] ?? '')) before.shift();
  return before.length > 0 && !isTitle(sentence, 0, at + 1) && knowledge.isTopic(before);
}

/**
 * The kinds that the nouns of a sentence ask for, taken out of it as far as they say nothing else. A singular that a
 * place or time has made a question of counts as well: "hackathon in asia".
 */
export function readKinds(sentence: Sentence, knowledge: Knowledge): KindName[] {
  const kinds = new Set<KindName>();
  const nouns = new Set(nounsOf(sentence, knowledge));
  for (const at of sentence.words.keys()) {
    const word = kindWordAt(sentence, at);
    if (word === null || !isHead(sentence, at, knowledge)) continue;
    if (!nouns.has(at) && !(sentence.isRead() && !isTitle(sentence, Math.max(0, at - 1), at + 1))) continue;
    kinds.add(word.kind);
    if (!word.isTelling) sentence.take(at, at + 1, 'kind');
    else sentence.note(at, 'kind');
  }
  if (kinds.size === 0 && sentence.key(0) === 'who' && sentence.words.length > 2) {
    kinds.add('people');
    sentence.take(0, 1, 'kind');
  }
  return [...kinds];
}
