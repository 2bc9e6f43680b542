import type { KindName } from '../../../kinds/kind.ts';
import { kindWordAt } from '../kind-words.ts';
import type { Knowledge } from '../knowledge.ts';
import { nameEnd } from '../neighbours.ts';
import type { Question, RelationRole } from '../question.ts';
import { nameOf, type Sentence } from '../sentence.ts';
import { fillers } from '../words.ts';

/** A relation that was read, and the kind of what is searched for. */
export interface ReadRelation {
  /** Null if a topic replaces the name: "who invests in defi". */
  readonly relation: Question['relation'];
  readonly kind: KindName;
}

/** The words of a relation, and the name in them. */
export interface Span {
  readonly from: number;
  readonly nameFrom: number;
  /** By default, the end that `nameEnd` finds. */
  readonly nameUntil?: number;
  /** By default, the end of the name. */
  readonly end?: number;
  readonly role: RelationRole;
  readonly kind: KindName;
}

/** Takes the words of a relation out of the sentence and returns it; null if they contain no name. */
export function relate(sentence: Sentence, span: Span): ReadRelation | null {
  const { from, nameFrom, nameUntil = nameEnd(sentence, nameFrom), end = nameUntil, role, kind } = span;
  const words = sentence.words.slice(nameFrom, nameUntil);
  if (words.length === 0 || words.every(({ key }) => key === '' || fillers.has(key))) return null;
  sentence.take(from, end, 'relation');
  return { relation: { role, of: nameOf(sentence, nameFrom, nameUntil) }, kind };
}

/** Reads "who organizes ethprague" as a search for the event, which lists its organizers. */
export function askForEvent(sentence: Sentence, from: number, until: number): ReadRelation | null {
  if (!sentence.isFree(until)) return null;
  sentence.take(from, until, 'kind');
  return { relation: null, kind: 'events' };
}

/** Returns true if words mean a topic, not a name. */
export function isPlainTopic(words: readonly { readonly key: string }[], knowledge: Knowledge): boolean {
  const keys = words.map(({ key }) => key);
  return /^(ecosystem|sector|space|industry|focused)$/.test(keys.at(-1) ?? '') || isOfTopics(keys, knowledge);
}

/** Returns true if words are topics, one after another: "smart contract security". */
function isOfTopics(keys: readonly string[], knowledge: Knowledge): boolean {
  if (keys.length === 0) return true;
  return keys.some((_, at) => knowledge.isTopic(keys.slice(0, at + 1)) && isOfTopics(keys.slice(at + 1), knowledge));
}

/** Words that are no name. */
const generic = /^(standard|proposal|paper|book|article|token|contract|wallet|coin|blockchain|crypto|web3|defi|nft)s?$/;

/** Returns true if no name starts at a word. */
export function isGeneric(sentence: Sentence, from: number): boolean {
  const start = sentence.key(from) === 'the' ? from + 1 : from;
  const words = sentence.words.slice(start, nameEnd(sentence, start));
  if (/^(a|an|any|some|this|these|our|my)$/.test(sentence.key(start))) return true;
  return words.length > 0 && words.every(({ key }) => generic.test(key));
}

/** Returns true if a topic or a noun for a kind follows in place of a name: "investors in defi startups". */
export function isAboutTopic(sentence: Sentence, from: number, knowledge: Knowledge): boolean {
  const start = sentence.key(from) === 'the' ? from + 1 : from;
  const words = sentence.words.slice(start, nameEnd(sentence, start));
  const hasNoun = words.some((_, index) => kindWordAt(sentence, start + index)?.isPlural === true);
  // "Speakers at devcon" names an event even where it is a tag, too.
  const mayBeTopic = !/^(of|at|behind|by)$/.test(sentence.key(from - 1));
  if (isGeneric(sentence, from)) return true;
  return /^(a|an|any|some)$/.test(sentence.key(start)) || hasNoun || (mayBeTopic && isPlainTopic(words, knowledge));
}
