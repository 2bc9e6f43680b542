import type { KindName } from '../../kinds/kind.ts';
import { kindWordAt, nounsOf } from './kind-words.ts';
import { seriesOfProposals } from './names.ts';
import { type AmountRange, amountKinds } from './question.ts';
import type { NameSpan } from './relations/possible-names.ts';
import { phrase, type Sentence, type Word } from './sentence.ts';
import { numberWords, valuesByWord } from './times/calendar.ts';
import { fold } from './words.ts';

const least =
  '(?:more|greater|higher|larger|bigger) than|(?:no|not) (?:less|fewer) than|at least|an? minimum of|in excess of|north of|upwards of|exceed(?:s|ed|ing)?|surpass(?:es|ed|ing)?|over|above|>=?|≥';
const most = '(?:no|not) more than|(?:fewer|less|lower|smaller) than|at most|an? maximum of|up to|under|below|<=?|≤';

const units = valuesByWord([
  [12, 'dozen'],
  [100, 'hundred'],
  [1_000, 'k thousand'],
  [1_000_000, 'm mn mil mio mln million'],
  [1_000_000_000, 'b bn billion'],
]);
const unit = '(?:dozen|hundred|thousand|mi?ln?|mio|million|billion)';
const number = `(?:(?:[$€£]?\\d[\\d.,]*(?:k|mn?|bn?)?\\+?|${[...numberWords.keys()].join('|')})(?: ${unit}){0,2}|an?(?: ${unit}){1,2})(?: (?:us )?(?:usd|dollars|euros?|[$€£]))?(?: or more| plus)?`;
const compared = `(?:(${least}|${most}|max|between|from) ?)?(${number})(?:(?: (?:and|to) |[-–])(${number}))?`;

const whose = '(?:(?:that|which|who|whose) )?';
/** Words for what is counted, before and after an amount. */
const before =
  'have|has|had|with|having|of|is|are|was|were|can|could|an?|the|their|whose|here|stated|known|disclosed|total|number|size|counts?|employ|employee|employs|employing|employees|staff|team|headcount|workforce|raised?|raising|got|received|secured|funding|capital|capacity|room|space|seats|for|take|hold|host|fit|portfolio|backed(?: by)?';
const holding = '(?:portfolio )?(?:companies|startups|projects|names|holdings|investments|bets|deals)';
const after = `(?:(?: in| of)?(?: total)?(?: named| known| listed| disclosed)? (?:employees|people|staff|workers|persons?|members|strong|funding|capital|raised|attendees|guests|visitors|participants|seats|places|capacity|investors|vcs|backers|funds|proposals|${holding}))?(?: or more| plus)?(?: (?:in (?:total|it|(?:the|their|its) portfolio)|overall|altogether|so far|to date|on (?:record|the list|board)|recorded|listed))?`;
const series = `(?:${seriesOfProposals})s?`;
const proposals = `(?: [a-z]+)? (?:(?:improvement|enhancement) proposals|${series}(?:(?:/| and | or )${series})?)(?= |$)`;
const oneSeries = phrase(`(?: [a-z]+)? (${seriesOfProposals})s?(?! (?:and|or) )`);
const amount = phrase(`${whose}(?:(?:${before}) )*${compared}${after}`);
const ofProposals = phrase(`${compared}(?=${proposals})`);
const subjects: readonly (readonly [AmountRange['about'], RegExp])[] = [
  ['capacity', /\b(capacity|(room|space|seats) for|attendees|guests|visitors|participants|seats)\b/],
  ['portfolio', new RegExp(`\\b(portfolio|${holding})\\b`)],
  ['investors', /\b(investors|vcs|backers|funds)\b/],
  ['proposals', /\bproposals\b/],
  ['employees', /\b(employ|people|staff|workers|persons?|members|strong|team|headcount|workforce)/],
  ['funding', /\b(rais|funding|capital|received|secured|got\b)/],
];

/** An amount of anything else: "with more than 1000 users", "valued at over a billion". */
const other = phrase(
  `(?:${whose}(?:with|having|of|is|are|was|were) (?:an? )?(?:[a-z]+ (?:of )?)?|(?:valued at|worth) |${whose}(?:have|has|had)? ?)(?!(?:over|up to) (?:19|20)\\d\\d)(?:${least}|${most}) ${number}(?!${proposals})(?! (?:day|week|month|year)s? (?:old|ago))(?: portfolio)?(?: (?!and |or |in |at |on |from |with |that |who |for )[a-z]+)?|${whose}(?:have |has |had |having |with |drawn |attracted )+${number} (?!people|employees|staff|workers|members)[a-z]+ or more|${number}(?=${proposals})`,
);

/** Takes amounts out of the sentence, and returns those that the data has. No words of texts answer the others. */
export function readAmounts(sentence: Sentence, kinds: readonly KindName[], names: readonly NameSpan[]): AmountRange[] {
  // Most texts have no number, and nearly every pattern needs one.
  if (
    !sentence.words.some(
      ({ key }) =>
        /\d|^(raised|funding|investors|backers|vcs?|venture)$|funded$|backed$/.test(key) ||
        numberWords.has(key) ||
        units.has(key),
    )
  )
    return [];
  const isOfEvents = sentence.words.some((_, at) => kindWordAt(sentence, at)?.kind === 'events');
  const found: AmountRange[] = [];
  const endOf = (at: number, text: string) => at + text.trim().split(' ').length;
  for (const at of sentence.words.keys()) {
    const keys = sentence.keys(at, at + wordsMax, keyWithDash);
    const asAmount = amountIn(keys, isOfEvents);
    const isAsked = asAmount !== null && asksForOwner(sentence, asAmount, at, endOf(at, asAmount.text));
    const read = isAsked ? asAmount : isOfEvents ? null : anyFunding(sentence, at, keys, kinds);
    const text = read?.text ?? other.exec(keys)?.[0];
    if (text === undefined) continue;
    const end = endOf(at, text);
    // "Capital 6" is a name.
    if (names.some(({ from, until }) => from < end && until > at)) continue;
    sentence.take(at, end, read === null ? 'ignored' : 'amount');
    if (read !== null) found.push(read);
  }
  return found;
}

const known = '(?:known|disclosed|given|listed|published)';
const funding = `funding(?: (?:amount|sum|figure|total)s?)?`;
const raisedAny = phrase(
  `${whose}(?:(?:have|has|had) )?(?:(?:raised|got|received|secured) (?:any |some )?(?:money|funding|capital|funds)|${funding} (?:must be |should be |is )?${known}|with (?:an? )?(?:${known} )?${funding}(?: ${known})?)(?! (total|from|by|of|over|above|under|below|between|at|more|less|up|rounds?|in (?:19|20)\\d\\d|last|this|since|during|before|after)( |$))`,
);

const funded = phrase('funded(?= )|(?:vc|venture|venture capital|investor) ?(?:funded|backed)(?= )');
const backedByAny = phrase(
  `${whose}(?:with|have|having|has) (?:(?:any|some) )?(?:${known} (?:investors|backers|vcs)|(?:vc|venture capital) (?:money|funding|backing)|(?:investors|backers|vcs) ${known})(?! (such|like|including|from|by|named|called|in)( |$))`,
);

/** Reads "that raised money", which any amount proves, but not "haven't yet raised money". "But" ends a denial. */
function anyFunding(sentence: Sentence, at: number, keys: string, kinds: readonly KindName[]): AmountRange | null {
  const before = sentence.keys(Math.max(0, at - 3), at).split(' ');
  const isDenied = before.slice(before.lastIndexOf('but') + 1).some((key) => /^(not|never|no)$|n['’]?t$/.test(key));
  if (isDenied || !kinds.every((kind) => kind === 'companies' || kind === 'investors')) return null;
  // "Does aave have vc money" asks for it.
  const isAsked = sentence.is(0, /^(do|does|did|has|have|is|are)$/);
  // "Funded startups", but "funded startups by a16z".
  const isFirst = at === 0 && kinds.length > 0 && !/ (by|from|of) /.test(keys) && hasTopicsBeforeNoun(sentence);
  const backed = isAsked ? undefined : ((isFirst ? funded.exec(keys) : null) ?? backedByAny.exec(keys))?.[0];
  if (backed !== undefined) return { about: 'investors', of: null, from: 1, until: null, text: backed };
  const text = kinds.includes('investors') ? undefined : raisedAny.exec(keys)?.[0];
  return text === undefined ? null : anyMoney(text);
}

/** Returns true for "funded solana startups", but not for "funded trader platforms". */
function hasTopicsBeforeNoun(sentence: Sentence): boolean {
  const noun = nounsOf(sentence)[0] ?? 0;
  const from = sentence.words.findIndex(({ key }) => /(funded|backed)$/.test(key)) + 1;
  return sentence.words.slice(from, noun).every(({ key }) => sentence.isTopicOrChain([key]));
}

export const anyMoney = (text: string): AmountRange => ({
  about: 'funding',
  of: null,
  from: stepOf('funding'),
  until: null,
  text,
});

/** Words of topics that count blocks or users. */
const technical = /^(transactions|tps|throughput|(block)?chains?|blocks|users)$/;

/**
 * Returns true if a noun asks for the kind that has the amount. Without a noun, no topic may be outside the amount, as in
 * "lottery with over 100 guests".
 */
function asksForOwner(sentence: Sentence, { about, text }: AmountRange, from: number, until: number): boolean {
  const isOutside = (at: number) => at < from || at >= until;
  const kinds = nounsOf(sentence).flatMap((at) => (isOutside(at) ? (kindWordAt(sentence, at)?.kind ?? []) : []));
  // "Max 10 people".
  if (about === 'employees' || about === 'funding') return kinds.length > 0 || !text.startsWith('max');
  // "A portfolio of over ten names", but not "more than 10 funds tokenized".
  const isTopic = sentence.words.some(
    ({ key }, at) =>
      isOutside(at) &&
      kindWordAt(sentence, at)?.kind !== amountKinds[about] &&
      (technical.test(key) || sentence.isTopicOrChain([key])),
  );
  const isVague =
    about === 'investors' ? !/^((that|which|who|whose) )?(with|have|has)\b/.test(text) : /participants/.test(text);
  return kinds.includes(amountKinds[about]) || (kinds.length === 0 && !isTopic && !isVague);
}

/** Dashes between numbers remain: "10-50". */
const keyWithDash = ({ key, name }: Word): string => (/\d[kmb]?[-–]\W?\d/.test(name) ? fold(name) : key);

const wordsMax = 14;
/** Smaller sums are parts of names: "capital one". */
const moneyMin = 10_000;

function amountIn(keys: string, isOfEvents: boolean): AmountRange | null {
  const counted = ofProposals.exec(keys);
  const [text, comparison = '', first = '', second] = counted ?? amount.exec(keys) ?? [];
  const about = text === undefined ? null : counted ? 'proposals' : subjectOf(text, first, isOfEvents);
  if (text === undefined || about === null) return null;
  const orMore = / or more\b| plus\b|\+/.test(text);
  // "Top 10 people", "the team of 2024", "point nine capital".
  const isFew = about === 'funding' ? amountOf(first) < moneyMin : /^(\w+|an?( \S+)?) (people|members)/.test(text);
  const needsComparison = isFew || /\b(19|20)\d\d$/.test(text) || (about !== 'funding' && about !== 'employees');
  const isBare = comparison === '' && second === undefined && !orMore && needsComparison;
  const isHalf = /^(between|from)$/.test(comparison) && second === undefined;
  const of = counted === null ? null : (oneSeries.exec(keys.slice(text.length))?.[1] ?? null);
  return isBare || isHalf ? null : { about, of, ...rangeOf(about, comparison, first, orMore, second), text };
}

/** Smaller numbers of people are speakers or teams. */
const guestsMin = 10;

function subjectOf(text: string, first: string, isOfEvents: boolean): AmountRange['about'] | null {
  const about = subjects.find(([, words]) => words.test(text))?.[0] ?? null;
  const isOfGuests = about === 'employees' && amountOf(first) >= guestsMin;
  // "Power plants with 1000+ capacity".
  if (!isOfEvents && / capacity$/.test(text)) return null;
  return isOfEvents ? (about === 'capacity' || isOfGuests ? 'capacity' : null) : about;
}

const unitOf = (text: string): number | undefined => {
  const found = text.match(/(?<=\d)(k|mn?|bn?)\b|\b(dozen|hundred|thousand|mi?ln?|mio|million|billion)/g) ?? [];
  return found.length === 0 ? undefined : found.reduce((product, word) => product * (units.get(word) ?? 1), 1);
};

/** @param otherwise the unit if the text has none: "between 10 and 50 million" */
function amountOf(text: string, otherwise = 1): number {
  const [, digits] = /^\D?(\d[\d.,]*)/.exec(text) ?? [];
  const value =
    digits === undefined ? (numberWords.get(text.split(' ')[0] ?? '') ?? 1) : Number(digits.replace(/,|\.$/g, ''));
  return value * (unitOf(text) ?? otherwise);
}

const leastCue = phrase(least);

/** Smallest difference of two amounts. */
const stepOf = (about: AmountRange['about']): number => (about === 'funding' ? 0.01 : 1);

function rangeOf(about: AmountRange['about'], comparison: string, first: string, orMore: boolean, second?: string) {
  const [value, step] = [amountOf(first, second === undefined ? 1 : unitOf(second)), stepOf(about)];
  if (second !== undefined) return { from: value, until: amountOf(second) + step };
  const isExclusive = !/^(no|not|at|an?|up|max)\b|[=≥≤]/.test(comparison);
  if (leastCue.test(comparison)) return { from: isExclusive ? value + step : value, until: null };
  if (orMore) return { from: value, until: null };
  if (comparison === '') return { from: value, until: value + step };
  return { from: null, until: isExclusive ? value : value + step };
}
