import type { KindName } from '../../kinds/kind.ts';
import { isTitle, kindWordAt } from './kind-words.ts';
import type { Knowledge } from './knowledge.ts';
import { nameEnd } from './neighbours.ts';
import type { Question, RelationRole } from './question.ts';
import { holders, inverses, passives, roleNouns, roleVerbs } from './roles.ts';
import { nameOf, type Sentence } from './sentence.ts';
import { fillers, linkWords } from './words.ts';

/** A relation that was read, and the kind of what is searched for. */
export interface ReadRelation {
  /** Null where a topic stands in place of a name: "who invests in defi". */
  readonly relation: Question['relation'];
  readonly kind: KindName;
}

/** Reads the relation that a sentence asks for, and takes it out. */
export function readRelation(sentence: Sentence, knowledge: Knowledge): ReadRelation | null {
  for (const read of [askedBy, doing, passive, inverse, clause, nounBefore, backedCompanies, nounBehind]) {
    for (const at of sentence.words.keys()) {
      const found = sentence.isFree(at) ? read(sentence, at, knowledge) : null;
      if (found !== null) return found;
    }
  }
  return null;
}

const askers = /^(who|whos|whoever|which|that|what)$/;
const auxiliaries = /^(is|are|was|were|has|have|had|did|do|does|currently|originally|first|all|also)$/;

/** "Who founded aave", "investors who backed uniswap", "people that work at consensys". */
function askedBy(sentence: Sentence, at: number, knowledge: Knowledge): ReadRelation | null {
  if (!askers.test(sentence.key(at))) return null;
  const isWho = sentence.key(at).startsWith('who') || kindWordAt(sentence, at - 1)?.kind === 'people';
  // "Which investors backed".
  const nounAt = [at + 1, at + 2].find((next) => kindWordAt(sentence, next)?.isPlural === true);
  const asked = nounAt === undefined || !/^w/.test(sentence.key(at)) ? null : kindWordAt(sentence, nounAt);
  if (asked === null && sentence.key(at) === 'what') return null;
  let place = asked === null || nounAt === undefined ? at + 1 : nounAt + 1;
  while (auxiliaries.test(sentence.key(place))) place += 1;
  const verb = roleVerbs.find(
    ({ active, links }) => active.test(sentence.key(place)) && (links?.test(sentence.key(place + 1)) ?? true),
  );
  if (verb === undefined || !(isWho || verb.role === 'investor')) return null;
  const from = verb.links === undefined ? place + 1 : place + 2;
  const noun = asked ?? kindWordAt(sentence, at - 1);
  const kind = noun?.isPlural === true ? noun.kind : holders[verb.role];
  if (verb.role === 'organizer') return askForEvent(sentence, at, from);
  if (isAboutTopic(sentence, from, knowledge)) {
    if (verb.role !== 'investor') return null;
    sentence.take(at, from, 'kind');
    return { relation: null, kind };
  }
  return relate(sentence, { from: at, nameFrom: from, role: verb.role, kind });
}

/** "People speaking at ethprague", "engineers working for consensys". */
function doing(sentence: Sentence, at: number): ReadRelation | null {
  if (kindWordAt(sentence, at - 1)?.kind !== 'people' || !sentence.key(at).endsWith('ing')) return null;
  const verb = roleVerbs.find(
    ({ active, links }) => active.test(sentence.key(at)) && links?.test(sentence.key(at + 1)),
  );
  if (verb === undefined) return null;
  return relate(sentence, { from: at, nameFrom: at + 2, role: verb.role, kind: 'people' });
}

/** "Who organizes ethprague": the event says it by itself. */
function askForEvent(sentence: Sentence, from: number, until: number): ReadRelation | null {
  if (!sentence.isFree(until)) return null;
  sentence.take(from, until, 'kind');
  return { relation: null, kind: 'events' };
}

/** "Companies founded by X", "events organised by X", "startups backed by X", "events by X". */
function passive(sentence: Sentence, at: number): ReadRelation | null {
  const noun = kindWordAt(sentence, at);
  if (noun?.kind === 'events' && noun.isPlural && sentence.key(at + 1) === 'by') {
    return relate(sentence, { from: at + 1, nameFrom: at + 2, role: 'organizer', kind: 'events' });
  }
  if (sentence.key(at + 1) !== 'by') return null;
  const found = passives.find(({ verb }) => verb.test(sentence.key(at)));
  if (found === undefined) return null;
  let from = at;
  while (/^(that|which|was|were|is|are|have|has|been|got)$/.test(sentence.key(from - 1))) from -= 1;
  return relate(sentence, { from, nameFrom: at + 2, role: found.role, kind: found.kind });
}

/** "What did a16z invest in", "which events did vitalik speak at". */
function inverse(sentence: Sentence, at: number): ReadRelation | null {
  if (!/^(do|does|did|has|have)$/.test(sentence.key(at)) || !asksBefore(sentence, at)) return null;
  for (let place = at + 2; place <= at + 6 && sentence.isFree(place); place += 1) {
    const found = inverses.find(({ verb }) => verb.test(sentence.key(place)));
    if (found === undefined) continue;
    const end = /^(in|at|for|on)$/.test(sentence.key(place + 1)) ? place + 2 : place + 1;
    const noun = kindWordAt(sentence, at - 1);
    const kind = noun?.isPlural === true && noun.kind !== 'people' ? noun.kind : found.kind;
    return relate(sentence, {
      from: asker(sentence, at),
      nameFrom: at + 1,
      nameUntil: place,
      end,
      role: found.role,
      kind,
    });
  }
  return null;
}

function asksBefore(sentence: Sentence, at: number): boolean {
  return [at - 1, at - 2].some((place) => /^(what|which|where|who|whom)$/.test(sentence.key(place)));
}

/** The place of the word that asks, where only words that mean nothing stand behind it. */
function asker(sentence: Sentence, at: number): number {
  return /^(what|which|where|who|whom)$/.test(sentence.key(at - 1)) ? at - 1 : at;
}

/** "Companies that paradigm invested in", "startups a16z backed". */
function clause(sentence: Sentence, at: number): ReadRelation | null {
  const noun = kindWordAt(sentence, at);
  if (noun?.kind !== 'companies' || !noun.isPlural) return null;
  let from = at + 1;
  while (/^(that|which|where|in)$/.test(sentence.key(from))) from += 1;
  for (let place = from + 1; place <= from + 5 && sentence.isFree(place); place += 1) {
    if (!/^(invested|invests|backed|backs|funded|funds)$/.test(sentence.key(place))) continue;
    if (sentence.key(place + 1) === 'by') return null;
    const nameUntil = auxiliaries.test(sentence.key(place - 1)) ? place - 1 : place;
    const end = sentence.key(place + 1) === 'in' ? place + 2 : place + 1;
    return relate(sentence, { from: at + 1, nameFrom: from, nameUntil, end, role: 'portfolio', kind: 'companies' });
  }
  return null;
}

/** "Founder of ethereum", "speakers at devcon", "portfolio companies of paradigm". */
function nounBefore(sentence: Sentence, at: number, knowledge: Knowledge): ReadRelation | null {
  const found = roleNouns.find(({ noun }) => noun.test(sentence.key(at)));
  if (found === undefined) return null;
  const isPortfolio = found.role === 'portfolio' && /^compan(y|ies)$/.test(sentence.key(at + 1));
  const link = isPortfolio ? at + 2 : at + 1;
  if (!found.links.test(sentence.key(link)) || isAboutTopic(sentence, link + 1, knowledge)) return null;
  if (found.role === 'organizer') return askForEvent(sentence, at, link + 1);
  const from = found.isTelling ? at + 1 : at;
  return relate(sentence, { from, nameFrom: link + 1, role: found.role, kind: holders[found.role] });
}

/** What is backed or funded by these is no portfolio. */
const notInvestors =
  /^(vc|venture|asset|fiat|government|community|well|state|gold|ico|grant|un|self|crowd|bank|dollar|usd)$/;

/** "Paradigm-backed startups". */
function backedCompanies(sentence: Sentence, at: number): ReadRelation | null {
  const name = /^(.*[\p{L}\p{N}])-(backed|funded)$/iu.exec(sentence.words[at]?.name ?? '')?.[1];
  if (name === undefined || notInvestors.test(name.toLowerCase())) return null;
  sentence.take(at, at + 1, 'relation');
  return { relation: { role: 'portfolio', of: name }, kind: 'companies' };
}

/** These before a role say which one, and name nothing: "seed investors". */
const adjectives =
  /^(pre)?(seed|series|round|angel|early|late|stage|serial|institutional|technical|strategic|lead|active|female|women|male|young|solo|first|best|top|famous|known|keynote|main|new|all|company|startup|startups|our|my|their|private|retail|accredited|potential|notable|big|biggest|largest|list|show|find|me)$/;

/** "Ethereum founder", "circle's ceo", "uniswap investors", "paradigm portfolio". */
function nounBehind(sentence: Sentence, at: number, knowledge: Knowledge): ReadRelation | null {
  const found = roleNouns.find(({ noun, follows }) => follows && noun.test(sentence.key(at)));
  if (found === undefined) return null;
  const isPortfolio = found.role === 'portfolio' && /^compan(y|ies)$/.test(sentence.key(at + 1));
  const end = isPortfolio ? at + 2 : at + 1;
  const next = sentence.key(end);
  if (next !== '' && next !== 'list' && !linkWords.has(next)) return null;
  let from = at;
  while (sentence.isFree(from - 1) && !linkWords.has(sentence.key(from - 1)) && at - from < 4) from -= 1;
  while (from < at && /^(a|an|who|whos|whats|what|list|show|find|me|all)$/.test(sentence.key(from))) from += 1;
  // "The graph founder", but "who is the ethereum founder".
  if (from > 0 && sentence.key(from) === 'the') from += 1;
  const words = sentence.words.slice(from, at);
  const isPossessive = words.at(-1)?.isPossessive === true;
  if (words.some(({ key }) => adjectives.test(key)) || (!isPossessive && isTopicNotName(words, knowledge))) return null;
  if (!isPossessive && found.role !== 'founder' && found.role !== 'ceo' && isTitle(sentence, from, end)) return null;
  return relate(sentence, { from, nameFrom: from, nameUntil: at, end, role: found.role, kind: holders[found.role] });
}

/** "Erc-4337 authors" names a proposal, though the vocabulary knows what it is about. */
function isTopicNotName(words: readonly { readonly key: string }[], knowledge: Knowledge): boolean {
  return words.length === 0 || (!words.some(({ key }) => /\d{2}/.test(key)) && isPlainTopic(words, knowledge));
}

function isPlainTopic(words: readonly { readonly key: string }[], knowledge: Knowledge): boolean {
  const keys = words.map(({ key }) => key);
  return /^(ecosystem|sector|space|industry|focused)$/.test(keys.at(-1) ?? '') || isOfTopics(keys, knowledge);
}

/** Whether words are topics, one after another: "smart contract security". */
function isOfTopics(keys: readonly string[], knowledge: Knowledge): boolean {
  if (keys.length === 0) return true;
  return keys.some((_, at) => knowledge.isTopic(keys.slice(0, at + 1)) && isOfTopics(keys.slice(at + 1), knowledge));
}

/** Named by these, nobody is named. */
const generic = /^(standard|proposal|paper|book|article|token|contract|wallet|coin|blockchain|crypto|web3|defi|nft)s?$/;

/** Whether a topic or a noun that asks follows in place of a name: "investors in defi startups". */
function isAboutTopic(sentence: Sentence, from: number, knowledge: Knowledge): boolean {
  const start = sentence.key(from) === 'the' ? from + 1 : from;
  const words = sentence.words.slice(start, nameEnd(sentence, start));
  const hasNoun = words.some((_, index) => kindWordAt(sentence, start + index)?.isPlural === true);
  // "Speakers at devcon" names an event even where it is a tag, too.
  const mayBeTopic = !/^(of|at|behind|by)$/.test(sentence.key(from - 1));
  if (words.length > 0 && words.every(({ key }) => generic.test(key))) return true;
  return /^(a|an|any|some)$/.test(sentence.key(start)) || hasNoun || (mayBeTopic && isPlainTopic(words, knowledge));
}

interface Span {
  readonly from: number;
  readonly nameFrom: number;
  /** As far as the name goes by itself, if nothing is said. */
  readonly nameUntil?: number;
  /** The name's end, if nothing is said. */
  readonly end?: number;
  readonly role: RelationRole;
  readonly kind: KindName;
}

function relate(sentence: Sentence, span: Span): ReadRelation | null {
  const { from, nameFrom, nameUntil = nameEnd(sentence, nameFrom), end = nameUntil, role, kind } = span;
  const words = sentence.words.slice(nameFrom, nameUntil);
  if (words.length === 0 || words.every(({ key }) => key === '' || fillers.has(key))) return null;
  sentence.take(from, end, 'relation');
  return { relation: { role, of: nameOf(sentence, nameFrom, nameUntil) }, kind };
}
