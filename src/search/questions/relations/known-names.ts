import type { KindName } from '../../../kinds/kind.ts';
import { nameEnds } from '../../vocabulary/name-candidates.ts';
import { isKindNoun } from '../kind-nouns.ts';
import { kindWordAt } from '../kind-words.ts';
import type { Knowledge } from '../knowledge.ts';
import { type Exclusion, nothingExcluded, type RelationRole } from '../question.ts';
import { createSentence, type Sentence, type Word } from '../sentence.ts';
import { fillers, linkWords, wordSet } from '../words.ts';
import { ended, type ReadRelation } from './span.ts';

// Words that are names in the data, words for one relation, and words that any sentence may have are read whatever their
// order: "did a16z put money in aave and also dydx".

/** Words of a text, from one up to but not including another. */
export interface NameSpan {
  readonly from: number;
  readonly until: number;
  readonly name: string;
}

export interface KnownName extends NameSpan {
  /** The kinds of entities with that name. */
  readonly kinds: ReadonlySet<KindName>;
}

type Cue = 'money' | 'talk' | 'work' | 'founding';

const cues: readonly (readonly [Cue, RegExp])[] = [
  [
    'money',
    /^(invest(s|ed|ing|ments?|ors?)?|co|coinvest(s|ed|ing|ors?|ments?)?|back(s|ed|ing|ers?)?|fund(s|ed|ing|ers?)?|financ(e[ds]?|ing|iers?)|money|cash|capital|che(que|ck)s?|stakes?|pieces?|slices?|exposure|positions?|(share|stake)holders?|equity|portfolios?|hold(s|ings?)?|own(s|ed)?|bets?|vcs?|ventures?|rounds?|deals?|bankroll(s|ed)?|alongside|angels?|cap|table|held|board)$/,
  ],
  [
    'talk',
    /^(speak(s|ers?|ing)?|spoken?|talk(s|ed)?|keynote[ds]?|present(s|ed|ers?|ing)?|presentations?|panel(s|ists?)?|stage)$/,
  ],
  [
    'work',
    /^(work(s|ed|ing)?|employ(s|ed|ees?|er)?|staff|team|former(ly)?|ex|left|quit|alumni|previous(ly)?|members?)$/,
  ],
  ['founding', /^(co)?(found(ed|ers?|ing)?|creat(ed|ors?)|invented|inventors?)$/],
];
const cueOf = (key: string): Cue | undefined => cues.find(([, words]) => words.test(key))?.[0];

/** Words for what several entities have in common. */
const inCommon = /^(both|same|shared?|shares|common|mutual|together|joint|jointly)$/;
const joint = /^(co|coinvest.*|alongside|join(ed|ing)?)$/;
/** The same, and others for another name that must hold as well. */
const furthermore = /^(too|also|again|well|plus)$/;
const denials =
  /^(no|not|never|stayed|neither|nor|without|minus|except|excluding|((is|are|was|were|do|does|did|has|have|had)n['’]?t))$/;

/** Words that add nothing to a relation. */
const helping = wordSet(
  'whose your there their them its into up far ever already yet currently now still recently put puts pour poured give gives given giving gave bought buy got get gets getting & participate participated received raised provided provide count counts made make list pls somebody someone anybody anyone people names part side two three alike sit sits yes inside out counting',
);
/** Words that ask for more than a relation. */
const telling =
  /^(ones?|like|how|many|about|around|during|since|between|than|most|best|top|used|using|focus(ed|ing)?|based|speciali[sz](ed|ing))$/;

function isHelping(key: string): boolean {
  const isUsual = key === '' || helping.has(key) || fillers.has(key) || linkWords.has(key);
  return (
    !telling.test(key) &&
    (isUsual || denials.test(key) || inCommon.test(key) || furthermore.test(key) || joint.test(key))
  );
}

const endsName = (key: string): boolean => nameEnds.includes(key.replace(/^venture$/, 'ventures'));

const nameWordsMax = 5;

/** Returns the parts of a text that may be names if its other words may ask for a relation; none otherwise. */
export function possibleNames(text: string, knowledge: Knowledge): NameSpan[] {
  const sentence = createSentence(text, knowledge);
  const { words } = sentence;
  // "Pantera Capital" asks for nothing.
  const mayAsk = ({ key }: Word) => (cueOf(key) && !endsName(key)) || inCommon.test(key) || key === 'people';
  if (!words.some(mayAsk)) return [];
  const isName = (from: number, until: number): boolean => {
    const own = words.slice(from, until).map(({ key }) => key);
    const ofName = own[0] === 'the' ? own.slice(1) : own;
    // "Matt Spoke" is a name.
    const isAll = own.length === words.length;
    const isEdge = isHelping(ofName[0] ?? '') || isHelping(own.at(-1) ?? '');
    return (
      (isAll || !isEdge) &&
      !isInTopic(sentence, from, until) &&
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

/** Returns names that don't overlap, the longest first, in the order of the text. */
function distinct(names: readonly KnownName[]): KnownName[] {
  const length = ({ from, until }: NameSpan) => until - from;
  const kept: KnownName[] = [];
  for (const name of names.toSorted((one, other) => length(other) - length(one)))
    if (kept.every(({ from, until }) => name.until <= from || name.from >= until)) kept.push(name);
  return kept.sort((one, other) => one.from - other.from);
}

const namesMax = 4;

interface Parts {
  readonly names: readonly KnownName[];
  /** Names that a word such as "not" excludes. */
  readonly denied: readonly KnownName[];
  /** The keys of the other words. */
  readonly keys: readonly string[];
  /** The relation that they ask for; null if there is none. */
  readonly cue: Cue | null;
  /** The kind of the first noun, and its position; null if there is none. */
  readonly subject: KindName | null;
  readonly subjectAt: number | null;
}

/** Returns the parts of a sentence; null if a free word is neither in a name nor explained by a relation. */
function partsOf(sentence: Sentence, known: readonly KnownName[]): Parts | null {
  const isWhole = ({ from, until }: NameSpan) =>
    sentence.words.slice(from, until).every((_, at) => sentence.isFree(from + at));
  const names = distinct(known.filter(isWhole));
  const isInName = (at: number): boolean =>
    names.some(({ from, until }) => at >= from && (at < until || (at === until && endsName(sentence.key(at)))));
  const others = [...sentence.words.keys()].filter((at) => sentence.isFree(at) && !isInName(at));
  const nouns = others.map((at) => kindWordAt(sentence, at));
  const keys = others.map(sentence.key);
  const isExplained = keys.every((key, place) => {
    const noun = nouns[place];
    // "KKR & Co."
    if (key === 'co') return /^(invest|found)/.test(keys[place + 1] ?? '');
    return cueOf(key) !== undefined || (noun ? !noun.isTelling : isHelping(key));
  });
  // "Polygon funds" are about the chain.
  const isOnChain = keys.length < 2 && names.every(({ name }) => sentence.isTopicOrChain([name]));
  const found = new Set(keys.flatMap((key) => cueOf(key) ?? []));
  if (!isExplained || isOnChain || names.length === 0 || names.length > namesMax || found.size > 1) return null;
  const [cue = null] = found;
  const first = nouns.findIndex((noun) => noun !== null);
  const [subject, subjectAt] = [nouns[first]?.kind ?? null, others[first] ?? null];
  const not = others.find((at) => denials.test(sentence.key(at)));
  const behind = names.filter(({ from }) => not !== undefined && from > not);
  const before = names.filter(({ until }) => not !== undefined && until <= not);
  const denied = behind.length > 0 ? behind : before.slice(-1);
  return { names, denied, keys, cue, subject, subjectAt };
}

/** A relation, with the names that it must not have; or the investor whose co-investors are wanted. */
export interface NamedRelation extends ReadRelation {
  readonly excluded: readonly Exclusion[];
  readonly without: readonly string[];
  readonly coInvestor: string | null;
}

/** Reads all free words of a sentence, and takes them; returns null if they are more than names and a relation. */
export function readKnownNames(sentence: Sentence, known: readonly KnownName[]): NamedRelation | null {
  const parts = known.length === 0 ? null : partsOf(sentence, known);
  if (parts === null) return null;
  const partners = readPartners(parts);
  const asked = partners ?? readRole(parts);
  if (asked === null) return null;
  const [from, until] = deniedWords(sentence, parts);
  const text = sentence.written(from, until);
  sentence.take(from, until, 'without');
  // No relation in the data has an end.
  sentence.takeAll(ended, 'ignored');
  takeSubject(sentence, parts);
  sentence.take(0, sentence.words.length, asked.coInvestor === null ? 'relation' : 'like');
  return { ...asked, excluded: asked.excluded.map((one) => ({ ...one, text })) };
}

export const nothingMore = { excluded: [], without: [], coInvestor: null } as const;

/** Reads "co-investors of paradigm", "who invests with paradigm" and "who else than paradigm is in aave". */
function readPartners({ names, denied, keys, cue, subject }: Parts): NamedRelation | null {
  const investors = names.filter(({ kinds }) => kinds.has('investors') && !kinds.has('companies'));
  const companies = names.filter(({ kinds }) => kinds.has('companies'));
  if (denied.length > 0 || cue !== 'money') return null;
  const [first, second] = names.length === 1 && names[0]?.kinds.has('investors') ? names : investors;
  const isJoint = keys.some((key) => joint.test(key)) || (subject !== 'companies' && keys.includes('with'));
  const isAlone = names.length === 1 && (isJoint || keys.some((key) => inCommon.test(key)));
  if (first === undefined || second !== undefined) return null;
  if (isAlone) return { relations: [], kind: 'investors', ...nothingMore, coInvestor: first.name };
  if (companies.length === 0 || !(isJoint || keys.some((key) => /^(else|others?)$/.test(key)))) return null;
  const relations = companies.map(({ name }) => ({ role: 'investor' as const, of: name, or: [] }));
  return { relations, kind: 'investors', ...nothingMore, without: [first.name] };
}

function readRole(parts: Parts): NamedRelation | null {
  const { names, denied } = parts;
  const kept = names.filter((name) => !denied.includes(name));
  const wanted = kept.map(({ name }) => name);
  const asked = roleOf({ ...parts, names: kept });
  const [of, ...or] = wanted;
  if (asked === null || of === undefined) return null;
  const { role, kind } = asked;
  const relations = isAnyOf(parts) ? [{ role, of, or }] : wanted.map((name) => ({ role, of: name, or: [] }));
  // "Paradigm portfolio without a16z" excludes what a16z holds, and "without coinbase" excludes Coinbase.
  const are = (one: KindName) => denied.every(({ kinds }) => kinds.has(one));
  const isHeld = role === 'portfolio' && are('companies') && !parts.keys.includes('by');
  const isSameEnd = !isHeld && (role !== 'investor' || are('companies'));
  if (!isSameEnd && !are(kind)) return null;
  const excluded = denied.map(({ name }) => {
    return { ...nothingExcluded, text: name, relation: { role, of: name, or: [] } };
  });
  const without = denied.map(({ name }) => name);
  return { relations, kind, ...nothingMore, ...(isSameEnd ? { excluded } : { without }) };
}

/** Returns the beginning and the end of the words that exclude names: "but not in aave", "where a16z is not in". */
function deniedWords(sentence: Sentence, { denied }: Parts): readonly [number, number] {
  if (denied.length === 0) return [0, 0];
  const not = [...sentence.words.keys()].filter((at) => sentence.is(at, denials));
  const isBefore = denied.every((name) => name.until <= Math.max(...not));
  const until = isBefore ? sentence.words.length : Math.max(...denied.map((name) => name.until));
  let from = Math.min(...denied.map((name) => name.from), ...not);
  while (sentence.is(from - 1, /^(but|and|that|which|who|where|do|does|did)$/)) from -= 1;
  return [from, until];
}

/** Takes the noun of "funds that backed aave", but not that of "funds behind aave", which is the relation. */
function takeSubject(sentence: Sentence, { keys, subjectAt: at }: Parts): void {
  if (at === null) return;
  const isRole = keys.filter((key) => cueOf(key) !== undefined).length < 2 && cueOf(sentence.key(at)) !== undefined;
  if (!isRole) sentence.take(at, at + 1, 'kind');
}

/** The relation that is asked for, and the kind of its holders. */
function roleOf(parts: Parts): { readonly role: RelationRole; readonly kind: KindName } | null {
  const { names, keys, cue, subject } = parts;
  const all = (kind: KindName): boolean => names.every(({ kinds }) => kinds.has(kind));
  const asks = (kind: KindName): boolean => subject === null || subject === kind;
  const isShared = cue === null && names.length > 1 && keys.some((key) => inCommon.test(key));
  if (cue === 'money' || isShared) return moneyRole(parts, all);
  if (cue === 'talk' && all('events') && asks('people')) return { role: 'speaker', kind: 'people' };
  if (cue === 'talk' && all('people') && asks('events')) return { role: 'speaker', kind: 'events' };
  if (cue === 'founding' && all('people') && asks('companies')) return { role: 'founder', kind: 'companies' };
  if (!(all('companies') || all('investors')) || !asks('people')) return null;
  if (cue === 'founding') return { role: 'founder', kind: 'people' };
  return cue === 'work' || keys.includes('people') ? { role: 'member', kind: 'people' } : null;
}

/** "Who" may be an investor or not, so the kinds of the names decide; if they may be both, only a noun does. */
function moneyRole({ subject }: Parts, all: (kind: KindName) => boolean): ReturnType<typeof roleOf> {
  const [areInvestors, areCompanies] = [all('investors'), all('companies')];
  if (subject === 'events') return null;
  if (areInvestors && subject !== 'investors' && (subject === 'companies' || !areCompanies))
    return { role: 'portfolio', kind: 'companies' };
  if (areCompanies && subject !== 'companies' && (subject === 'investors' || !areInvestors))
    return { role: 'investor', kind: 'investors' };
  return null;
}

const verb = /(ed|ing|spoke)$|^(invests?|backs?|put|owns?|holds?|have|has|are|is|was|were|speak|work|gave|money)$/;

/** "Or" joins alternatives; so does "and" behind a noun, without a verb: "investors in aave and dydx". */
function isAnyOf({ keys }: Parts): boolean {
  if (keys.some((key) => /^(or|either)$/.test(key))) return true;
  return !keys.some((key) => verb.test(key) || inCommon.test(key) || furthermore.test(key) || joint.test(key));
}
