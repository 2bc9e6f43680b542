import type { KindName } from '../../../kinds/kind.ts';
import type { RelationRole } from '../question.ts';
import { phrase } from '../sentence.ts';

// Words for the relation of a person or company to an entity.

interface RoleNoun {
  readonly role: RelationRole;
  readonly noun: RegExp;
  /** Words between the noun and a name. */
  readonly links: RegExp;
  /** Set if the noun may follow a name: "ethereum founder". Some are part of a longer name: "Think Investments". */
  readonly follows?: true | 'several words';
  /** True if the noun may directly precede a name: "ceo trezor". */
  readonly precedes?: true;
  /** True if the noun means more than the role, so that it is searched for as well. */
  readonly isTelling?: true;
}

export const roleNouns: readonly RoleNoun[] = [
  { role: 'founder', noun: phrase('(co )?founder'), links: /^(of|behind|at|from|for)$/, follows: true, precedes: true },
  {
    role: 'founder',
    noun: phrase('(co )?(co)?founders?|founding team'),
    links: /^(of|behind|at|from|for)$/,
    follows: true,
  },
  { role: 'founder', noun: phrase('(creator|inventor|brain|mind)s?'), links: /^(of|behind)$/ },
  {
    role: 'investor',
    noun: phrase(
      'vcs?|(vc )?funds|(venture|investment) (firms|funds|capital( firms)?|capitalists)|angels?( investors?)?',
    ),
    links: /^(of|in|behind)$/,
  },
  {
    role: 'investor',
    noun: phrase('(investor|backer|funder)s?|cap table'),
    links: /^(of|in|behind|for|at|from)$/,
    follows: true,
  },
  {
    role: 'portfolio',
    noun: phrase('portfolios? (company|companies|startups|projects|investments|list)|portfolios?'),
    links: /^(of|by|from)$/,
    follows: true,
  },
  {
    role: 'portfolio',
    noun: phrase('(co ?)?investments|holdings|bets'),
    links: /^(of|by|from)$/,
    follows: 'several words',
  },
  { role: 'speaker', noun: phrase('speakers?( list)?|lineup'), links: /^(at|of|from|in|for)$/, follows: true },
  { role: 'author', noun: phrase('(co )?(co)?(author|editor|writer)s?'), links: /^(of|behind)$/, follows: true },
  { role: 'organizer', noun: phrase('organi[sz]ers?'), links: /^(of|behind|for)$/ },
  {
    role: 'ceo',
    noun: phrase('ceos?|president|chief executive( officer)?'),
    links: /^(of|at|from|for)$/,
    follows: true,
    precedes: true,
  },
  {
    role: 'member',
    noun: phrase('team( members)?|alumni|staff|employees'),
    links: /^(of|at|from|behind)$/,
    follows: true,
  },
  {
    role: 'member',
    noun: phrase('team member|employees?|staff|members?|people|someone|somebody|anyone|folks'),
    links: /^(of|at|from|behind)$/,
  },
  {
    role: 'member',
    noun: phrase(
      '(cto|coo|cfo|manager|analyst|engineer|developer|dev|researcher|designer|scientist|lawyer|advisor|cryptographer|maintainer|contributor)s?|chief (technology|operating|financial|marketing|product|scientific) officer|(head|director|vp|lead) of [^ ]+( [^ ]+)?(?= at )',
    ),
    links: /^(at|from|of|to)$/,
    isTelling: true,
  },
];

const spoke =
  'spoke|speaks?|speaking|spoken|talked|talks|present(ed|ing|s)|appeared|(gave|gives|giving|held) (a |the )?(talks?|keynotes?|speech|presentation|workshop)';

/** Words before a topic and the name that follows it: "gave a talk about zk at devcon". */
export const doing = phrase(
  `(whos? )?(${spoke}|works?|worked|working|does|doing|runs|leads|heads|manages|responsible)( (on|about|for))?`,
);
export const speaking = phrase(`${spoke}|gave|gives|giving|held`);

interface RoleVerb {
  readonly role: RelationRole;
  /** After "who" and the like: "who founded aave". */
  readonly active: RegExp;
}

export const roleVerbs: readonly RoleVerb[] = [
  {
    role: 'founder',
    active: phrase(
      '(co)?(founded|created|started|built|invented|launched|made|established)|to (found|create|start|build|launch)|set up|came up with',
    ),
  },
  { role: 'founder', active: phrase('((the )?(brains?|minds?|people|person|man|men|woman|team|guys?) )?behind') },
  {
    role: 'investor',
    active: phrase(
      '(backed|funded|financed)(?! by)|backs|back(?= )(?! (to|from|up|in|into|out|then|and|office|home|again|when|with|each|by) )|backing|funds|funding|bankrolled|(invest|invested|invests|investing) (both )?in(to)?|bought into|bet on|(put|puts|poured) (their |its )?(money|capital|funds|cash) (in|into)|gave (money|capital|funding) to|(hold|holds|own|owns|has|have|with) (a )?(pieces?|parts?|slices?|stakes?|shares|equity|exposure|positions?) (in|to|of)|(have|has|with|holds?|holding)(?=.* in ((the|their|its) )?portfolios?)',
    ),
  },
  {
    role: 'member',
    active: phrase(
      '(used to )?(works?|worked|working) (at|for|in|with)|joined|left|quit|(is|are) employed (at|by)|(is|are) on the team of|maintains?|develops|contribut(es?|ing) to',
    ),
  },
  {
    role: 'ceo',
    active: phrase(
      '(runs|running|leads|leading|heads|heading|manages|in charge of)(?!.* at )|at the (helm|top|head) of',
    ),
  },
  { role: 'speaker', active: phrase(`(else )?(${spoke}) (at|in)|on stage at|keynoted( at)?`) },
  { role: 'author', active: phrase('wrote|(co)?authored|proposed|drafted|writes|specified') },
  { role: 'organizer', active: phrase('organi[sz](es|ed|ing)|hosts|hosted|hosting|puts on|put on') },
];

interface KindVerb {
  readonly verb: RegExp;
  readonly role: RelationRole;
  readonly kind: KindName;
}

/** Verbs of phrases such as "founded by X", with the role of X, or `portfolio` for companies that X backs. */
export const passives: readonly KindVerb[] = [
  { verb: phrase('(co)?(founded|created|started|built|launched|made)( by)?'), role: 'founder', kind: 'companies' },
  {
    verb: phrase(
      '(backed|funded|financed)( by)?|(got|get|received|took|raised) (money|funding|capital|investments?) from',
    ),
    role: 'portfolio',
    kind: 'companies',
  },
  { verb: phrase('(organi[sz]ed|hosted|held)( by)?'), role: 'organizer', kind: 'events' },
  { verb: phrase('(led|run)( by)?'), role: 'ceo', kind: 'companies' },
];

/** "What did a16z invest in", "where does hayden adams work". */
export const inverses: readonly KindVerb[] = [
  {
    verb: phrase(
      '(co ?)?invest(ed|s)?|back(ed|s)?(?! by)|fund(ed|s)?(?! by)|participate[ds]?|(have|has|hold|holds) in (their|its|the) portfolios?|put|owns? (a )?(stakes?|shares)|(an? )?(lead )?investor',
    ),
    role: 'portfolio',
    kind: 'companies',
  },
  { verb: phrase('(backed|funded|financed) by'), role: 'investor', kind: 'investors' },
  { verb: phrase('(co)?(found|create|start|launch)(e?d)?|buil[dt]'), role: 'founder', kind: 'companies' },
  { verb: phrase('works?|worked'), role: 'member', kind: 'companies' },
  {
    verb: phrase(
      'speak|spoken?|speaks|talk|talked|present|presented|appeared|(gave|given?|held) (a )?(talks?|keynotes?|speech|presentation)',
    ),
    role: 'speaker',
    kind: 'events',
  },
  { verb: phrase('organi[sz]ed?|host(ed)?'), role: 'organizer', kind: 'events' },
];
