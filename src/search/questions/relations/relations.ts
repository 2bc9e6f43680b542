import type { KindName } from '../../../kinds/kind.ts';
import { kindWordAt, nounsOf } from '../kind-words.ts';
import type { Knowledge } from '../knowledge.ts';
import { holders, type Relation, type RelationRole } from '../question.ts';
import { keysFrom, phrase, phraseEnd, type Sentence } from '../sentence.ts';
import { nounBefore, nounBehind } from './nouns.ts';
import { inverses, passives, roleVerbs } from './roles.ts';
import { askForEvent, isAboutTopic, isGeneric, type ReadRelation, relate, type Span } from './span.ts';

/** Reads the relation that a sentence asks for, and those that must hold as well, and takes them out. */
export function readRelation(sentence: Sentence, knowledge: Knowledge): ReadRelation | null {
  for (const read of [askedBy, doing, passive, inverse, clause, nounBefore, backedCompanies, nounBehind]) {
    for (const at of sentence.words.keys()) {
      const found = sentence.isFree(at) ? read(sentence, at, knowledge) : null;
      if (found === null) continue;
      const further =
        found.relation === null
          ? []
          : [
              ...furtherVerbs(sentence),
              ...furtherNouns(sentence, knowledge),
              ...asFounders(sentence, found, knowledge),
            ];
      // No relation in the data has an end.
      const former = sentence.words.findIndex((_, place) => /^(former|previous)$/.test(sentence.key(place)));
      if (former >= 0) sentence.take(former, former + 1, 'ignored');
      return { ...found, also: [...(found.also ?? []), ...further] };
    }
  }
  const [any] = asFounders(sentence, { relation: null, kind: 'people' }, knowledge);
  return any === undefined ? null : { relation: any, kind: 'people' };
}

const ownCompany = phrase(
  '((a|an|their|his|her|another|own|new|successful|web3|crypto) )*(company|companies|startup|startups|project|projects|protocol|protocols|business|businesses|firm|firms)',
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
    if (sentence.isFree(at - 1) || !/^(and|but|then|to|who|that)$/.test(sentence.key(at))) return [];
    let place = sentence.key(at) === 'to' ? at : at + 1;
    while (/^(who|that|then|later|also|have|has|are|is)$/.test(sentence.key(place))) place += 1;
    const verb = verbAt(sentence, place);
    if (verb === null) return [];
    const any = foundedAny(sentence, at, verb);
    if (any !== null) return [any];
    const read = relate(sentence, { from: at, nameFrom: verb.end, role: verb.role, kind: holders[verb.role] });
    return read?.relation ? [read.relation, ...(read.also ?? [])] : [];
  });
}

/** Reads "founders of polygon" in "founders of polygon who spoke at devcon". */
function furtherNouns(sentence: Sentence, knowledge: Knowledge): Relation[] {
  return [...sentence.words.keys()].flatMap((at) => nounBefore(sentence, at, knowledge)?.relation ?? []);
}

/** "Founders who spoke at devcon" are speakers and founders. */
function asFounders(sentence: Sentence, { relation, kind }: ReadRelation, knowledge: Knowledge): Relation[] {
  const at = nounsOf(sentence, knowledge).find((place) => /^(co)?founders$/.test(sentence.key(place)));
  if (at === undefined || kind !== 'people' || relation?.role === 'founder') return [];
  sentence.take(at, at + 1, 'relation');
  return [anyFounder];
}

const askers = /^(who|whos|whoever|which|that|what)$/;
const auxiliaries =
  /^(is|are|was|were|has|have|had|did|do|does|currently|originally|previously|formerly|once|first|all|also)$/;

/** Reads "who founded aave", "investors who backed uniswap", "people that work at consensys". */
function askedBy(sentence: Sentence, at: number, knowledge: Knowledge): ReadRelation | null {
  if (!askers.test(sentence.key(at))) return null;
  const isWho = sentence.key(at).startsWith('who') || kindWordAt(sentence, at - 1)?.kind === 'people';
  // "Which investors backed".
  const nounAt = /^wh(ich|at)$/.test(sentence.key(at))
    ? [at + 1, at + 2].find((next) => kindWordAt(sentence, next)?.isPlural === true)
    : undefined;
  const asked = nounAt === undefined ? null : kindWordAt(sentence, nounAt);
  if (asked === null && sentence.key(at) === 'what') return null;
  let place = asked === null || nounAt === undefined ? at + 1 : nounAt + 1;
  while (auxiliaries.test(sentence.key(place))) place += 1;
  const verb = verbAt(sentence, place);
  const noun = asked ?? kindWordAt(sentence, at - 1);
  const answering = noun?.isPlural === true ? noun.kind : null;
  if (verb === null || !(isWho || verb.role === 'investor' || answering === 'investors')) return null;
  const from = verb.end;
  // "Which vcs are behind solana".
  const role = roleFor(verb.role, answering, sentence.key(from));
  const kind = answering ?? holders[role];
  if (role === 'organizer') return askForEvent(sentence, at, from);
  const any = kind === 'people' ? foundedAny(sentence, at, verb) : null;
  if (any !== null) return { relation: any, kind };
  return relateOrTopic(sentence, { from: at, nameFrom: from, role, kind }, knowledge);
}

/** A founder founded one entity that is now also a topic ("ens"), but an investor may invest in the whole topic. */
function relateOrTopic(sentence: Sentence, span: Span, knowledge: Knowledge): ReadRelation | null {
  const { from, nameFrom, role, kind } = span;
  const isTopic = isAboutTopic(sentence, nameFrom, knowledge) && (role !== 'founder' || isGeneric(sentence, nameFrom));
  if (!isTopic) return relate(sentence, span);
  if (role !== 'investor') return null;
  sentence.take(from, nameFrom, 'kind');
  return { relation: null, kind };
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

/** People behind a proposal wrote it, and funds behind a company invested in it. */
function roleFor(role: RelationRole, answering: KindName | null, name: string): RelationRole {
  if (role !== 'founder') return role;
  if (answering === 'investors') return 'investor';
  return proposals.test(name) ? 'author' : role;
}

const proposals = /^(eip|erc|bip|cip|nep|slip|caip)\d*$/;

/** Reads "people speaking at ethprague", "engineers working for consensys". */
function doing(sentence: Sentence, at: number): ReadRelation | null {
  if (kindWordAt(sentence, at - 1)?.kind !== 'people' || !sentence.key(at).endsWith('ing')) return null;
  const verb = verbAt(sentence, at);
  // "Somebody making games" isn't a founder.
  if (verb === null || !(verb.role === 'speaker' || verb.role === 'member')) return null;
  return relate(sentence, { from: at, nameFrom: verb.end, role: verb.role, kind: 'people' });
}

/** Reads "companies founded by X", "events organised by X", "startups backed by X", "events by X". */
function passive(sentence: Sentence, at: number): ReadRelation | null {
  const noun = kindWordAt(sentence, at);
  if (noun?.kind === 'events' && noun.isPlural && sentence.key(at + 1) === 'by') {
    return relate(sentence, { from: at + 1, nameFrom: at + 2, role: 'organizer', kind: 'events' });
  }
  if (sentence.key(at + 1) !== 'by') return null;
  const found = passives.find(({ verb }) => verb.test(sentence.key(at)));
  if (found === undefined || (found.role === 'portfolio' && notInvestors.test(sentence.key(at + 2)))) return null;
  if (found.role === 'ceo' && kindWordAt(sentence, at - 1)?.kind === 'events')
    return relate(sentence, { from: at, nameFrom: at + 2, role: 'organizer', kind: 'events' });
  let from = at;
  while (/^(that|which|was|were|is|are|have|has|been|got)$/.test(sentence.key(from - 1))) from -= 1;
  return relate(sentence, { from, nameFrom: at + 2, role: found.role, kind: found.kind });
}

/** Reads "what did a16z invest in", "which events did vitalik speak at". */
function inverse(sentence: Sentence, at: number): ReadRelation | null {
  if (!/^(do|does|did|has|have)$/.test(sentence.key(at)) || !asksBefore(sentence, at)) return null;
  for (let place = at + 2; place <= at + 6 && sentence.isFree(place); place += 1) {
    const found = inverses.find(({ verb }) => verb.test(sentence.key(place)));
    if (found === undefined) continue;
    let end = place + 1;
    while (/^(in|into|at|for|on|money|capital|funds)$/.test(sentence.key(end))) end += 1;
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

/** Returns the position of the question word, if only words without meaning follow it. */
function asker(sentence: Sentence, at: number): number {
  return /^(what|which|where|who|whom)$/.test(sentence.key(at - 1)) ? at - 1 : at;
}

/** Reads "companies that paradigm invested in", "startups a16z backed". */
function clause(sentence: Sentence, at: number): ReadRelation | null {
  const noun = kindWordAt(sentence, at);
  if (noun?.kind !== 'companies' || !noun.isPlural) return null;
  let from = at + 1;
  while (/^(that|which|where|in)$/.test(sentence.key(from))) from += 1;
  for (let place = from + 1; place <= from + 5 && sentence.isFree(place); place += 1) {
    const isFounding = /^(co)?(founded|started|created|launched)$/.test(sentence.key(place));
    if (!isFounding && !/^(invested|invests|backed|backs|funded|funds)$/.test(sentence.key(place))) continue;
    const next = sentence.key(place + 1);
    // "Startups in berlin founded after 2020".
    if (next === 'by' || (isFounding && next !== '')) return null;
    const nameUntil = auxiliaries.test(sentence.key(place - 1)) ? place - 1 : place;
    const end = sentence.key(place + 1) === 'in' ? place + 2 : place + 1;
    return relate(sentence, {
      from: at + 1,
      nameFrom: from,
      nameUntil,
      end,
      role: isFounding ? 'founder' : 'portfolio',
      kind: 'companies',
    });
  }
  return null;
}

/** Words after "backed by" or "funded by" that make no portfolio. */
const notInvestors =
  /^(vc|venture|asset|fiat|government|community|well|state|gold|ico|grant|un|self|crowd|bank|dollar|usd)$/;

/** Reads "paradigm-backed startups". */
function backedCompanies(sentence: Sentence, at: number): ReadRelation | null {
  const name = /^(.*[\p{L}\p{N}])-(backed|funded)$/iu.exec(sentence.words[at]?.name ?? '')?.[1];
  if (name === undefined || notInvestors.test(name.toLowerCase())) return null;
  sentence.take(at, at + 1, 'relation');
  return { relation: { role: 'portfolio', of: name, or: [] }, kind: 'companies' };
}
