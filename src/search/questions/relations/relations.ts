import type { KindName } from '../../../kinds/kind.ts';
import { isTitle, type KindWord, kindWordAt, nounsOf } from '../kind-words.ts';
import type { Knowledge } from '../knowledge.ts';
import { afterArticle, isStatement, nameStart, namesAt, series } from '../names.ts';
import { holders, type Relation, type RelationRole } from '../question.ts';
import { keysFrom, nameOf, phrase, phraseEnd, type Sentence } from '../sentence.ts';
import { atNamed, fromNamed, nounBefore, nounBehind } from './nouns.ts';
import { inverses, passives, roleVerbs } from './roles.ts';
import { askForEvent, isAboutTopic, isGeneric, type ReadRelation, relate, type Span } from './span.ts';

/** Reads the relation that a sentence asks for, and those that must hold as well, and takes them out. */
export function readRelation(sentence: Sentence, knowledge: Knowledge): ReadRelation | null {
  for (const read of [bare, askedBy, passive, ofNamed, nounBefore, adjective, formerly, nounBehind, atNamed]) {
    for (const at of sentence.words.keys()) {
      const found = sentence.isFree(at) ? read(sentence, at, knowledge) : null;
      if (found === null) continue;
      if (found.relations.length === 0) return found;
      const further = [...furtherVerbs(sentence), ...furtherNouns(sentence, knowledge)];
      const all = [...found.relations, ...further, ...asFounders(sentence, found, knowledge)];
      // One with a name first, because others give way.
      return { ...found, relations: all.toSorted((one, other) => Number(one.of === '') - Number(other.of === '')) };
    }
  }
  noteUnknown(sentence, knowledge);
  const relations = asFounders(sentence, { relations: [], kind: 'people' }, knowledge);
  return relations.length === 0 ? null : { relations, kind: 'people' };
}

/** Marks words for relations and traits that the data lacks. They are searched for, but prove nothing. */
function noteUnknown(sentence: Sentence, knowledge: Knowledge): void {
  if (nounsOf(sentence, knowledge).length === 0 && sentence.key(0) !== 'who') return;
  for (const at of sentence.words.keys())
    if (unknown.test(keysFrom(sentence, at))) sentence.note(at, at + 1, 'ignored');
}

const unknown = phrase(
  'sponsor(s|ed)?|attend(s|ed|ing)?|acquir(e|es|ed)|female|women|most(?! (recent|popular|famous))',
);

const ownCompany = phrase(
  '((a|an|their|h(is|er)|another|own|new|successful|web3|crypto) )*(company|companies|startup|startups|project|projects|protocol|protocols|business|businesses|firm|firms|something( new| else)?)',
);

/** Returns the relation to any company: "founded a company". */
function foundedAny(sentence: Sentence, from: number, verb: FoundVerb): Relation | null {
  const end = verb.role === 'founder' ? phraseEnd(keysFrom(sentence, verb.end), verb.end, ownCompany) : null;
  if (end === null) return null;
  sentence.take(from, end, 'relation');
  return anyFounder;
}

const anyFounder: Relation = { role: 'founder', of: '', or: [] };

/** Reads "... and founded a company", "... and backed aave" behind a relation. */
function furtherVerbs(sentence: Sentence): Relation[] {
  return [...sentence.words.keys()].flatMap((at) => {
    if (sentence.isFree(at - 1) || !/^(and|but|then|to|who|that|working|speaking)$/.test(sentence.key(at))) return [];
    let place = /^(to|working|speaking)$/.test(sentence.key(at)) ? at : at + 1;
    while (/^(who|that|then|later|also|have|has|are|is|went|on|now)$/.test(sentence.key(place))) place += 1;
    const verb = verbAt(sentence, place);
    if (verb === null) return [];
    const any = foundedAny(sentence, at, verb);
    if (any !== null) return [any];
    const span = { from: at, nameFrom: verb.end, role: verb.role, kind: holders[verb.role] };
    return relate(sentence, span)?.relations ?? [];
  });
}

/** Reads "founders of polygon" in "founders of polygon who spoke at devcon". */
function furtherNouns(sentence: Sentence, knowledge: Knowledge): Relation[] {
  const read = [nounBefore, formerly, nounBehind, fromNamed];
  return [...sentence.words.keys()].flatMap((at) =>
    read.flatMap((one) => one(sentence, at, knowledge)?.relations ?? []),
  );
}

/** "Founders who spoke at devcon" are speakers and founders. */
function asFounders(sentence: Sentence, { relations, kind }: ReadRelation, knowledge: Knowledge): Relation[] {
  const at = nounsOf(sentence, knowledge).find((place) => /^(co)?founders?$/.test(sentence.key(place)));
  if (at === undefined || kind !== 'people' || relations[0]?.role === 'founder') return [];
  sentence.take(at, at + 1, 'relation');
  return [anyFounder];
}

const auxiliaries =
  /^(is|are|was|were|has|have|had|did|do|does|currently|originally|previously|formerly|once|first|all|also|both)$/;

/** Reads "who founded aave", "investors who backed uniswap", "people that work at consensys", "funds invested in maker". */
function askedBy(sentence: Sentence, at: number, knowledge: Knowledge): ReadRelation | null {
  const asker = sentence.key(at);
  const isAsker = /^(who|whos|whoever|which|that|what)$/.test(asker);
  const nounAt = askedNounAt(sentence, at, isAsker);
  const noun = kindWordAt(sentence, nounAt);
  let place = Math.max(at, nounAt) + 1;
  while (verbAt(sentence, place) === null && auxiliaries.test(sentence.key(place))) place += 1;
  const verb = verbAt(sentence, place) ?? holdingAt(sentence, Math.max(at, nounAt) + 1, noun);
  // "Did any investor fund both", "a fund that backed".
  const isSome = noun !== null && (noun.isPlural || /^(any|an?)$/.test(sentence.key(nounAt - 1)));
  const answering = isSome ? noun.kind : null;
  if (verb === null || !(isAsker ? isAskedFor(verb, asker, answering) : isDone(verb, answering))) return null;
  const nameFrom = verb.end;
  // "Which vcs are behind solana".
  const role = roleFor(verb.role, answering, sentence.key(afterArticle(sentence, nameFrom)));
  const kind = kindFor(role, noun, sentence.key(place));
  // The words between remain: "which ethprague speakers".
  const isWhole = sentence.words.slice(at + 1, Math.max(at, nounAt)).every(({ key }) => venture.test(key));
  const from = isWhole && isAsker ? at : Math.max(at, nounAt) + 1;
  if (role === 'organizer') return askForEvent(sentence, from, nameFrom);
  const any = kind === 'people' ? foundedAny(sentence, from, verb) : null;
  if (any !== null) return { relations: [any], kind };
  return relateOrTopic(sentence, { from, nameFrom, role, kind }, knowledge);
}

const holding = phrase('((jointly|all) )?(hold|holds|own|owns|have both)(?! (an?|the|no|more|over) )');

/** Returns the verb of "funds that hold aave"; what others hold is not a company. */
function holdingAt(sentence: Sentence, at: number, noun: KindWord | null): FoundVerb | null {
  const end = noun?.kind === 'investors' ? phraseEnd(keysFrom(sentence, at), at, holding) : null;
  return end === null ? null : { role: 'investor', end };
}

/** Returns the position of the noun for those who are asked for; -1 if there is none. */
function askedNounAt(sentence: Sentence, at: number, isAsker: boolean): number {
  // "Which venture capital firms backed".
  const behind = [at + 1, at + 2, at + 3].findLast((next) => kindWordAt(sentence, next)?.isPlural === true);
  if (/^wh(ich|at)$/.test(sentence.key(at))) return behind ?? at - 1;
  return isAsker ? at - 1 : at;
}

const venture = /^(vc|venture|capital)$/;

/** "That backed" alone asks for nothing, but investors are asked for by what they do. */
function isAskedFor({ role }: FoundVerb, asker: string, answering: KindName | null): boolean {
  return asker.startsWith('who') || answering === 'people' || answering === 'investors' || role === 'investor';
}

/** Verbs directly behind a noun: "people speaking at ethprague". "Somebody making games" isn't a founder. */
function isDone({ role }: FoundVerb, kind: KindName | null): boolean {
  return kind === 'investors' ? role === 'investor' : kind === 'people' && (role === 'speaker' || role === 'member');
}

/** A founder founded one entity that is now also a topic ("ens"), but an investor may invest in the whole topic. */
function relateOrTopic(sentence: Sentence, span: Span, knowledge: Knowledge): ReadRelation | null {
  const { from, nameFrom, role, kind } = span;
  const isTopic = isAboutTopic(sentence, nameFrom, knowledge) && (role !== 'founder' || isGeneric(sentence, nameFrom));
  if (!isTopic) return relate(sentence, span);
  if (role !== 'investor') return null;
  sentence.take(from, nameFrom, 'kind');
  return { relations: [], kind };
}

/** Reads "spoke at devcon" and "invested in aave" at the beginning of a text. */
function bare(sentence: Sentence, at: number, knowledge: Knowledge): ReadRelation | null {
  const verb =
    at === 0 && /^((spoke|worked|used to work) (at|for|in)|invested in(to)?) /.test(keysFrom(sentence, 0))
      ? verbAt(sentence, 0)
      : null;
  if (verb === null || isTitle(sentence, 0, verb.end)) return null;
  const { role, end } = verb;
  return relateOrTopic(sentence, { from: 0, nameFrom: end, role, kind: holders[role] }, knowledge);
}

interface FoundVerb {
  readonly role: RelationRole;
  /** The position after it. */
  readonly end: number;
}

function verbAt(sentence: Sentence, at: number): FoundVerb | null {
  const keys = keysFrom(sentence, at);
  for (const { role, active } of roleVerbs) {
    const end = phraseEnd(keys, at, active);
    if (end !== null) return { role, end };
  }
  return null;
}

/** Returns the kind of those who have a role. "Exchanges that invested in aave" are investors. */
function kindFor(role: RelationRole, noun: KindWord | null, verb: string): KindName {
  const hasInvested = role === 'investor' && noun?.kind === 'companies' && verb.endsWith('ed');
  return noun?.isPlural === true && !hasInvested ? noun.kind : holders[role];
}

/** People behind a proposal wrote it, and funds behind a company invested in it. */
function roleFor(role: RelationRole, answering: KindName | null, name: string): RelationRole {
  if (role !== 'founder') return role;
  if (answering === 'investors') return 'investor';
  return series.test(name.replace(/\d+$/, '')) ? 'author' : role;
}

/** Reads "companies founded by X", "events organised by X", "startups backed by X", "events by X". */
function passive(sentence: Sentence, at: number): ReadRelation | null {
  const noun = kindWordAt(sentence, at);
  if (noun?.kind === 'events' && noun.isPlural && sentence.key(at + 1) === 'by') {
    return relate(sentence, { from: at + 1, nameFrom: at + 2, role: 'organizer', kind: 'events' });
  }
  const keys = keysFrom(sentence, at);
  const found = passives.find(({ verb }) => verb.test(keys));
  const nameFrom = found === undefined ? null : phraseEnd(keys, at, found.verb);
  if (found === undefined || nameFrom === null || !/^(by|from)$/.test(sentence.key(nameFrom - 1))) return null;
  if (found.role === 'portfolio' && notInvestors.test(sentence.key(nameFrom))) return null;
  if (found.role === 'ceo' && kindWordAt(sentence, at - 1)?.kind === 'events')
    return relate(sentence, { from: at, nameFrom, role: 'organizer', kind: 'events' });
  return relate(sentence, { from: at, nameFrom, role: found.role, kind: found.kind });
}

/** Reads "what did a16z invest in", "companies that a16z and paradigm both backed", "events where vitalik spoke". */
function ofNamed(sentence: Sentence, at: number): ReadRelation | null {
  // "Ethena was financed by whom".
  const endsWithWhom = at === 0 && /^whom?$/.test(sentence.key(sentence.words.length - 1));
  const isAsker = endsWithWhom || /^(what|which|where|whom?|everything)$/.test(sentence.key(at));
  // "Which devcons has".
  const nounAt = /^wh(ich|at)$/.test(sentence.key(at)) && auxiliary.test(sentence.key(at + 2)) ? at + 1 : at;
  const noun = kindWordAt(sentence, nounAt);
  const answering = noun?.isPlural === true && noun.kind !== 'people' ? noun.kind : null;
  if (!isAsker && (answering === null || answering === 'investors')) return null;
  let nameFrom = endsWithWhom ? at : nounAt + 1;
  while (/^(that|which|where|in)$/.test(sentence.key(nameFrom)) || auxiliary.test(sentence.key(nameFrom)))
    nameFrom += 1;
  const isAuxiliary = endsWithWhom || auxiliary.test(sentence.key(nameFrom - 1));
  // "Events in prague where vitalik spoke".
  const isApart = at > 0 && !sentence.isFree(at - 1);
  if (isAsker && !isAuxiliary && !isApart && sentence.key(at) !== 'everything') return null;
  const found = verbBehind(sentence, nameFrom, isAuxiliary);
  const from = nounAt > at || !isAsker ? nounAt + 1 : at;
  return found && relate(sentence, { ...found, from, nameFrom, kind: answering ?? found.kind });
}

/** Returns the verb behind names that begin at a word; null if they are none. */
function verbBehind(sentence: Sentence, nameFrom: number, isAuxiliary: boolean) {
  for (let place = nameFrom + 1; place <= nameFrom + namesWordsMax && sentence.isFree(place); place += 1) {
    const keys = keysFrom(sentence, place);
    const found = inverses.find(({ verb }) => verb.test(keys));
    // "Companies that help artists invest" doesn't ask for companies that artists invest in.
    if (found === undefined || (!isAuxiliary && infinitive.test(keys))) continue;
    let nameUntil = place;
    while (auxiliaries.test(sentence.key(nameUntil - 1))) nameUntil -= 1;
    let end = phraseEnd(keys, place, found.verb) ?? place;
    while (/^(in|into|at|for|on|money|capital|funds|whom?)$/.test(sentence.key(end))) end += 1;
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
    const of = `${nameOf(sentence, from, at)} ${joined}`.trim();
    sentence.take(from, at + 1, 'relation');
    return { relations: [{ role: 'portfolio', of, or: [] }], kind: 'companies' };
  }
  const found = passives.find(({ verb, role }) => role !== 'founder' && verb.test(sentence.key(at)));
  const noun = kindWordAt(sentence, at + 1);
  const nameFrom = nameStart(sentence, at);
  if (found === undefined || nameFrom === at || !noun?.isPlural || noun.kind !== found.kind) return null;
  if (notInvestors.test(sentence.key(nameFrom))) return null;
  return relate(sentence, { from: nameFrom, nameFrom, nameUntil: at, end: at + 1, role: found.role, kind: found.kind });
}

/** Reads "ex consensys developers", "previously at status". */
function formerly(sentence: Sentence, at: number): ReadRelation | null {
  const end = phraseEnd(keysFrom(sentence, at), at, once);
  if (end === null) return null;
  const isLinked = /^(at|with|of|from)$/.test(sentence.key(end));
  const nameFrom = isLinked ? end + 1 : end;
  const nounAt = [1, 2, 3]
    .map((words) => nameFrom + words)
    .find((place) => kindWordAt(sentence, place)?.kind === 'people');
  if (nounAt === undefined && !isLinked) return null;
  const span = { from: at, nameFrom, role: 'member', kind: 'people' } as const;
  return relate(sentence, nounAt === undefined ? span : { ...span, nameUntil: nounAt, end: nounAt });
}

const once = phrase('ex|former|formerly|previously|used to be');
