import type { KindName } from '../../kinds/kind.ts';
import { holders, type Relation, type RelationRole } from '../questions/question.ts';
import { fold } from '../questions/words.ts';
import { wordsOf } from '../vocabulary/vocabulary.ts';
import { anyOf, type Clause, constantScore, inOrder, inTexts, ofKind, sideBySide } from './clauses.ts';

/** Points of an entity related to the named one, by the evidence. */
const relatedPoints = {
  wholeName: 104,
  partOfName: 98,
  toldText: 96,
  shortText: 94,
  longText: 90,
  similarName: 88,
} as const;
/** Additional points if its texts have the role next to the name, near it, or a leading role next to it. */
const rolePoints = { besideName: 22, nearName: 14, leading: 21 } as const;
/** Additional points if its texts do not state that this is over. */
const presentPoints = 6;
/** Other words between a role and a name, at most: further apart they rarely belong together. */
const wordsBetween = { close: 3, title: 2, near: 7, former: 9 } as const;

interface RoleWords {
  readonly role: readonly string[];
  /** Words of roles that are nearly as good. */
  readonly leading: readonly string[];
  /** True if a text with only the name proves nothing: many people mention a company where they don't work. */
  readonly mustBeTold?: true;
}

/** Words for the roles; none for a role that the relation itself proves. */
const roleWords: Readonly<Partial<Record<RelationRole, RoleWords>>> = {
  founder: {
    role: ['founder', 'cofounder', 'founded', 'cofounded', 'founding', 'creator', 'inventor', 'created', 'launched'],
    leading: ['ceo', 'chief executive', 'chief scientist', 'chief architect', 'president'],
  },
  ceo: { role: ['ceo', 'chief executive', 'president', 'runs'], leading: ['founder', 'cofounder'] },
  member: {
    role: 'at works working team lead engineer developer researcher contributor maintainer'.split(' '),
    leading: 'founder cofounder ceo cto head director advisor'.split(' '),
    mustBeTold: true,
  },
};

/** Titles behind the name of an organisation. */
const titles = 'principal partner manager associate officer chief head director lead analyst engineer researcher team';
const organizedBy = ['hosted by', 'organized by', 'organised by', 'presented by'];
const leftWords = ['previously', 'formerly', 'former', 'ex', 'prev', 'left', 'leaving'];
const formerWords = [...leftWords, 'past', 'was', 'before', 'prior', 'spent'];

/** Matches entities that certainly have a relation. A text that only mentions the name doesn't prove a role. */
export function relationProof(relation: Relation, kinds: readonly KindName[], listed: readonly Clause[] = []): Clause {
  const { role, of, or } = relation;
  const words = roleWords[role];
  if (of === '' || words === undefined || words.mustBeTold) return relationClause(relation, kinds, 'proof', listed);
  return anyOf([of, ...or].map((name) => told(words.role, name, wordsBetween.close)));
}

/** Matches entities that may have a role at one of the named ones, because they lead it. */
export function mayHaveRole(role: RelationRole, { of, or }: Relation): Clause[] {
  const { leading } = roleWords[role] ?? {};
  return leading === undefined ? [] : [of, ...or].map((name) => told(leading, name, wordsBetween.near));
}

/** Evidence for a relation: a proof, one that is likely, or one that also allows for a misspelled name. */
type Evidence = 'proof' | 'strict' | 'tolerant';

/** Matches entities related to one of those that are named, as the question asks; to several of them is better. */
export function relationClause(
  relation: Relation,
  kinds: readonly KindName[],
  evidence: Evidence,
  listed: readonly Clause[] = [],
): Clause {
  const { role, of, or } = relation;
  if (role === 'investor' && of === '') return { exists: { field: 'search.investor_ids' } };
  const kind = kinds.length === 1 ? (kinds[0] ?? holders[role]) : holders[role];
  const asked = of === '' ? [hasRole(role)] : [of, ...or].map((name) => relatedTo(relation, name, evidence));
  const should = [...asked, ...listed.map((clause) => related('wholeName', clause))];
  return { bool: { filter: [ofKind(kind)], should, minimum_should_match: 1 } };
}

/** Entities whose texts state the role, whatever it is at. */
function hasRole(role: RelationRole): Clause {
  const words = anyWord((roleWords[role]?.role ?? []).filter((word) => word.includes('found')));
  // "He can be found discussing governance".
  const not_contained_by = inOrder([anyWord(['be']), anyWord(['found'])]);
  return related('shortText', anyOf(inTexts({ any_of: { ...words.any_of, filter: { not_contained_by } } })));
}

function related(evidence: keyof typeof relatedPoints, clause: Clause): Clause {
  return constantScore(relatedPoints[evidence], clause);
}

function relatedTo({ role }: Relation, of: string, evidence: Evidence): Clause {
  const words = roleWords[role];
  const whole = 'search.relations.whole';
  const misspelt = { query: of, fuzziness: 'AUTO:4,8', prefix_length: 1 };
  const queries: Clause[] = [
    related('wholeName', { match: { [whole]: of } }),
    related('partOfName', { match_phrase: { 'search.relations': of } }),
    // "Eth prague" begins "ETHPrague 2023".
    ...(role === 'speaker' && of.includes(' ') ? [related('partOfName', { match_bool_prefix: { [whole]: of } })] : []),
    ...(role === 'organizer' ? [related('toldText', organizes(of))] : []),
    ...(role === 'organizer' && evidence !== 'proof' ? [related('similarName', beginsWith(of))] : []),
    ...(role === 'author' ? [related('wholeName', authored(of))] : []),
    ...(words === undefined ? [] : mentions(words, of)),
    ...(evidence === 'tolerant' ? [related('similarName', { match: { [whole]: misspelt } })] : []),
  ];
  return { bool: { must: [{ dis_max: { queries } }], should: words === undefined ? [] : toldRoles(words, of) } };
}

/** Matches authors of "erc-721", of any "bip", or of any "eip/erc". */
function authored(of: string): Clause {
  const series = fold(of).split('/');
  if (!/\d/.test(of)) return anyOf(series.map((one) => ({ prefix: { 'search.proposals': one.replace(/s$/, '') } })));
  return { match: { 'search.proposals': { query: of, analyzer: 'joined_neighbours' } } };
}

/** Matches texts such as "hosted by ETHGlobal", but not "ETHGlobal Lisbon, hosted by Consensys". */
function organizes(of: string): Clause {
  return anyOf(inTexts(inOrder([anyWord(organizedBy), sideBySide(of)], wordsBetween.close)));
}

/** Matches "ETHGlobal Lisbon", which ETHGlobal probably organizes. */
function beginsWith(name: string): Clause {
  const clauses = wordsOf(fold(name)).map((word) => ({ span_term: { 'search.names': word } }));
  return { span_first: { match: { span_near: { clauses, slop: 0, in_order: true } }, end: clauses.length } };
}

function mentions({ role, leading, mustBeTold }: RoleWords, of: string): Clause[] {
  if (mustBeTold) {
    // A headline may have a title right behind the name: "RockawayX Principal".
    const hasTitle = inOrder([sideBySide(of), anyWord(titles.split(' '))], wordsBetween.title);
    const said = told([...role, ...leading, ...leftWords], of, wordsBetween.close);
    return [related('toldText', anyOf([said, { intervals: { 'search.short': hasTitle } }]))];
  }
  const near = { query: of, slop: wordsBetween.close };
  return [
    related('longText', { match_phrase: { overview: near } }),
    related('shortText', { match_phrase: { 'search.short': near } }),
  ];
}

/** Returns the evidence of texts: the role, as near to the name as possible, and that it is current. */
function toldRoles({ role, leading, mustBeTold }: RoleWords, of: string): Clause[] {
  const queries = [
    constantScore(rolePoints.besideName, told(role, of, wordsBetween.close)),
    constantScore(rolePoints.nearName, told(role, of, wordsBetween.near)),
    ...(mustBeTold ? [] : [constantScore(rolePoints.leading, told(leading, of, wordsBetween.close))]),
  ];
  return [{ dis_max: { queries } }, constantScore(presentPoints, { bool: { must_not: [isOver(of)] } })];
}

/** Matches entities whose texts state that a relation to the named one is over. */
export function isOver(of: string): Clause {
  // "Prior to joining consensys".
  const not_containing = inOrder([anyWord(['before', 'prior']), sideBySide(of)], wordsBetween.title);
  return told(formerWords, of, wordsBetween.former, { filter: { not_containing } });
}

/** Matches texts with one of these words before a name, with a limited number of words between, or right after it. */
function told(words: readonly string[], of: string, between: number, filtered: Clause = {}): Clause {
  const [role, name] = [anyWord(words), sideBySide(of)];
  const intervals = [inOrder([role, name], between), inOrder([name, role])];
  return anyOf(inTexts({ any_of: { intervals, ...filtered } }));
}

function anyWord(words: readonly string[]) {
  return { any_of: { intervals: words.map((word) => sideBySide(word, { analyzer: 'stems' })) } };
}
