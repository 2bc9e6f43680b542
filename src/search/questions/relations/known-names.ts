import type { KindName } from '../../../kinds/kind.ts';
import { isKindNoun, pronouns } from '../kind-nouns.ts';
import { kindWordAt } from '../kind-words.ts';
import { nameEnd } from '../names.ts';
import { type Exclusion, nothingExcluded, type Relation, type RelationRole } from '../question.ts';
import type { Sentence } from '../sentence.ts';
import { type Cue, cueOf, endsName, furthermore, inCommon, isHelping, joint } from './cue-words.ts';
import { deniedNames, deniedWords, starter } from './denied-names.ts';
import { distinct, type KnownName, type NameSpan, proposalsIn } from './possible-names.ts';
import { anyFounder } from './relations.ts';
import { ended, type ReadRelation } from './span.ts';
import { type Unexplained, useOf } from './word-uses.ts';

// Words that are names in the data, words for relations, and words that any sentence may have are read whatever their
// order: "did a16z put money in aave and also dydx".

const namesMax = 4;

interface Parts {
  /** Without those that a word such as "not" excludes. */
  readonly names: readonly KnownName[];
  readonly denied: readonly KnownName[];
  /** The keys of the other words, and the relations that they ask for. */
  readonly keys: readonly string[];
  /** Positions of "or" among them. */
  readonly ors: readonly number[];
  readonly cues: ReadonlySet<Cue>;
  /** The kind of the first noun, and its position; null if there is none. */
  readonly subject: KindName | null;
  readonly subjectAt: number | null;
  /** Positions of words that remain to be searched for, and of those that were not understood. */
  readonly searched: readonly number[];
  readonly ignored: readonly number[];
}

const unexplainedMax = 3;
const founded = /^(start|found|creat)(ed)?$|^(built|launched)$/;
const asker = /^(who(m|se|ever)?|what|which)$/;

/** Returns the parts of a sentence; null if more words are unexplained. */
function partsOf(sentence: Sentence, known: readonly KnownName[], unexplained: Unexplained): Parts | null {
  const isLast = unexplained !== 'none';
  const isOnChain = ({ name }: NameSpan) => sentence.isTopicOrChain([name]);
  const isWhole = ({ from, until }: NameSpan) =>
    sentence.words.slice(from, until).every((_, at) => sentence.isFree(from + at));
  const mayAsk = (name: KnownName) =>
    isWhole(name) && !((isLast || sentence.is(name.from - 1, /^on$/)) && isOnChain(name));
  const sure = distinct([...known, ...proposalsIn(sentence)].filter(mayAsk));
  const all = isLast ? distinct([...sure, ...namesBeside(sentence, sure)]) : sure;
  // "The French fund Elaia".
  const isOfPlace = (at: number) => sentence.gazetteer.find(sentence.key(at - 2)) && kindWordAt(sentence, at - 1);
  const isInName = (at: number): boolean =>
    all.some(({ from, until }) => {
      const start = isOfPlace(from) ? from - 2 : from;
      return at >= start && (at < until || (at === until && endsName(sentence.key(at))));
    });
  const others = [...sentence.words.keys()].filter((at) => sentence.isFree(at) && !isInName(at));
  // In search engines, "AND" is an operator.
  const keys = others.map((at) => (sentence.words[at]?.text === 'AND' ? 'also' : sentence.key(at)));
  // "Polygon funds" are about the chain.
  if ((keys.length < 2 && all.every(isOnChain)) || all.length === 0 || all.length > namesMax) return null;
  const cues = new Set(keys.flatMap((key) => (key === 'used' ? 'work' : (cueOf(key) ?? []))));
  // With its number, a proposal needs no topic.
  const proposals = all.filter(({ kinds }) => kinds.size === 0).map(({ name }) => name);
  const isOfProposal = cues.has('writing') && proposals.length > 0 && !/\d/.test(proposals.join());
  const uses = Map.groupBy(others, (at) => useOf(sentence, at, cues, { unexplained, isOfProposal }));
  const [searched = [], ignored = []] = [uses.get('searched'), uses.get('ignored')];
  const isLong = searched.length + ignored.length > unexplainedMax;
  const isTooLong = (isLast || isOfProposal) && isLong && unexplained !== 'any';
  if (uses.has('unknown') || isTooLong || (unexplained === 'few' && !isAsked(sentence, others, all))) return null;
  const denied = deniedNames(sentence, all, others);
  if (denied === null) return null;
  const names = all.filter((name) => !denied.includes(name));
  // "Founded a company".
  const isFounded = (at: number) => [at - 1, at - 2].some((place) => sentence.is(place, founded));
  const subjectAt = others.find((at) => kindWordAt(sentence, at) !== null && !isFounded(at)) ?? null;
  const subject = subjectAt === null ? null : (kindWordAt(sentence, subjectAt)?.kind ?? null);
  const ors = others.filter((at) => sentence.is(at, /^or$/));
  return { names, denied, keys, ors, cues, subject, subjectAt, searched, ignored };
}

/**
 * Returns true for a noun or question word at the beginning, which descriptions of entities lack, and for an investor's
 * "portfolio" at the end.
 */
function isAsked(sentence: Sentence, others: readonly number[], all: readonly KnownName[]): boolean {
  const isAtStart = others.some(
    (at, place) => sentence.is(at, at === 0 ? starter : asker) || (place < 3 && kindWordAt(sentence, at)?.isPlural),
  );
  // "A16z gaming portfolio", but "zapper defi portfolio".
  const ofInvestor = all.every(({ kinds }) => kinds.has('investors') && !kinds.has('companies'));
  return isAtStart || (ofInvestor && sentence.is(sentence.words.length - 1, /^(portfolio|bets|investments|holdings)$/));
}

/** Returns names that the data may not have, next to those that it has: "put money in aave and in foobar". */
function namesBeside(sentence: Sentence, names: readonly KnownName[]): KnownName[] {
  return names.flatMap(({ until: last, kinds }) => {
    const joined = sentence.joinEnd(last) ?? last;
    const from = sentence.is(joined, /^(in(to)?|of|at|by)$/) ? joined + 1 : joined;
    const until = joined > last ? nameEnd(sentence, from) : from;
    const own = sentence.words.slice(from, until).map(({ key }) => key);
    const isName = own.length > 0 && !own.some((key) => isHelping(key) || cueOf(key) !== undefined || isKindNoun(key));
    return isName ? [{ from, until, name: sentence.nameOf(from, until), kinds }] : [];
  });
}

/** A relation, with the names that it must not have; or the one with which others must share investments. */
export interface NamedRelation extends ReadRelation {
  readonly excluded: readonly Exclusion[];
  readonly without: readonly string[];
  readonly sharesWith: string | null;
}

/**
 * Reads all free words of a sentence, and takes them; returns null if they are more than names and relations.
 * @param unexplained `few` if no other reader understands the names
 */
export function readKnownNames(
  sentence: Sentence,
  known: readonly KnownName[],
  unexplained: Unexplained = 'none',
): NamedRelation | null {
  const parts =
    partsOf(sentence, known, 'none') ?? (unexplained === 'none' ? null : partsOf(sentence, known, unexplained));
  const asked = parts === null ? null : (readPartners(parts) ?? readRole(parts));
  if (parts === null || asked === null) return null;
  const [from, until] = deniedWords(sentence, parts.denied);
  const text = sentence.written(from, until);
  sentence.take(from, until, 'without');
  // No relation in the data has an end.
  sentence.takeAll(ended, 'ignored');
  for (const at of parts.ignored) sentence.take(at, at + 1, 'ignored');
  // "Funds that backed aave", but "funds behind aave".
  const [noun, count] = [parts.subjectAt ?? -1, parts.keys.filter((key) => cueOf(key) !== undefined).length];
  const isKind = !parts.searched.includes(noun) && (count > 1 || cueOf(sentence.key(noun)) === undefined);
  if (isKind) sentence.take(noun, noun + 1, 'kind');
  let next = 0;
  for (const at of [...parts.searched, sentence.words.length]) {
    // "On" shows that a chain is meant.
    const end = at > next && sentence.is(at - 1, /^on$/) ? at - 1 : at;
    sentence.take(next, end, asked.sharesWith === null ? 'relation' : 'like');
    next = at + 1;
  }
  return { ...asked, excluded: asked.excluded.map((one) => ({ ...one, text })) };
}

export const nothingMore = { excluded: [], without: [], sharesWith: null } as const;

/** Reads "co-investors of paradigm", "who invests with paradigm", "who else than paradigm is in aave", "shares a backer". */
function readPartners(parts: Parts): NamedRelation | null {
  const { names, denied, keys, cues, subject } = parts;
  const investors = names.filter(({ kinds }) => kinds.has('investors') && !kinds.has('companies'));
  const companies = names.filter(({ kinds }) => kinds.has('companies')).map(({ name }) => name);
  const excluded = exclusionsOf(parts, 'investor', 'investors');
  const [first, second] = names.length === 1 && names[0]?.kinds.has('investors') ? names : investors;
  const [company] = companies;
  // "Startups with the same backers as aave".
  const isShared = subject === 'companies' && names.length === 1 && denied.length === 0 && cues.size === 1;
  if (isShared && company !== undefined && cues.has('money') && keys.some((key) => inCommon.test(key)))
    return { relations: [], kind: 'companies', ...nothingMore, sharesWith: company };
  if (cues.size > 1 || !cues.has('money') || excluded === null || first === undefined || second !== undefined)
    return null;
  const isJoint =
    keys.some((key) => joint.test(key) && !(denied.length > 0 && key.startsWith('join'))) ||
    (subject !== 'companies' && keys.includes('with'));
  const isAlone = names.length === 1 && (isJoint || keys.some((key) => inCommon.test(key)));
  if (isAlone) return { relations: [], kind: 'investors', ...nothingMore, ...excluded, sharesWith: first.name };
  const isElse = keys.some((key) => /^(else|others?)$/.test(key));
  if (denied.length > 0 || companies.length === 0 || !(isJoint || isElse)) return null;
  // "A16z holds aave, what else".
  if (isElse && keys.includes('what'))
    return { relations: [related('portfolio', first.name)], kind: 'companies', ...nothingMore, without: companies };
  const relations = isAnyOf(parts)
    ? [related('investor', company ?? '', ...companies.slice(1))]
    : companies.map((name) => related('investor', name));
  return { relations, kind: 'investors', ...nothingMore, without: [first.name] };
}

const related = (role: RelationRole, of: string, ...or: readonly string[]): Relation => ({ role, of, or });

/** People at Google aren't at Google Ventures. */
const nameFor = (kind: KindName, { name, written, kinds }: KnownName): string =>
  (kind === 'people' && !kinds.has('companies') && written) || name;

function readRole(parts: Parts): NamedRelation | null {
  const names = parts.names.length > 0 ? parts.names : parts.denied;
  const { role, kind } = roleOf({ ...parts, names }) ?? { role: null, kind: 'people' as const };
  const roles = Map.groupBy(parts.names, (name) => role ?? roleAmongPeople(name, parts));
  const excluded = exclusionsOf(parts, role, kind);
  const relations = [...roles].flatMap(([one, own]) => {
    if (one === null) return [];
    const groups = alternativesOf(own, parts).map((group) => group.map((name) => nameFor(kind, name)));
    return groups.map(([of = '', ...or]) => related(one, of, ...or));
  });
  if (roles.has(null) || excluded === null) return null;
  if (relations.length === 0 && !excluded.excluded) return null;
  const isFounder = kind === 'people' && parts.cues.has('founding') && !roles.has('founder');
  return { relations: isFounder ? [...relations, anyFounder] : relations, kind, ...nothingMore, ...excluded };
}

/**
 * Returns the excluded names or relations; null if neither is possible. "Paradigm portfolio without a16z" excludes what
 * a16z holds, and "without coinbase" excludes Coinbase.
 */
function exclusionsOf(parts: Parts, role: RelationRole | null, kind: KindName) {
  const { denied, keys } = parts;
  const are = (one: KindName) => denied.every(({ kinds }) => kinds.has(one));
  const isOther = role === 'investor' ? are('companies') : role === 'portfolio' && keys.includes('by');
  if (are(kind) && !isOther) return { without: denied.map(({ name }) => name) };
  const excluded = denied.flatMap((name) => {
    const one = role ?? roleAmongPeople(name, parts);
    return one === null ? [] : { ...nothingExcluded, text: name.name, relation: related(one, nameFor(kind, name)) };
  });
  return excluded.length < denied.length || (role === 'investor' && !isOther) ? null : { excluded };
}

/** Returns the relation that all names have, and the kind of its holders; null if people are wanted or none. */
function roleOf(parts: Parts): { readonly role: RelationRole; readonly kind: KindName } | null {
  const { names, keys, cues, subject } = parts;
  const all = (kind: KindName): boolean => names.every(({ kinds }) => kinds.has(kind));
  const isShared = cues.size === 0 && names.length > 1 && keys.some((key) => inCommon.test(key));
  if (cues.size > 1) return null;
  if (cues.has('money') || isShared) return subject === 'events' ? null : moneyRole(parts, all);
  if (!all('people') || subject === 'people') return null;
  if (cues.has('talk') && subject !== 'companies') return { role: 'speaker', kind: 'events' };
  return cues.has('founding') && subject !== 'events' ? { role: 'founder', kind: 'companies' } : null;
}

const mayWantPeople = ({ names, denied, cues, subject }: Parts): boolean =>
  (subject ?? 'people') === 'people' &&
  !cues.has('money') &&
  (!cues.has('talk') || [...names, ...denied].some(({ kinds }) => kinds.has('events')));

/** Returns the relation to a name that people are wanted for; they may have others to other names. */
function roleAmongPeople({ kinds }: KnownName, parts: Parts): RelationRole | null {
  const { cues, subject, subjectAt, keys, searched } = parts;
  if (!mayWantPeople(parts)) return null;
  const isOf = subject === 'people' || cues.has('writing') || keys.some((key) => asker.test(key));
  const isPerson = keys.some((key) => key === 'from' || pronouns.includes(key)) || searched.includes(subjectAt ?? -1);
  const isThere = cues.has('work') || (isOf && isPerson);
  if (kinds.size === 0) return isOf ? 'author' : null;
  if (kinds.has('events')) return cues.size > 0 || isThere ? 'speaker' : null;
  if (!kinds.has('companies') && !kinds.has('investors')) return null;
  return cues.has('founding') && !cues.has('work') ? 'founder' : isThere ? 'member' : null;
}

/** "Who" may be an investor or not, so the kinds of the names decide; if they may be both, only a noun does. */
function moneyRole({ subject, keys }: Parts, all: (kind: KindName) => boolean): ReturnType<typeof roleOf> {
  const [areInvestors, areCompanies] = [all('investors'), all('companies')];
  // A firm may be either.
  const asked = subject === 'companies' && keys.some((key) => /^firms?$/.test(key)) ? null : subject;
  if (areInvestors && asked !== 'investors' && (asked === 'companies' || !areCompanies))
    return { role: 'portfolio', kind: 'companies' };
  if (areCompanies && asked !== 'companies' && (asked === 'investors' || !areInvestors))
    return { role: 'investor', kind: 'investors' };
  return null;
}

const verb =
  /(ed|ing|spoke)$|^(invests?|backs?|put|owns?|holds?|have|has|are|is|was|were|speak|work|wrote|gave|money)$/;

/** Returns the names that must all hold, each with its alternatives: "a BIP and also an EIP or ERC". */
function alternativesOf(names: readonly KnownName[], parts: Parts): readonly (readonly KnownName[])[] {
  if (isAnyOf(parts)) return [names];
  const groups: KnownName[][] = [];
  for (const name of names) {
    const group = groups.at(-1) ?? [];
    const isJoined = group.at(-1)?.until === name.from - 1 && parts.ors.includes(name.from - 1);
    if (isJoined) group.push(name);
    else groups.push([name]);
  }
  return groups;
}

/** "Or" joins alternatives; so does "and" behind a noun, without a verb: "investors in aave and dydx". */
function isAnyOf({ keys, subject }: Parts): boolean {
  // "The backers of aave together with those of dydx".
  if (/ with those/.test(keys.join(' '))) return true;
  const isOneOf = keys.some((key, at) => /^(one|any)$/.test(key) && keys[at + 1] === 'of');
  // "Both a BIP and an EIP or ERC".
  const isAnd = /\bboth .*and .*or\b/.test(keys.join(' '));
  if (isOneOf || keys.some((key) => /^(or|either|out)$/.test(key)))
    return !(isAnd || keys.some((key) => furthermore.test(key)));
  // "Companies with a16z and paradigm", "investors in aave and in dydx".
  const isRepeated = keys.some((key, at) => key === 'and' && /^(in(to)?|at|by|from)$/.test(keys[at + 1] ?? ''));
  if (isRepeated || (subject === 'companies' && keys.some((key) => /^(with|among|amongst)$/.test(key)))) return false;
  return !keys.some((key) => verb.test(key) || inCommon.test(key) || furthermore.test(key) || joint.test(key));
}
