import type { KindName } from '../../kinds/kind.ts';
import type { RelationRole } from './question.ts';

// Words that say what somebody has to do with an entity.

/** Which kind has a role. */
export const holders: Readonly<Record<RelationRole, KindName>> = {
  founder: 'people',
  investor: 'investors',
  portfolio: 'companies',
  speaker: 'people',
  member: 'people',
  author: 'people',
  organizer: 'events',
  ceo: 'people',
};

interface RoleNoun {
  readonly role: RelationRole;
  readonly noun: RegExp;
  /** Words between the noun and a name. */
  readonly links: RegExp;
  /** Whether it follows a name as well: "ethereum founder". */
  readonly follows: boolean;
  /** It says more than the role, so that it is searched for as well. */
  readonly isTelling?: true;
}

export const roleNouns: readonly RoleNoun[] = [
  { role: 'founder', noun: /^(co)?founders?$/, links: /^(of|behind|at|from|for)$/, follows: true },
  { role: 'founder', noun: /^(creator|inventor)s?$/, links: /^(of|behind)$/, follows: false },
  { role: 'investor', noun: /^vcs?$/, links: /^(of|in|behind)$/, follows: false },
  { role: 'investor', noun: /^(investor|backer|funder)s?$/, links: /^(of|in|behind|for|at|from)$/, follows: true },
  { role: 'portfolio', noun: /^portfolios?$/, links: /^(of|by|from)$/, follows: true },
  // "Think Investments" is a name.
  { role: 'portfolio', noun: /^investments$/, links: /^(of|by|from)$/, follows: false },
  { role: 'speaker', noun: /^speakers?$/, links: /^(at|of|from|in|for)$/, follows: true },
  { role: 'author', noun: /^(author|editor|writer)s?$/, links: /^(of|behind)$/, follows: true },
  { role: 'organizer', noun: /^organi[sz]ers?$/, links: /^(of|behind|for)$/, follows: false },
  { role: 'ceo', noun: /^ceos?$/, links: /^(of|at|from|for)$/, follows: true },
  {
    role: 'member',
    noun: /^(team|employees?|staff|members?|people|someone|somebody|anyone|folks)$/,
    links: /^(of|at|from|behind)$/,
    follows: false,
  },
  {
    role: 'member',
    noun: /^(cto|coo|cfo|engineer|developer|dev|researcher|designer|scientist|lawyer|advisor|cryptographer)s?$/,
    links: /^(at|from|of)$/,
    follows: false,
    isTelling: true,
  },
];

interface RoleVerb {
  readonly role: RelationRole;
  /** After "who" and the like: "who founded aave". */
  readonly active: RegExp;
  readonly links?: RegExp;
}

export const roleVerbs: readonly RoleVerb[] = [
  { role: 'founder', active: /^(co)?(founded|created|started|built|invented|launched|made)$/ },
  { role: 'founder', active: /^behind$/ },
  { role: 'investor', active: /^(backed|funded|financed|backs|funds)$/ },
  { role: 'investor', active: /^(invest|invested|invests|investing)$/, links: /^in$/ },
  { role: 'member', active: /^(works?|worked|working)$/, links: /^(at|for|with)$/ },
  { role: 'member', active: /^joined$/ },
  { role: 'ceo', active: /^(runs|leads|heads)$/ },
  { role: 'speaker', active: /^(spoke|speaks?|speaking|spoken|talked|talks|presented)$/, links: /^(at|in)$/ },
  { role: 'author', active: /^(wrote|authored|proposed|drafted)$/ },
  { role: 'organizer', active: /^(organi[sz](es|ed|ing)|hosts|hosted|hosting)$/ },
];

/** "Founded by X", and what it says about X: the role is that of X, or the portfolio X's. */
export const passives: readonly { readonly verb: RegExp; readonly role: RelationRole; readonly kind: KindName }[] = [
  { verb: /^(co)?(founded|created|started|built|launched|made)$/, role: 'founder', kind: 'companies' },
  { verb: /^(backed|funded|financed)$/, role: 'portfolio', kind: 'companies' },
  { verb: /^(organi[sz]ed|hosted|held)$/, role: 'organizer', kind: 'events' },
  { verb: /^(led|run)$/, role: 'ceo', kind: 'companies' },
];

/** "What did a16z invest in", "where does hayden adams work". */
export const inverses: readonly { readonly verb: RegExp; readonly role: RelationRole; readonly kind: KindName }[] = [
  { verb: /^(invest(ed|s)?|back(ed|s)?|fund(ed|s)?)$/, role: 'portfolio', kind: 'companies' },
  { verb: /^(found|create|start|build|launch)$/, role: 'founder', kind: 'companies' },
  { verb: /^(work|works|worked)$/, role: 'member', kind: 'companies' },
  { verb: /^(speak|spoke|speaks|talk|present)$/, role: 'speaker', kind: 'events' },
  { verb: /^(organi[sz]e|host)$/, role: 'organizer', kind: 'events' },
];
