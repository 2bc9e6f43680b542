import type { KindName } from '../../../kinds/kind.ts';
import type { RelationRole } from '../question.ts';
import { firstOf, phrase, type Sentence } from '../sentence.ts';

// Words for the relation of a person or company to an entity.

interface RoleNoun {
  readonly role: RelationRole;
  readonly noun: RegExp;
  /** Words between the noun and a name. */
  readonly links: RegExp;
  /**
   * Set if the noun may follow a name: "ethereum founder". Some are part of a longer name ("Think Investments"), and
   * "companies" needs a possessive.
   */
  readonly follows?: true | 'several words' | 'possessive';
  /** True if the noun may directly precede a name: "ceo trezor". */
  readonly precedes?: true;
  /** True if the noun means more than the role, so that it is searched for as well. */
  readonly isTelling?: true;
}

const follows = { follows: true } as const;
const alone = { follows: true, precedes: true } as const;

export const roleNouns: readonly RoleNoun[] = [
  noun('founder', '(co )?founder', 'of|behind|at|from|for', alone),
  noun('founder', '(co )?(co)?founders?|founding team', 'of|behind|at|from|for', follows),
  noun('founder', '(creator|inventor|brain|mind)s?', 'of|behind'),
  noun(
    'investor',
    'vcs?|(vc )?funds|(venture|investment) (firms|funds|capital( firms)?|capitalists)|angels?( investors?)?',
    'of|in|behind',
  ),
  noun('investor', '(investor|backer|funder)s?|cap table', 'of|in|behind|for|at|from', follows),
  noun(
    'portfolio',
    'portfolios? (company|companies|startups|projects|investments|list)|portfolios?',
    'of|by|from',
    follows,
  ),
  noun('portfolio', '(co ?)?investments|holdings', 'of|by|from', { follows: 'several words' }),
  // No name follows: "companies of aave" are others.
  noun('portfolio', 'companies|startups', '(?!)', { follows: 'possessive' }),
  noun('speaker', 'speakers?( list)?|lineup', 'at|of|from|in|for', follows),
  noun('author', '(co )?(co)?(author|editor|writer)s?', 'of|behind', follows),
  noun('organizer', 'organi[sz]ers?', 'of|behind|for'),
  noun('ceo', 'ceos?|president|chief executive( officer)?', 'of|at|from|for', alone),
  noun('member', '((whose )?(bio|biography|cv|profile) (shows?|mentions?|lists?) )?(an? )?stint', 'at|with'),
  noun('member', 'team( members)?|alumni|staff|employees', 'of|at|from|behind', follows),
  noun('member', 'team member|employees?|staff|members?|people|someone|somebody|anyone|folks', 'of|at|from|behind'),
  noun(
    'member',
    '(cto|coo|cfo|manager|analyst|engineer|developer|dev|researcher|designer|scientist|lawyer|advisor|cryptographer|maintainer|contributor)s?|chief (technology|operating|financial|marketing|product|scientific) officer|(head|director|vp|lead) of [^ ]+( [^ ]+)?(?= at )',
    'at|from|of|to',
    { isTelling: true },
  ),
];

function noun(
  role: RelationRole,
  words: string,
  links: string,
  more: Pick<RoleNoun, 'follows' | 'precedes' | 'isTelling'> = {},
): RoleNoun {
  return { role, noun: phrase(words), links: phrase(links), ...more };
}

const spoke =
  'spoke|speaks?|speaking|spoken|talked|talks|present(ed|ing|s)|appeared|(took|takes?|taking) (to )?the stage|(gave|gives|giving|held) (a |the )?(talks?|keynotes?|speech|presentation|workshop)';

/** Words before a topic and the name that follows it: "gave a talk about zk at devcon". */
export const doing = phrase(
  `(whos? |that )?(has |have |had )?(${spoke}|works?|worked|working|does|doing|runs|leads|heads|manages|responsible)( (on|about|for))?`,
);
export const speaking = phrase(`${spoke}|gave|gives|giving|held`);

interface RoleVerbs {
  readonly role: RelationRole;
  /** After "who" and the like: "who founded aave". */
  readonly active?: RegExp;
  /** As in "founded by X", with the role of X, or `portfolio` for companies that X backs. */
  readonly passive?: RegExp;
  /** "What did a16z invest in", "where does hayden adams work". */
  readonly inverse?: RegExp;
}

const roleVerbs: readonly RoleVerbs[] = [
  {
    role: 'founder',
    active: phrase(
      '(co)?(founded|created|started|built|invented|launched|made|established)( (or|and) (co)?founded)?|to (found|create|start|build|launch)|set up|came up with|((the )?(brains?|minds?|people|person|man|men|woman|team|guys?) )?behind',
    ),
    passive: phrase('(co)?(founded|created|started|built|launched|made)( by)?'),
    inverse: phrase('(co)?(found|create|start|launch)(e?d)?|buil[dt]'),
  },
  {
    role: 'investor',
    active: phrase(
      '(backed|funded|financed)(?! by)|backs|back(?= )(?! (to|from|up|in|into|out|then|and|office|home|again|when|with|each|by) )|backing|funds|funding|(invest|invested|invests|investing|(puts?|putting|poured) (money|cash|capital)(?!.* and in)) (both )?in(to)?',
    ),
    inverse: phrase('(backed|funded|financed) by|raised? ((any )?(money|funding|capital) )?from'),
  },
  {
    role: 'portfolio',
    passive: phrase('(backed|funded|financed)( by)?|raised (money|funding|capital) from'),
    inverse: phrase('(co ?)?invest(ed|s)?|back(ed|s)?(?! by)|fund(ed|s)?(?! by)|(an? )?(lead )?investor'),
  },
  {
    role: 'member',
    active: phrase(
      '(used to )?(works?|worked|working) (at|for|in|with)|joined|left|quit|((is|are) )?employed (at|by)|(is|are) on the team of|maintains?|develops|contribut(es?|ing) to',
    ),
    inverse: phrase('works?|worked'),
  },
  {
    role: 'ceo',
    active: phrase(
      '(runs|running|leads|leading|heads|heading|manages|in charge of)(?!.* at )|at the (helm|top|head) of',
    ),
    passive: phrase('(led|run)( by)?'),
  },
  {
    role: 'speaker',
    active: phrase(`(else )?(${spoke}) (at|in)|on stage at|keynoted( at)?`),
    inverse: phrase(
      'speak|spoken?|speaks|talk|talked|present|presented|appeared|(gave|given?|held) (a )?(talks?|keynotes?|speech|presentation)',
    ),
  },
  { role: 'author', active: phrase('wrote|(co)?authored|proposed|drafted|writes|specified') },
  {
    role: 'organizer',
    active: phrase('organi[sz](es|ed|ing)|hosts|hosted|hosting|puts on|put on'),
    passive: phrase('(organi[sz]ed|hosted|held)( by)?'),
    inverse: phrase('organi[sz]ed?|host(ed)?'),
  },
];

export interface FoundVerb {
  readonly role: RelationRole;
  /** The position after it. */
  readonly end: number;
}

/** Returns the verb that begins at a word. */
export function verbAt(sentence: Sentence, at: number, form: 'active' | 'passive' | 'inverse'): FoundVerb | null {
  return firstOf(roleVerbs, ({ role, [form]: verb }) => {
    const end = verb === undefined ? null : sentence.after(at, verb);
    return end === null ? null : { role, end };
  });
}

/** Returns the kind of the entity at the other end of a passive or inverse verb: "events organized by X". */
export function kindBeside(role: RelationRole): KindName {
  if (role === 'investor') return 'investors';
  return role === 'speaker' || role === 'organizer' ? 'events' : 'companies';
}
