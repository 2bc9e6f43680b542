import type { KindName } from '../../../kinds/kind.ts';
import { nameEnds } from '../../vocabulary/name-candidates.ts';
import { kindWordAt, nounsOf } from '../kind-words.ts';
import { seriesOfProposals } from '../names.ts';
import type { Chains } from '../question.ts';
import type { ReadRelation } from '../relations/span.ts';
import { phrase, type Sentence } from '../sentence.ts';
import { linkWords } from '../words.ts';

/** Words before a chain; one must be a cue: "that can be used on", "which support both". */
const cue = phrase(
  'on|over|across|between|do|does|use|used|usable|exist(s|ing)?|operat(es?|ing)|supports?|supporting|runs?|running|works?|working|serv(es?|ing)|cover(s|ing)?|built|building|lives?|available|deployed|launched|listed|active|native|compatible',
);
const linking = phrase(
  'that|which|who|you|we|i|they|can|could|be|been|have|has|is|are|with|for|in|to|under|of|the|both|either|any|part',
);
/** Words before the subject of an event. */
const ofSubject =
  /^(focus(ed|ing)?|cent(ered|red)|talks?|events?|conferences?|workshops?|meetups?|summits?|sessions?|something|anything)$/;
const behind = phrase('(block)?chain|network|mainnet|ecosystem|support|based|native|compatible');
const join = phrase('and( also)?( (on|for))?|or( (on|for))?|plus|as well as');
/** Chains whose names are everyday words, unless other words show that the chain is meant. */
const everyday = /^(base|near|flow|scroll|boba|canto|optimism|stellar|cosmos|bitcoin)$/;

const ofProposals = phrase(`(${seriesOfProposals}|proposal)s?`);

interface Named {
  /** In the spelling of the data. */
  readonly values: readonly string[];
  readonly end: number;
  /** True if a word behind it is one for chains. */
  readonly isTold: boolean;
}

const nameWordsMax = 3;

function chainAt(sentence: Sentence, at: number): Named | null {
  for (let length = nameWordsMax; length > 0; length -= 1) {
    const words = sentence.keys(at, at + length).split(' ');
    if (sentence.words.slice(at, at + length - 1).some(({ endsPhrase }) => endsPhrase)) continue;
    const values = words.length === length ? sentence.chainsOf(words) : [];
    if (values.length === 0) continue;
    const end = sentence.after(at + length, behind);
    return { values, end: end ?? at + length, isTold: end !== null };
  }
  return null;
}

/**
 * Reads chains as a condition: "wallets that support bitcoin", "on both base and celo", "solana startups", "oracles, base
 * chain". Only companies and events have chains.
 */
export function readChains(
  sentence: Sentence,
  asked: readonly KindName[],
  related: Pick<ReadRelation, 'kind'> | null = null,
): readonly Chains[] {
  const kinds = related === null ? asked : [related.kind];
  const isOfOthers = sentence.words.some(({ key }) => ofProposals.test(key));
  if (isOfOthers || !kinds.every((kind) => kind === 'companies' || kind === 'events')) return [];
  const all: Chains[] = [];
  for (let at = 0; at < sentence.words.length; at += 1) {
    const chain = chainAt(sentence, at);
    if (chain !== null) all.push(...chainsFrom(sentence, at, chain, related !== null));
  }
  return all;
}

/** Reads the chains from a position on, and takes them; returns none if they are part of a name or topic. */
function chainsFrom(sentence: Sentence, at: number, first: Named, isRelated: boolean): readonly Chains[] {
  let start = at;
  while ([cue, linking].some((words) => words.test(sentence.key(start - 1)))) start -= 1;
  const cues = sentence.words.slice(start, at).filter(({ key }) => cue.test(key));
  // "Talks on bitcoin", "focused on bitcoin".
  const isSubject = cues.every(({ key }) => key === 'on') && ofSubject.test(sentence.words[start - 1]?.key ?? '');
  const isCued = cues.length > 0 && !isSubject;
  const { each, end, isTold, joins } = listFrom(sentence, first);
  const isEveryday = everyday.test(each[0]?.[0] ?? '');
  if (!isCondition(sentence, { start, end, isCued, isTold, isEveryday, isRelated })) return [];
  const text = sentence.written(at, end);
  const isAll = joins.some((word) => /^(and|plus|as)/.test(word)) || sentence.is(at - 1, /^both$/);
  const last = sentence.is(end, /^(also|too)$/) ? end + 1 : end;
  sentence.take(isCued ? start : at, last, 'chain');
  return (isAll ? each : [each.flat()]).map((names) => ({ text, names }));
}

/** Returns the chains of a list: "base, celo or sei chain". */
function listFrom(sentence: Sentence, first: Named) {
  const each = [first.values];
  const joins: string[] = [];
  let { end, isTold } = first;
  for (;;) {
    const next = sentence.after(end, join) ?? end;
    const chain = chainAt(sentence, next);
    if (chain === null) return { each, end, isTold, joins };
    joins.push(sentence.keys(end, next));
    each.push(chain.values);
    end = chain.end;
    isTold ||= chain.isTold;
  }
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly isCued: boolean;
  readonly isTold: boolean;
  readonly isEveryday: boolean;
  /** True if the question also asks for a relation. */
  readonly isRelated: boolean;
}

/** Returns true unless the chain is part of another topic ("ethereum scaling"), or of a name ("Solana Labs"). */
function isCondition(sentence: Sentence, { start, end, isCued, isTold, isEveryday, isRelated }: Span): boolean {
  const others =
    isRelated ||
    sentence.words.some((_, at) => (at < start || at >= end) && (sentence.isFree(at) || isNoun(sentence, at)));
  if (!others) return false;
  const next = sentence.key(end);
  const isLast =
    next === '' || linkWords.has(next) || /^(also|too)$/.test(next) || sentence.words[end - 1]?.endsPhrase === true;
  if (isTold || isCued) return isLast || isNoun(sentence, end);
  // "Solana Ventures", "union square ventures".
  const isInName = [next, sentence.key(start - 1)].some((key) => key !== '' && nameEnds.includes(key));
  if (isEveryday || isInName) return false;
  const isAfterTopic = isNoun(sentence, start - 1) || sentence.isTopic([sentence.key(start - 1)]);
  // "Solana startups", "solana lending startups".
  const isBefore = isNoun(sentence, end) || (isNoun(sentence, end + 1) && sentence.isTopic([sentence.key(end)]));
  return isBefore || (isLast && isAfterTopic);
}

/** A noun for companies or events, or a topic in the plural. */
function isNoun(sentence: Sentence, at: number): boolean {
  const { kind, isPlural = false } = kindWordAt(sentence, at) ?? {};
  const hasChains = kind === 'companies' || kind === 'events';
  const isAsked = hasChains && (isPlural || nounsOf(sentence).includes(at));
  return isAsked || sentence.isPluralTopic(sentence.key(at), sentence.key(at - 1));
}
