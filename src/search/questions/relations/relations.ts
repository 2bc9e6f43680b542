import type { KindName } from '../../../kinds/kind.ts';
import { kindWordAt, nounsOf } from '../kind-words.ts';
import { isStatement, nameStart, namesAt } from '../names.ts';
import { holders, type Relation } from '../question.ts';
import { firstOf, phrase, type Sentence } from '../sentence.ts';
import { atNamed, nounBefore, nounBehind } from './nouns.ts';
import { type FoundVerb, kindBeside, verbAt } from './roles.ts';
import { askForEvent, isAboutTopic, isGeneric, type ReadRelation, relate, type Span } from './span.ts';

const readers = [bare, askedBy, passive, ofNamed, nounBefore, adjective, formerly, nounBehind, atNamed];

/** Reads the relation that a sentence asks for, and takes it out. */
export function readRelation(sentence: Sentence): ReadRelation | null {
  const places = [...sentence.words.keys()];
  const found = firstOf(readers, (read) => firstOf(places, (at) => (sentence.isFree(at) ? read(sentence, at) : null)));
  if (found === null) noteUnknown(sentence);
  const { relations, kind } = found ?? { relations: [], kind: 'people' };
  const all = [...relations, ...asFounders(sentence, { relations, kind })];
  return all.length === 0 ? found : { kind, relations: all };
}

/** Marks words for relations and traits that the data lacks. They are searched for, but prove nothing. */
function noteUnknown(sentence: Sentence): void {
  if (nounsOf(sentence).length === 0 && sentence.key(0) !== 'who') return;
  for (const at of sentence.words.keys()) {
    // "Events for women" are about them.
    const isPurpose = sentence.is(at - 1, /^for$/);
    if (!isPurpose && sentence.after(at, unknown)) sentence.note(at, at + 1, 'ignored');
  }
}

const unknown = phrase(
  'sponsor(s|ed)?|attend(s|ed|ing)?|acquir(e|es|ed)|female|women|most(?! (recent|popular|famous))',
);

const ownCompany = phrase(
  '((a|an|their|h(is|er)|another|own|new|successful|web3|crypto) )*(company|companies|startup|startups|project|projects|protocol|protocols|business|businesses|firm|firms|something( new| else)?)',
);

/** The relation to any company: "founded a company". */
export const anyFounder: Relation = { role: 'founder', of: '', or: [] };

/** "Founders who spoke at devcon" are speakers and founders. */
function asFounders(sentence: Sentence, { relations, kind }: ReadRelation): Relation[] {
  const at = nounsOf(sentence).find((place) => sentence.is(place, /^(co)?founders?$/));
  if (at === undefined || kind !== 'people' || relations[0]?.role === 'founder') return [];
  sentence.take(at, at + 1, 'relation');
  return [anyFounder];
}

const auxiliaries =
  /^(is|are|was|were|has|have|had|did|do|does|currently|originally|previously|formerly|once|first|all|also|both)$/;

/** Reads "who founded aave", "investors who backed uniswap", "people that work at consensys", "funds invested in maker". */
function askedBy(sentence: Sentence, at: number): ReadRelation | null {
  const asker = sentence.key(at);
  const isAsker = /^(who|whos|whoever|which|that|what)$/.test(asker);
  const nounAt = askedNounAt(sentence, at, isAsker);
  const noun = kindWordAt(sentence, nounAt);
  let place = Math.max(at, nounAt) + 1;
  while (verbAt(sentence, place, 'active') === null && sentence.is(place, auxiliaries)) place += 1;
  const verb = verbAt(sentence, place, 'active');
  const answering = noun?.isPlural ? noun.kind : null;
  const isAsked = isAsker ? isAskedFor : isDone;
  if (verb === null || !isAsked(verb, answering, asker)) return null;
  const nameFrom = verb.end;
  // "Which vcs are behind solana" asks for those that invested in it.
  const role = verb.role === 'founder' && answering === 'investors' ? 'investor' : verb.role;
  // The words between remain: "which ethprague speakers", "which lawyers".
  const isWhole = sentence.words.slice(at + 1, Math.max(at, nounAt)).every(({ key }) => venture.test(key));
  const from = isWhole && isAsker && (noun?.isTelling !== true || nounAt < at) ? at : Math.max(at, nounAt) + 1;
  if (role === 'organizer') return askForEvent(sentence, from, nameFrom);
  const anyEnd = verb.role === 'founder' ? sentence.after(nameFrom, ownCompany) : null;
  sentence.take(from, anyEnd ?? from, 'relation');
  if (anyEnd !== null) return { relations: [anyFounder], kind: 'people' };
  // "Exchanges that invested in aave" are investors.
  return relateOrTopic(sentence, { from, nameFrom, role, kind: holders[role] });
}

/** Returns the position of the noun for those who are asked for; -1 if there is none. */
function askedNounAt(sentence: Sentence, at: number, isAsker: boolean): number {
  // "Which venture capital firms backed".
  const behind = [at + 1, at + 2, at + 3].findLast((next) => kindWordAt(sentence, next)?.isPlural === true);
  if (sentence.is(at, /^wh(ich|at)$/)) return behind ?? at - 1;
  return isAsker ? at - 1 : at;
}

const venture = /^(vc|venture|capital)$/;

/** "That backed" alone asks for nothing, but investors are asked for by what they do. */
function isAskedFor({ role }: FoundVerb, answering: KindName | null, asker: string): boolean {
  return asker.startsWith('who') || answering === 'people' || answering === 'investors' || role === 'investor';
}

/** Verbs directly behind a noun: "people speaking at ethprague". "Somebody making games" isn't a founder. */
function isDone({ role }: FoundVerb, kind: KindName | null): boolean {
  if (role === 'investor') return kind === 'investors';
  return kind === 'people' && (role === 'speaker' || role === 'member');
}

/** A founder founded one entity that is now also a topic ("ens"), but an investor may invest in the whole topic. */
function relateOrTopic(sentence: Sentence, span: Span): ReadRelation | null {
  const { from, nameFrom, role, kind } = span;
  const isTopic = isAboutTopic(sentence, nameFrom) && (role !== 'founder' || isGeneric(sentence, nameFrom));
  if (!isTopic) return relate(sentence, span);
  if (role !== 'investor') return null;
  sentence.take(from, nameFrom, 'kind');
  return { relations: [], kind };
}

const bareVerb = /^((spoke|worked|used to work) (at|for|in)|invested in(to)?) /;

/** Reads "spoke at devcon" and "invested in aave" at the beginning of a text. */
function bare(sentence: Sentence, at: number): ReadRelation | null {
  const isVerb = at === 0 && bareVerb.test(sentence.keys(0));
  const verb = isVerb ? verbAt(sentence, 0, 'active') : null;
  if (verb === null) return null;
  const { role, end } = verb;
  return relateOrTopic(sentence, { from: 0, nameFrom: end, role, kind: holders[role] });
}

/** Reads "companies founded by X", "events organised by X", "startups backed by X", "events by X". */
function passive(sentence: Sentence, at: number): ReadRelation | null {
  const noun = kindWordAt(sentence, at);
  if (noun?.kind === 'events' && noun.isPlural && sentence.is(at + 1, /^by$/))
    return relate(sentence, { from: at + 1, nameFrom: at + 2, role: 'organizer', kind: 'events' });
  const found = verbAt(sentence, at, 'passive');
  if (found === null || !sentence.is(found.end - 1, /^(by|from)$/)) return null;
  if (found.role === 'portfolio' && sentence.is(found.end, notInvestors)) return null;
  const role = found.role === 'ceo' && kindWordAt(sentence, at - 1)?.kind === 'events' ? 'organizer' : found.role;
  return relate(sentence, { from: at, nameFrom: found.end, role, kind: kindBeside(role) });
}

/** Reads "what did a16z invest in", "companies that a16z and paradigm both backed", "events where vitalik spoke". */
function ofNamed(sentence: Sentence, at: number): ReadRelation | null {
  const isAsker = sentence.is(at, /^(what|which|where|whom?|everything)$/);
  // "Which devcons has".
  const nounAt = sentence.is(at, /^wh(ich|at)$/) && sentence.is(at + 2, auxiliary) ? at + 1 : at;
  const noun = kindWordAt(sentence, nounAt);
  const answering = noun?.isPlural === true && noun.kind !== 'people' ? noun.kind : null;
  if (!isAsker && (answering === null || answering === 'investors')) return null;
  let nameFrom = nounAt + 1;
  while (sentence.is(nameFrom, /^(that|which|where|in)$/) || sentence.is(nameFrom, auxiliary)) nameFrom += 1;
  const isAuxiliary = sentence.is(nameFrom - 1, auxiliary);
  if (isAsker && !isAuxiliary && sentence.key(at) !== 'everything') return null;
  const found = verbBehind(sentence, nameFrom, isAuxiliary);
  const from = nounAt > at || !isAsker ? nounAt + 1 : at;
  return found && relate(sentence, { ...found, from, nameFrom, kind: answering ?? kindBeside(found.role) });
}

/** Returns the verb behind names that begin at a word; null if they are none. */
function verbBehind(sentence: Sentence, nameFrom: number, isAuxiliary: boolean) {
  for (let place = nameFrom + 1; place <= nameFrom + namesWordsMax && sentence.isFree(place); place += 1) {
    const found = verbAt(sentence, place, 'inverse');
    // "Companies that help artists invest" doesn't ask for companies that artists invest in.
    if (found === null || (!isAuxiliary && infinitive.test(sentence.keys(place)))) continue;
    let nameUntil = place;
    while (sentence.is(nameUntil - 1, auxiliaries)) nameUntil -= 1;
    let { end } = found;
    while (sentence.is(end, /^(in|into|at|for|on|money|capital|funds|whom?)$/)) end += 1;
    // "Startups in berlin founded after 2020".
    const isEnd = sentence.key(end) === '' || (found.role !== 'founder' && sentence.key(end) !== 'by');
    const isName = !isStatement(sentence, nameFrom, nameUntil);
    return isEnd && isName && namesAt(sentence, nameFrom, nameUntil).end === nameUntil
      ? { ...found, nameUntil, end }
      : null;
  }
  return null;
}

const auxiliary = /^(do|does|did|has|have|is|are|was|were)$/;
const infinitive =
  /^((co ?)?invest|back|fund|found|create|start|build|launch|work|speak|talk|present|host|organi[sz]e)\b/;

const namesWordsMax = 9;

/** Words before "backed" or "hosted", or after "by", that name neither an investor nor an organizer. */
const notInvestors =
  /^(vc|venture|asset|fiat|government|community|well|state|gold|ico|grant|un|self|crowd|bank|dollar|usd|online|recently|newly)$/;

/** Reads "paradigm-backed startups", "pantera backed companies", "webzero hosted events". */
function adjective(sentence: Sentence, at: number): ReadRelation | null {
  const joined = /^(.*[\p{L}\p{N}])-(backed|funded)$/iu.exec(sentence.words[at]?.name ?? '')?.[1];
  if (joined !== undefined && !notInvestors.test(joined.toLowerCase())) {
    // "Coinbase Ventures-backed companies".
    const from = /^(ventures|capital|labs|partners)$/i.test(joined) ? nameStart(sentence, at) : at;
    const of = `${sentence.nameOf(from, at)} ${joined}`.trim();
    sentence.take(from, at + 1, 'relation');
    return { relations: [{ role: 'portfolio', of, or: [] }], kind: 'companies' };
  }
  const found = verbAt(sentence, at, 'passive');
  const noun = kindWordAt(sentence, at + 1);
  const nameFrom = nameStart(sentence, at);
  if (found === null || found.role === 'founder' || nameFrom === at || !noun?.isPlural) return null;
  const { role, end } = found;
  if (end > at + 1 || noun.kind !== kindBeside(role) || sentence.is(nameFrom, notInvestors)) return null;
  return relate(sentence, { from: nameFrom, nameFrom, nameUntil: at, end, role, kind: noun.kind });
}

/** Reads "ex consensys developers", "previously at status". */
function formerly(sentence: Sentence, at: number): ReadRelation | null {
  const end = sentence.after(at, once);
  if (end === null) return null;
  const isLinked = sentence.is(end, /^(at|with|of|from)$/);
  const nameFrom = isLinked ? end + 1 : end;
  const nounAt = [1, 2, 3]
    .map((words) => nameFrom + words)
    .find((place) => kindWordAt(sentence, place)?.kind === 'people');
  if (nounAt === undefined && !isLinked) return null;
  const span = { from: at, nameFrom, role: 'member', kind: 'people' } as const;
  return relate(sentence, nounAt === undefined ? span : { ...span, nameUntil: nounAt, end: nounAt });
}

const once = phrase('ex|former|formerly|previously|used to be');
