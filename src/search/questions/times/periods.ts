import * as chrono from 'chrono-node/en';
import { series } from '../names.ts';
import { createSentence, firstOf, type Sentence } from '../sentence.ts';
import {
  daysFrom,
  monthNumbers,
  monthsFrom,
  numberWords,
  type Period,
  seasonMonths,
  spanOf,
  type Unit,
  unitPeriods,
  units,
  valuesByWord,
} from './calendar.ts';

export interface NamedPeriod extends Period {
  readonly end: number;
  /** True if it is almost certainly a time ("next month", "q3 2024"). "2024" and "may" could be part of a name. */
  readonly isSure: boolean;
  /** True for a month or season without a year, which means the next one or any year's. */
  readonly isYearly?: boolean;
}

/** Returns the period that begins at a word, by the first way that fits. */
export function periodAt(sentence: Sentence, at: number, now: Date): NamedPeriod | null {
  const readers = sentence.isFree(at) ? [partOf, relative, ago, monthOrSeason, yearOrYears, day] : [];
  return firstOf(readers, (read) => read(sentence, at, now));
}

const offsets = valuesByWord([
  [0, 'this current'],
  [1, 'coming next'],
  [-1, 'last past previous'],
]);

/** Returns the unit of "day" or "days". */
function unitOf(key: string): Unit | undefined {
  return units.find((unit) => key === unit || (key === `${unit}s` && unit !== 'weekend'));
}

function countOf(key: string): number | null {
  const count = /^\d{1,3}$/.test(key) ? Number(key) : (numberWords.get(key) ?? 0);
  return count > 0 ? count : null;
}

/** Reads "next month", "the past two years", "this weekend", "later this year". */
function relative(sentence: Sentence, at: number, now: Date): NamedPeriod | null {
  if (sentence.key(at) === 'later') {
    const whole = relative(sentence, at + 1, now);
    return whole && { ...whole, from: dateText(now) };
  }
  const offset = offsets.get(sentence.key(at));
  if (offset === undefined) return null;
  const unit = unitOf(sentence.key(at + 1));
  if (unit !== undefined) return { ...unitPeriods[unit](now, offset), end: at + 2, isSure: true };
  const count = countOf(sentence.key(at + 1));
  const units = unitOf(sentence.key(at + 2));
  if (count === null || units === undefined || offset === 0) return null;
  return { ...spanOf(now, units, count * offset), end: at + 3, isSure: true };
}

/** Reads "two years ago", and the age in "older than 100 years" and "at least ten years old". */
function ago(sentence: Sentence, at: number, now: Date): NamedPeriod | null {
  const count = sentence.is(at, /^an?$/) ? 1 : countOf(sentence.key(at));
  const unit = unitOf(sentence.key(at + 1));
  const after = sentence.key(at + 2);
  const isAgo = after === 'ago';
  const isOld = after === 'old' && sentence.is(at - 1, /^(than|least|over|under)$/);
  if (count === null || unit === undefined) return null;
  if (!isAgo && !isOld && !sentence.is(at - 2, /^(older|newer|younger)$/)) return null;
  return { ...unitPeriods[unit](now, -count), end: /^(ago|old)$/.test(after) ? at + 3 : at + 2, isSure: isAgo };
}

const year = /^(1[6-9]|20)\d\d$/;

/** Reads a year at a word, also "of 2024" and "'s 2024", with the position of its end. */
function yearAt(sentence: Sentence, at: number, now: Date): { readonly year: number; readonly end: number } | null {
  const from = sentence.is(at, /^(of|in)$/) ? at + 1 : at;
  const key = sentence.key(from);
  if (year.test(key)) return { year: Number(key), end: from + 1 };
  const offset = offsets.get(key);
  if (offset === undefined || sentence.key(from + 1) !== 'year') return null;
  return { year: now.getUTCFullYear() + offset, end: from + 2 };
}

const ordinals = valuesByWord([
  [0, 'first 1st'],
  [1, 'second 2nd'],
  [2, 'third 3rd'],
  [3, 'fourth 4th'],
  [-1, 'last'],
]);

const thirds = valuesByWord([
  [0, 'early beginning start'],
  [1, 'mid middle'],
  [2, 'late end'],
]);

/** A part of a period: several units, or one of a number of equal parts. The last one has the index -1. */
interface Part {
  readonly index: number;
  readonly size: number | { readonly unit: Unit; readonly count: number };
  readonly end: number;
}

const partCounts = valuesByWord([
  [2, 'half'],
  [4, 'quarter'],
]);

function partAt(sentence: Sentence, at: number): Part | null {
  const { key } = sentence;
  const [, letter, number] = /^([qh])([1-4])$/.exec(key(at)) ?? [];
  const third = thirds.get(key(at));
  if (third !== undefined) return { index: third, size: 3, end: at + 1 };
  const index = letter === undefined ? ordinals.get(key(at)) : Number(number) - 1;
  // "The last two weeks of april".
  const several = sentence.is(at + 3, /^of$/) ? countOf(key(at + 1)) : null;
  const end = letter !== undefined ? at + 1 : several === null ? at + 2 : at + 3;
  const unit = letter === undefined ? key(end - 1) : letter === 'q' ? 'quarter' : 'half';
  const named = (['day', 'week', 'month'] as const).find((one) => unit === one || unit === `${one}s`);
  const parts = several === null || letter !== undefined ? partCounts.get(unit) : undefined;
  const size = named === undefined ? parts : { unit: named, count: several ?? 1 };
  if (index === undefined || size === undefined || (typeof size === 'number' && index >= size)) return null;
  return { index, size, end };
}

/** Reads "q3 2024", "first week of june", "late may", "the end of the year", "early 2000s". */
function partOf(sentence: Sentence, at: number, now: Date): NamedPeriod | null {
  const [, joined = '', rest] = /^(early|mid|late)(\w{3,})$/.exec(sentence.key(at)) ?? [];
  // "Mid-june 2024".
  if (rest !== undefined) {
    const words = createSentence([joined, rest, sentence.keys(at + 1)].join(' ').trimEnd(), sentence);
    const read = partOf(words, 0, now);
    return read && { ...read, end: at + read.end - 1 };
  }
  const part = partAt(sentence, at);
  if (part === null) return null;
  const start = sentence.afterThe(sentence.is(part.end, /^(of|in)$/) ? part.end + 1 : part.end);
  const isPresent = sentence.is(start, /^year$/);
  const present = { ...unitPeriods.year(now, 0), end: isPresent ? start + 1 : part.end, isSure: isPresent };
  const whole = isPresent
    ? present
    : firstOf([relative, monthOrSeason, yearOrYears], (read) => read(sentence, start, now));
  if (whole !== null) return { ...whole, ...sliceOf(whole, part), isSure: true };
  // "Q3" alone may be part of a name. "Last quarter" is counted from the present one.
  if (part.size === 3 || typeof part.size !== 'number' || part.index < 0) return null;
  return { ...present, ...sliceOf(present, part), isSure: part.end > at + 1 };
}

function sliceOf({ from, until }: Period, { index, size }: Part): Period {
  const [first, last] = [new Date(from), new Date(until)];
  const [year, firstMonth] = [first.getUTCFullYear(), first.getUTCMonth()];
  if (typeof size !== 'number') {
    const { unit, count } = size;
    const { until: begin } = spanOf(first, unit, index * count);
    return index < 0 ? spanOf(last, unit, -count) : spanOf(new Date(begin), unit, count);
  }
  const place = (index + size) % size;
  const months = (last.getUTCFullYear() - year) * 12 + last.getUTCMonth() - firstMonth;
  if (months >= size) {
    const length = months / size;
    return monthsFrom(year, firstMonth + place * length, length);
  }
  const days = (last.getTime() - first.getTime()) / dayMs;
  const [begin, end] = [Math.floor((place * days) / size), Math.floor(((place + 1) * days) / size)];
  return daysFrom(first, begin, end - begin);
}

const dayMs = 86_400_000;

/** Reads "june", "june 2025", "next june", "this autumn". Without a year, it is the one under way or the next. */
function monthOrSeason(sentence: Sentence, at: number, now: Date): NamedPeriod | null {
  const offset = offsets.get(sentence.key(at));
  const place = offset === undefined ? at : at + 1;
  const [key, next] = [sentence.key(place), sentence.key(place + 1)];
  const first = seasonMonths.get(key) ?? monthNumbers.get(key);
  // "Conferences that fall in 2026".
  if (key === 'fall' && sentence.is(place - 1, /^(that|which|to|will|would|may|should)$/)) return null;
  // "5 june", "june 5": a day.
  if (first === undefined || (monthNumbers.has(key) && /^\d{1,2}(st|nd|rd|th)?$/.test(next))) return null;
  const { months, end } = seasonMonths.has(key)
    ? { months: 3, end: place + 1 }
    : adjacentMonths(sentence, place, first);
  const named = yearAt(sentence, end, now);
  if (named !== null) return { ...monthsFrom(named.year, first, months), end: named.end, isSure: true };
  const upcoming = upcomingYear(first, months, now);
  const isUnderWay = offset === 1 && monthsFrom(upcoming, first, months).from <= dateText(now);
  const year = upcoming + (offset === -1 ? -1 : 0) + (isUnderWay ? 1 : 0);
  const isSure = offset !== undefined;
  return { ...monthsFrom(year, first, months), end, isSure, isYearly: !isSure };
}

/** Reads "june, july and august" and "oct nov". */
function adjacentMonths({ key, nextListed }: Sentence, at: number, first: number) {
  let [months, end] = [1, at + 1];
  for (;;) {
    const next = nextListed(end) ?? end;
    if (monthNumbers.get(key(next)) !== first + months) return { months, end };
    [months, end] = [months + 1, next + 1];
  }
}

/** Returns the year of a month's or season's present or next occurrence. */
function upcomingYear(firstMonth: number, months: number, now: Date): number {
  const year = now.getUTCFullYear();
  // In January, the present winter began last year.
  if (monthsFrom(year - 1, firstMonth, months).until > dateText(now)) return year - 1;
  return monthsFrom(year, firstMonth, months).until > dateText(now) ? year : year + 1;
}

const dateText = (date: Date): string => date.toISOString().slice(0, 10);

const decadeWords = 'twenties thirties forties fifties sixties seventies eighties nineties'.split(' ');

const centuries = valuesByWord([
  [17, 'seventeenth'],
  [18, 'eighteenth'],
  [19, 'nineteenth'],
  [20, 'twentieth last'],
  [21, 'twentyfirst this'],
]);

/** "2024", "2018-2020", "the 2010s", "19th century", which are "the 1800s". */
function yearOrYears(sentence: Sentence, at: number): NamedPeriod | null {
  const { key, words } = sentence;
  const named = (first: number, count: number, end: number, isSure: boolean) => {
    return { ...monthsFrom(first, 0, count * 12), end, isSure };
  };
  const [first = '', end = '', ...others] = words[at]?.name.split(/[-‐-―/]/) ?? [];
  // "2025-26".
  const isAfterSeries = series.test(words[at - 1]?.key ?? '');
  const last = end.length === 2 && !isAfterSeries ? `${first.slice(0, 2)}${end}` : end;
  if (others.length === 0 && year.test(first) && year.test(last) && last >= first)
    return named(Number(first), Number(last) - Number(first) + 1, at + 1, true);
  const from = key(at) === 'year' ? at + 1 : at;
  if (year.test(key(from))) {
    const { begin, count, until } = adjacentYears(sentence, from);
    return named(begin, count, until, count > 1);
  }
  const nth = /^([1-9]\d?)(st|nd|rd|th)$/.exec(key(at))?.[1] ?? centuries.get(key(at));
  if (nth !== undefined && key(at + 1) === 'century') return named((Number(nth) - 1) * 100, 100, at + 2, true);
  const place = decadeWords.indexOf(key(at));
  const decade = place < 0 ? /^((?:1[6-9]|20)?\d0)s$/.exec(key(at))?.[1] : `${(place + 2) * 10}`;
  if (decade === undefined) return null;
  const century = decade.length === 4 ? 0 : Number(decade) < 30 ? 2_000 : 1_900;
  return named(century + Number(decade), /^1.00$/.test(decade) ? 100 : 10, at + 1, false);
}

/** Reads "2022, 2023 or 2024" and "2025 2024". */
function adjacentYears({ key, words, nextListed }: Sentence, at: number) {
  let [begin, count, until] = [Number(key(at)), 1, at + 1];
  // "EIP 2014 2015".
  if (series.test(words[at - 1]?.key ?? '')) return { begin, count, until };
  for (;;) {
    const next = nextListed(until) ?? until;
    const isBefore = key(next) === `${begin - 1}`;
    if (!isBefore && key(next) !== `${begin + count}`) return { begin, count, until };
    [begin, count, until] = [isBefore ? begin - 1 : begin, count + 1, next + 1];
  }
}

/** Words with which a day may begin; others are skipped. */
const dayStart =
  /^(\d|(first|second|third|(four|fif|six|seven|eigh|nin|ten|eleven|twelf|[a-z]+teen|twentie|thirtie)th)$|(mon|tues?|wed|wednes|thu|thurs?|fri|sat|satur|sun)(day)?$|this$|next$|last$|to(day|night|morrow)$|yesterday$)/;

/** Reads a day or several with chrono: "5 june 2025", "march 3 to 9", "next friday". */
function day(sentence: Sentence, at: number, now: Date): NamedPeriod | null {
  const first = sentence.key(at);
  if (!dayStart.test(first) && !monthNumbers.has(first)) return null;
  const words = sentence.keys(at, sentence.words.length, ({ name }) => name).split(' ');
  // "Between 1 and 15 september".
  if (words[1] === 'and') words[1] = 'to';
  const [found] = chrono.casual.parse(words.join(' '), { instant: now, timezone: 'UTC' }, { forwardDate: true });
  // A time of day isn't a date; neither are "12" and "5 may" of "5 maybe".
  if (found === undefined || found.index !== 0 || found.start.isCertain('hour')) return null;
  const isDay = found.start.isCertain('day') || found.start.isCertain('weekday');
  const text = found.text.trim();
  const count = text.split(' ').length;
  // A text that ends inside a word is none of the words.
  if (!isDay || words.slice(0, count).join(' ') !== text) return null;
  const { from } = daysFrom(found.start.date(), 0, 1);
  const { until } = daysFrom((found.end ?? found.start).date(), 0, 1);
  // "Sun" by itself is a token, or a family.
  return from < until ? { from, until, end: at + count, isSure: count > 1 } : null;
}
