import type { KindName } from '../../../kinds/kind.ts';
import { kindWordAt } from '../kind-words.ts';
import { nameEnd, namesAt, series } from '../names.ts';
import type { Relation, RelationRole } from '../question.ts';
import { phrase, type Sentence } from '../sentence.ts';
import { fold } from '../words.ts';

/** A relation that was read, and the kind of the wanted entities. */
export interface ReadRelation {
  /** All of them hold. None if a topic replaces the name: "who invests in defi". */
  readonly relations: readonly Relation[];
  readonly kind: KindName;
}

/** The words of a relation, and their name. */
export interface Span {
  readonly from: number;
  readonly nameFrom: number;
  /** The end of the name; by default, from `namesAt`. */
  readonly nameUntil?: number;
  /** The end of the relation's words; by default, that of the names. */
  readonly end?: number;
  readonly role: RelationRole;
  readonly kind: KindName;
  /** True if "and" joins alternatives: "founders of aave and compound". */
  readonly isNoun?: boolean;
}

/** Takes the words of a relation out of the sentence and returns it; null if they contain no name. */
export function relate(sentence: Sentence, span: Span): ReadRelation | null {
  const { from, nameFrom, role, kind, isNoun = false } = span;
  const { names, end, isBoth, isEither } = namesAt(sentence, nameFrom, span.nameUntil);
  const [of, ...others] = names;
  // "What did portugal host" names no organizer.
  if (
    of === undefined ||
    (role === 'organizer' && sentence.gazetteer.find(fold(of).replace(/ (countries|nations|cities)$/, '')) !== null)
  )
    return null;
  // No relation in the data has an end.
  sentence.takeAll(ended, 'ignored');
  sentence.take(from, Math.max(span.end ?? 0, end), 'relation');
  if (isEither || (isNoun && !isBoth)) return { relations: [{ role, of, or: others }], kind };
  return { relations: names.map((name) => ({ role, of: name, or: [] })), kind };
}

export const ended = phrase('former|formerly|previous|previously|ex|left|quit|alumni|used to( be)?');

/** Reads "who organizes ethprague" as a search for the event, which lists its organizers. */
export function askForEvent(sentence: Sentence, from: number, until: number): ReadRelation | null {
  if (!sentence.isFree(until)) return null;
  sentence.take(from, until, 'kind');
  return { relations: [], kind: 'events' };
}

/** Returns true if words from one up to before another are topics, and no name. */
export function isPlainTopic(sentence: Sentence, from: number, until: number): boolean {
  const keys = sentence.words.slice(from, until).map(({ key }) => key);
  const last = keys.at(-1) ?? '';
  // "ERC-4337" is a proposal, though the vocabulary knows what it is about.
  if (keys.some((key) => /\d{2}/.test(key) || series.test(key))) return false;
  return /^(ecosystem|sector|space|industry|focused)$/.test(last) || isOfTopics(sentence, keys);
}

/** Returns true if words are topics, one after another: "smart contract security". */
function isOfTopics(sentence: Sentence, keys: readonly string[]): boolean {
  const isTopic = (at: number) => sentence.isTopic(keys.slice(0, at)) && isOfTopics(sentence, keys.slice(at));
  return keys.length === 0 || keys.some((_, at) => isTopic(at + 1));
}

const generic =
  /^(universit(y|ie)|school|college|bank|government|standard|proposal|paper|book|article|token|contract|wallet|coin|blockchain|crypto|web3|defi|nft)s?$/;

export function isGeneric(sentence: Sentence, from: number): boolean {
  const start = sentence.afterThe(from);
  if (sentence.is(start, /^(a|an|any|some|this|these|our|my)$/)) return true;
  const end = nameEnd(sentence, start);
  return end > start && sentence.words.slice(start, end).every(({ key }) => generic.test(key));
}

/** Returns true if a topic or a noun for a kind follows in place of a name: "investors in defi startups". */
export function isAboutTopic(sentence: Sentence, from: number): boolean {
  const start = sentence.afterThe(from);
  const end = nameEnd(sentence, start);
  const hasNoun = sentence.words.some((_, at) => at >= start && at < end && kindWordAt(sentence, at)?.isPlural);
  // "Speakers at devcon" names an event even if it is a tag, too.
  const mayBeTopic = !sentence.is(from - 1, /^(of|at|behind|by)$/);
  return isGeneric(sentence, from) || hasNoun || (mayBeTopic && isPlainTopic(sentence, start, end));
}
