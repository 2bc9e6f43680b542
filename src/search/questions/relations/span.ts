import type { KindName } from '../../../kinds/kind.ts';
import { kindWordAt } from '../kind-words.ts';
import type { Knowledge } from '../knowledge.ts';
import { afterArticle, nameEnd, namesAt, series } from '../names.ts';
import type { Relation, RelationRole } from '../question.ts';
import { keysFrom, phrase, phraseEnd, type Sentence } from '../sentence.ts';

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
  const { names: written, end, isBoth, isEither } = namesAt(sentence, afterAny(sentence, nameFrom), span.nameUntil);
  // "Backed by multicoin and paradigm together".
  const names = written.length > 1 ? written.map((name) => name.replace(ofAll, '')) : written;
  const [of, ...others] = names;
  if (of === undefined) return null;
  // No relation in the data has an end.
  for (const at of sentence.words.keys()) {
    const until = phraseEnd(keysFrom(sentence, at), at, ended);
    if (until !== null) sentence.take(at, until, 'ignored');
  }
  const last = Math.max(span.end ?? 0, end);
  sentence.take(from, phraseEnd(keysFrom(sentence, last), last, inPortfolio) ?? last, 'relation');
  if (isEither || (isNoun && !isBoth && !ofAll.test(written.at(-1) ?? '')))
    return { relations: [{ role, of, or: others }], kind };
  return { relations: names.map((name) => ({ role, of: name, or: [] })), kind };
}

const ofAll = / \(?(together|jointly|both)$/i;
const ended = phrase('former|formerly|previous|previously|ex|left|quit|alumni|used to( be)?');
const inPortfolio = phrase('in ((the|their|its) )?portfolios?');

/** Reads "who organizes ethprague" as a search for the event, which lists its organizers. */
export function askForEvent(sentence: Sentence, from: number, until: number): ReadRelation | null {
  if (!sentence.isFree(until)) return null;
  sentence.take(from, until, 'kind');
  return { relations: [], kind: 'events' };
}

export function isPlainTopic(words: readonly { readonly key: string }[], knowledge: Knowledge): boolean {
  const keys = words.map(({ key }) => key);
  // "ERC-4337" is a proposal, though the vocabulary knows what it is about.
  if (keys.some((key) => /\d{2}/.test(key) || series.test(key))) return false;
  if (/^(ventures|capital)$/.test(keys.at(-1) ?? '')) return false;
  return /^(ecosystem|sector|space|industry|focused)$/.test(keys.at(-1) ?? '') || isOfTopics(keys, knowledge);
}

/** Returns true if words are topics, one after another: "smart contract security". */
function isOfTopics(keys: readonly string[], knowledge: Knowledge): boolean {
  if (keys.length === 0) return true;
  return keys.some((_, at) => knowledge.isTopic(keys.slice(0, at + 1)) && isOfTopics(keys.slice(at + 1), knowledge));
}

const notNames = /^(of|proposal|standard)s?$/;

const generic =
  /^(universit(y|ie)|school|college|bank|government|standard|proposal|paper|book|article|token|contract|wallet|coin|blockchain|crypto|web3|defi|nft)s?$/;

/** Skips "any" before a name: "spoke at any devcon", but not "at any conference" or "any of them". */
function afterAny(sentence: Sentence, at: number): number {
  const name = sentence.words.slice(at + 1, nameEnd(sentence, at + 1));
  const isNoun = name.some(({ key }, place) => kindWordAt(sentence, at + 1 + place) !== null || notNames.test(key));
  const isSpoken = sentence.key(at - 1) === 'at' && /^(sp[eo]|talk|present|appear)/.test(sentence.key(at - 2));
  const isAny = sentence.key(at) === 'any' || (sentence.key(at) === 'a' && isSpoken);
  return isAny && name.length > 0 && !isNoun ? at + 1 : at;
}

/** Returns the words of a name that starts at a word, without an article. */
function nameWords(sentence: Sentence, from: number) {
  const start = sentence.key(from) === 'the' ? from + 1 : afterAny(sentence, afterArticle(sentence, from));
  return { start, words: sentence.words.slice(start, nameEnd(sentence, start)) };
}

export function isGeneric(sentence: Sentence, from: number): boolean {
  const { start, words } = nameWords(sentence, from);
  if (/^(a|an|any|some|this|these|our|my)$/.test(sentence.key(start))) return true;
  return words.length > 0 && words.every(({ key }) => generic.test(key));
}

/** Returns true if a topic or a noun for a kind follows in place of a name: "investors in defi startups". */
export function isAboutTopic(sentence: Sentence, from: number, knowledge: Knowledge): boolean {
  const { start, words } = nameWords(sentence, from);
  const hasNoun = words.some((_, index) => kindWordAt(sentence, start + index)?.isPlural === true);
  // "Speakers at devcon" names an event even if it is a tag, too.
  const mayBeTopic = !/^(of|at|behind|by)$/.test(sentence.key(from - 1));
  return isGeneric(sentence, from) || hasNoun || (mayBeTopic && isPlainTopic(words, knowledge));
}
