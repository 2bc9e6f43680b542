import type { KindName } from '../../../kinds/kind.ts';
import type { TimeRange } from '../question.ts';
import { firstOf, phrase, type Sentence } from '../sentence.ts';
import { daysFrom, yearsLater } from './calendar.ts';
import { type NamedPeriod, periodAt } from './periods.ts';

const foundingCue = phrase(
  '(founded|established|launched|created|started|formed|incorporated|born|begun|set up|est|came into (being|existence)|(founding|foundation) (year|date)( (is|was|of))?)|(go(es|ing)?|dat(e|es|ing)) (back )?(to|from)(?= ((the|before|after) )?\\d)|start(?= (after|before|in|since) )',
);
const moneyWord = /^(rais(ed?|ing)|fund(ed|ing)|round|acquired|listed|ipo|invested)$/;

type Bound = 'within' | 'from' | 'after' | 'before' | 'through';

/** "More than five years ago" is earlier than that. */
const age = '(?= \\S+ \\S+ (ago|old)( |$))';

const bounds: readonly (readonly [bound: Bound, cue: RegExp])[] = [
  ['from', phrase('since|starting( (in|from))?|(no|not) (earlier|sooner) than')],
  ['after', phrase(`later than|(newer|younger) than|after|post|(less than|under)${age}`)],
  ['before', phrase(`earlier than|older than|prior to|ahead of|before|pre|(more than|at least|over)${age}`)],
  ['through', phrase('(no|not) later than|until|till|by|through|thru|up to')],
  [
    'within',
    phrase(
      '((on|over) )?(the )?weekend of|(in|during) the (month|year) of|((in|during) )?(the )?year(?= \\d{4}( |$))|in|during|over|throughout|of|for|on|within|around|from',
    ),
  ],
];

/** The bounds that words after a period set: "2021 or later", "from june on". */
const openEnds: typeof bounds = [
  ['from', phrase('(or|and) (later|after|newer|younger)|on(?= in| at|$)|onwards?|and onwards?|plus')],
  ['through', phrase('(or|and) (earlier|before|older)')],
];

/** Returns the first bound whose cue begins at a word, and the position after the cue. */
function firstEnd(sentence: Sentence, at: number, wanted: typeof bounds): readonly [Bound, number] | [] {
  for (const [bound, cue] of wanted) {
    const end = sentence.after(at, cue);
    if (end !== null) return [bound, end];
  }
  return [];
}

/** Earlier years ask for companies. */
const firstEvents = '2008-01-01';

/** Reads the first time in a sentence, and takes it out. `kinds` are those that the sentence asks for. */
export function readTime(sentence: Sentence, kinds: readonly KindName[], now: Date): TimeRange | null {
  const isOfEvents = kinds.includes('events');
  const isVague = sentence.words.some((_, at) => sentence.is(at, /^(stuff|things)$/));
  return firstOf(sentence.words.keys(), (at) => {
    const begun = sentence.after(at, foundingCue);
    const isFounding = begun !== null && !isOfEvents;
    const isLast = kinds.length > 0 && at === sentence.words.length - 1 && at > 0 && !sentence.isFree(at - 1);
    // "Web3 stuff 2025", "paris 2022 without meetups".
    const isYear = sentence.is(at, /^20\d\d$/) && (isVague || sentence.isRead());
    // "Denver february", but "sofia 2024" is more often like a name.
    const isOfPlace = !sentence.is(at, /\d/) && sentence.gazetteer.find(sentence.keys(0, at)) !== null;
    const range = rangeAt(sentence, begun ?? at, now, isFounding || isOfEvents || isLast || isYear || isOfPlace);
    // The data has no dates of investments.
    const isAboutMoney = !isOfEvents && [at - 1, at - 2].some((place) => sentence.is(place, moneyWord));
    if (range === null || (isAboutMoney && !isFounding)) return null;
    sentence.take(at, range.end, 'time');
    const isOfCompanies = isFounding || kinds.includes('companies') || (range.until ?? 'open') <= firstEvents;
    const about = isOfCompanies && !isOfEvents ? 'founded' : 'starts';
    return { about, ...ofYear(sentence, range), text: sentence.written(at, range.end) };
  });
}

/** "Summer events 2024": the year of a month or season may be elsewhere. */
function ofYear(sentence: Sentence, { end: _, ...range }: BoundedRange): Omit<BoundedRange, 'end'> {
  const { from, until, yearly } = range;
  const at = sentence.words.findIndex((_, place) => sentence.is(place, /^(19|20)\d\d$/));
  if (!yearly || at < 0 || from === null || until === null) return range;
  const years = Number(sentence.key(at)) - Number(from.slice(0, 4));
  sentence.take(at, at + 1, 'time');
  return { from: yearsLater(from, years), until: yearsLater(until, years), yearly: false };
}

interface BoundedRange extends Pick<TimeRange, 'from' | 'until' | 'yearly'> {
  readonly end: number;
}

/** @param isAsked true if a bare year or month also counts as a time */
function rangeAt(sentence: Sentence, at: number, now: Date, isAsked: boolean): BoundedRange | null {
  if (!sentence.isFree(at)) return null;
  const between = sentence.is(at, /^between$/);
  const [cue = between ? 'within' : undefined, cueEnd = between ? at + 1 : at] = firstEnd(sentence, at, bounds);
  const bound = cue ?? 'within';
  const place = sentence.afterThe(cueEnd);
  const first = periodAt(sentence, place, now);
  if (first === null) return null;
  const last = bound === 'from' || bound === 'within' ? rangeEnd(sentence, place, first, now) : null;
  const [open, end = first.end] = bound === 'within' ? firstEnd(sentence, first.end, openEnds) : [];
  const isSure = first.isSure || last?.isSure === true || cue !== undefined || open !== undefined;
  if (!isSure && !isAsked) return null;
  if (between && last === null && first.end <= at + 3) return null;
  const yearly = first.isYearly === true && (last ?? first).isYearly === true;
  if (last !== null) return { from: last.from, until: last.until, yearly, end: last.end };
  if (open !== undefined) return { ...boundedBy(open, first), yearly: false, end };
  // "Since march" means the last one.
  const isAhead = sentence.is(at, /^since$/) && first.from > daysFrom(now, 0, 1).from;
  const begun = isAhead ? earlier(first, sentence.key(place)) : first;
  return { ...boundedBy(bound, begun), yearly: yearly && bound === 'within', end };
}

/** Returns the period a year earlier, or that of the last such day of the week: "since march", "since friday". */
function earlier(period: NamedPeriod, word: string): NamedPeriod {
  const lastWeek = daysFrom(new Date(period.from), -7, 1).from;
  return { ...period, from: /^(mon|tue|wed|thu|fri|sat|sun)/.test(word) ? lastWeek : yearsLater(period.from, -1) };
}

function boundedBy(bound: Bound, { from, until }: NamedPeriod): Pick<TimeRange, 'from' | 'until'> {
  switch (bound) {
    case 'within':
      return { from, until };
    case 'from':
      return { from, until: null };
    case 'after':
      return { from: until, until: null };
    case 'before':
      return { from: null, until: from };
    case 'through':
      return { from: null, until };
    default:
      return bound satisfies never;
  }
}

/** "2018 to 2020", "between march and may 2024": the whole time, if there is an end that comes later. */
function rangeEnd(sentence: Sentence, from: number, first: NamedPeriod, now: Date): NamedPeriod | null {
  const isDash = /^[-‐-―]$/u.test(sentence.words[first.end]?.text ?? '');
  if (!isDash && !sentence.is(first.end, /^(to|and|or|until|till|through|thru|[-–])$/)) return null;
  const lastFrom = sentence.afterThe(first.end + 1);
  const last = periodAt(sentence, lastFrom, now);
  if (last === null) return null;
  const hasYear = (start: number, end: number) => /\b\d{4}\b/.test(sentence.keys(start, end));
  const isOfEnd = hasYear(lastFrom, last.end) && !hasYear(from, first.end);
  const years = isOfEnd ? Number(last.from.slice(0, 4)) - Number(first.from.slice(0, 4)) : 0;
  const begin = yearsLater(first.from, years);
  if (begin < last.until) return { ...last, from: begin };
  // "November to january 2025".
  return isOfEnd ? { ...last, from: yearsLater(begin, -1) } : null;
}
