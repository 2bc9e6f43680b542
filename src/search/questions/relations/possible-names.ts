import type { KindName } from '../../../kinds/kind.ts';
import { nameEnds } from '../../vocabulary/name-candidates.ts';
import { isKindNoun } from '../kind-nouns.ts';
import { askedKinds } from '../kind-words.ts';
import type { Knowledge } from '../knowledge.ts';
import { seriesOfProposals } from '../names.ts';
import { createSentence, phrase, type Sentence, type Word } from '../sentence.ts';
import { linkWords } from '../words.ts';
import { cueOf, denial, endsName, inCommon, isHelping } from './cue-words.ts';

/** Words of a text, from one up to but not including another. */
export interface NameSpan {
  readonly from: number;
  readonly until: number;
  readonly name: string;
}

export interface KnownName extends NameSpan {
  /** The kinds of entities with that name; none for a proposal, such as EIP-1559. */
  readonly kinds: ReadonlySet<KindName>;
  /** The name as written, without an end that the data has. */
  readonly written?: string;
}

const nameWordsMax = 5;

/** Returns the parts of a text that may be names if its other words may ask for a relation; none otherwise. */
export function possibleNames(text: string, knowledge: Knowledge): NameSpan[] {
  const sentence = createSentence(text, knowledge);
  const { words } = sentence;
  // "Pantera Capital" asks for nothing.
  const mayAsk = ({ key }: Word) =>
    (cueOf(key) && !endsName(key)) || inCommon.test(key) || /^(people|folks)$/.test(key);
  const mayExclude = words.some((_, at) => at > 0 && sentence.after(at, denial) !== null);
  if (!mayExclude && !words.some(mayAsk)) return [];
  const isUsual = ({ key } = { key: '' }) => isHelping(key) || cueOf(key) !== undefined;
  const isName = (from: number, until: number): boolean => {
    const own = words.slice(from, until).map(({ key }) => key);
    const ofName = own[0] === 'the' ? own.slice(1) : own;
    // "Matt Spoke" is a name.
    const isAll = own.length === words.length;
    // "Nexus Mutual" is a name.
    const last = own.at(-1) ?? '';
    const isEdge = isHelping(ofName[0] ?? '') || (isHelping(last) && !inCommon.test(last));
    // "Zcash foundation" is not Foundation.
    const isEnd = until - from === 1 && nameEnds.includes(own[0] ?? '') && from > 0 && !isUsual(words[from - 1]);
    return (
      (isAll || !isEdge) &&
      !isEnd &&
      !isInTopic(sentence, from, until) &&
      /\p{L}/u.test(own.join('')) &&
      own.some((key) => !isHelping(key) && cueOf(key) === undefined && !isKindNoun(key))
    );
  };
  return [...words.keys()].flatMap((from) => {
    const ends = [...words.keys()].slice(from, from + nameWordsMax);
    const last = ends.findIndex((at) => words[at]?.endsPhrase || words[at]?.isPossessive);
    return (last < 0 ? ends : ends.slice(0, last + 1))
      .map((at) => ({ from, until: at + 1, name: sentence.nameOf(from, at + 1) }))
      .filter(({ until }) => isName(from, until));
  });
}

/** Returns true for "source" in "open source". */
function isInTopic({ words, isTopic }: Sentence, from: number, until: number): boolean {
  const keysOf = (start: number, end: number) => words.slice(Math.max(0, start), end).map(({ key }) => key);
  return [keysOf(from, until), keysOf(from - 1, until), keysOf(from, until + 1)].some(isTopic);
}

/** The series of proposals of each chain. */
const seriesOf = new Map(Object.entries({ bitcoin: 'bip', ethereum: 'eip/erc', cardano: 'cip', near: 'nep' }));
const proposal = phrase(
  `(${[...seriesOf.keys()].join('|')}) (improvement|enhancement) proposals?|(${seriesOfProposals})(s|\\d+)?( \\d+)?`,
);

const anySeries = seriesOfProposals.replaceAll('|', '/');
const anyProposal = phrase('((improvement|enhancement) )?proposals|proposal(?= (co)?authors)');
const writingCue = /^(wr[oi]t|(co)?author)/;
const beforeProposals = /^(of|for|behind|any|some|several|wr[oi]t.*|(co)?authored)$/;
const noKinds: ReadonlySet<KindName> = new Set();

/** Returns proposals and series of them: "erc 721", "Bitcoin improvement proposals", "proposals for bitcoin". */
export function proposalsIn(sentence: Sentence): KnownName[] {
  const areAsked = sentence.words.some(({ key }) => /^(proposal|standard)s?$/.test(key));
  const found = [...sentence.words.keys()].flatMap((from) => {
    const next = sentence.key(from + 1);
    // Reads "near nft standards" as proposals, but not "Cardano problem statements".
    const isEnd = /^(proposals?|standards?|ones)$/.test(next) || sentence.is(from + 2, /^standards$/);
    const isWhole = areAsked && (next === '' || linkWords.has(next) || isEnd);
    const series = isWhole ? seriesOf.get(sentence.key(from)) : undefined;
    const until = sentence.after(from, proposal) ?? (series === undefined ? from : from + 1);
    const initials = sentence.words.slice(from, until).map(({ key }) => key[0]);
    const name = until > from + 2 ? initials.join('') : (series ?? sentence.nameOf(from, until));
    return until === from ? [] : [{ from, until, name, kinds: noKinds }];
  });
  return found.length > 0 ? found : anyProposalIn(sentence);
}

/** Returns the mention of any proposals in a question for authors: "authors of proposals", but not "grant proposals". */
function anyProposalIn(sentence: Sentence): KnownName[] {
  const isOfAuthors = sentence.words.some(({ key }) => writingCue.test(key));
  if (!isOfAuthors || !(askedKinds(sentence).includes('people') || sentence.is(0, /^who$/))) return [];
  return [...sentence.words.keys()].flatMap((from) => {
    const until = sentence.after(from, anyProposal);
    const isAlone = from === 0 || beforeProposals.test(sentence.key(from - 1));
    return until !== null && isAlone ? [{ from, until, name: anySeries, kinds: noKinds }] : [];
  });
}

/** Returns names that don't overlap, the longest first, in the order of the text. */
export function distinct(names: readonly KnownName[]): KnownName[] {
  const length = ({ from, until }: NameSpan) => until - from;
  const kept: KnownName[] = [];
  for (const name of names.toSorted((one, other) => length(other) - length(one)))
    if (kept.every(({ from, until }) => name.until <= from || name.from >= until)) kept.push(name);
  return kept.sort((one, other) => one.from - other.from);
}
