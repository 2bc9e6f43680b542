import type { KindName } from '../../../kinds/kind.ts';
import type { TimeRange } from '../question.ts';
import { afterThe, keysFrom, phrase, phraseEnd, type Sentence } from '../sentence.ts';
import { daysFrom, yearsLater } from './calendar.ts';
import { type NamedPeriod, periodAt } from './periods.ts';

const foundingWords: ReadonlySet<string> = new Set(
  'founded established launched created started formed incorporated born begun est'.split(' '),
);
/** The data has no dates of investments. */
const moneyWords = /^(rais(ed?|ing)|fund(ed|ing)|round|acquired|listed|ipo|invested)$/;

type Bound = 'within' | 'from' | 'after' | 'before' | 'through';

/** "More than five years ago" is earlier than that. */
const age = '(?= \\S+ \\S+ (ago|old)( |$))';

const bounds: readonly (readonly [bound: Bound, cue: RegExp])[] = [
  ['from', phrase('since|starting( (in|from))?|(no|not) (earlier|sooner) than')],
  ['after', phrase(`later than|(newer|younger) than|after|post|(less than|under)${age}`)],
  ['before', phrase(`earlier than|older than|prior to|ahead of|before|pre|(more than|at least|over)${age}`)],
  ['through', phrase('(no|not) later than|until|till|by|through|up to')],
  [
    'within',
    phrase(
      '((on|over) )?(the )?weekend of|(in|during) the (month|year) of|in|during|over|throughout|of|for|on|within|around|from',
    ),
  ],
];

/** The bounds that words after a period set: "2021 or later", "from june on". */
const openEnds: typeof bounds = [
  ['from', phrase('(or|and) (later|after|newer|younger)|on(?= in| at|$)|onwards?|and onwards?|plus')],
  ['through', phrase('(or|and) (earlier|before|older)')],
];

/** Returns the first bound whose cue begins at a word, and the position after the cue. */
function firstEnd(sentence: Sentence, at: number, wanted: typeof bounds): readonly [Bound, number] | undefined {
  const keys = keysFrom(sentence, at);
  return wanted.flatMap(([bound, cue]) => {
    const end = phraseEnd(keys, at, cue);
    return end === null ? [] : [[bound, end] as const];
  })[0];
}

/** Reads the first time in a sentence, and takes it out. `kinds` are those that the sentence asks for. */
export function readTime(sentence: Sentence, kinds: readonly KindName[], now: Date): TimeRange | null {
  for (const at of sentence.words.keys()) {
    const isFounding = foundingWords.has(sentence.key(at));
    const range = isFounding
      ? (rangeAt(sentence, at + 1, now, true) ?? null)
      : rangeAt(sentence, at, now, kinds.includes('events'));
    if (range === null || (!isFounding && isAboutMoney(sentence, at, kinds))) continue;
    const aboutFounding = isFounding || (kinds.includes('companies') && !kinds.includes('events'));
    sentence.take(at, range.end, 'time');
    const text = sentence.words.slice(at, range.end).map((word) => word.name);
    return { about: aboutFounding ? 'founded' : 'starts', ...ofYear(sentence, range), text: text.join(' ') };
  }
  return null;
}

/** "Summer events 2024": the year of a month or season may be elsewhere. */
function ofYear(
  sentence: Sentence,
  { from, until, isYearly }: BoundedRange,
): Pick<TimeRange, 'from' | 'until' | 'yearly'> {
  const at = sentence.words.findIndex((_, place) => /^(19|20)\d\d$/.test(sentence.key(place)));
  if (!isYearly || at < 0 || from === null || until === null) return { from, until, yearly: isYearly };
  sentence.take(at, at + 1, 'time');
  const years = Number(sentence.words[at]?.key) - Number(from.slice(0, 4));
  return { from: yearsLater(from, years), until: yearsLater(until, years), yearly: false };
}

function isAboutMoney(sentence: Sentence, at: number, kinds: readonly KindName[]): boolean {
  return !kinds.includes('events') && [at - 1, at - 2].some((place) => moneyWords.test(sentence.key(place)));
}

interface BoundedRange {
  readonly from: string | null;
  readonly until: string | null;
  readonly isYearly: boolean;
  readonly end: number;
}

/** @param isAsked true if a bare year or month also counts as a time */
function rangeAt(sentence: Sentence, at: number, now: Date, isAsked: boolean): BoundedRange | null {
  if (!sentence.isFree(at)) return null;
  const between = sentence.key(at) === 'between';
  const [bound, cueEnd] = firstEnd(sentence, at, bounds) ?? [between ? 'within' : undefined, between ? at + 1 : at];
  const place = afterThe(sentence, cueEnd);
  const first = periodAt(sentence, place, now);
  if (first === null || (bound === undefined && !first.isSure && !isAsked)) return null;
  const last = rangeEnd(sentence, first, now, between || bound === 'from' || bound === 'within' || bound === undefined);
  if (between && last === null && first.end <= at + 3) return null;
  if (last !== null) return { from: first.from, until: last.until, isYearly: false, end: last.end };
  const [open, end] = firstEnd(sentence, first.end, openEnds) ?? [];
  if (open !== undefined && end !== undefined && (bound ?? 'within') === 'within')
    return { ...boundedBy(open, first), isYearly: false, end };
  const isYearly = first.isYearly === true && (bound ?? 'within') === 'within';
  // "Since march" means the last one.
  const isAhead = sentence.key(at) === 'since' && first.from > daysFrom(now, 0, 1).from;
  const begun = isAhead ? earlier(first, sentence.key(place)) : first;
  return { ...boundedBy(bound ?? 'within', begun), isYearly, end: first.end };
}

/** Returns the period a year earlier, or that of the last such day of the week: "since march", "since friday". */
function earlier(period: NamedPeriod, word: string): NamedPeriod {
  const lastWeek = daysFrom(new Date(period.from), -7, 1).from;
  return { ...period, from: /^(mon|tue|wed|thu|fri|sat|sun)/.test(word) ? lastWeek : yearsLater(period.from, -1) };
}

function boundedBy(bound: Bound, { from, until }: NamedPeriod): Pick<BoundedRange, 'from' | 'until'> {
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

const rangeWords: ReadonlySet<string> = new Set(['to', 'and', 'or', 'until', 'till', 'through', '-', '–']);

/** "2018 to 2020", "between march and may 2024": the end, if there is one that comes later. */
function rangeEnd(sentence: Sentence, first: NamedPeriod, now: Date, mayHave: boolean): NamedPeriod | null {
  const isDash = /^[-‐-―]$/u.test(sentence.words[first.end]?.text ?? '');
  if (!mayHave || !(isDash || rangeWords.has(sentence.key(first.end)))) return null;
  const last = periodAt(sentence, afterThe(sentence, first.end + 1), now);
  return last !== null && last.until > first.from ? last : null;
}
