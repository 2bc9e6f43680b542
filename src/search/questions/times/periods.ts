import * as chrono from 'chrono-node/en';
import { afterThe, createSentence, keysFrom, type Sentence } from '../sentence.ts';
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
  return sentence.isFree(at)
    ? firstPeriod([partOf, relative, ago, monthOrSeason, yearOrYears, day], sentence, at, now)
    : null;
}

type Reader = (sentence: Sentence, at: number, now: Date) => NamedPeriod | null;

function firstPeriod(readers: readonly Reader[], ...of: Parameters<Reader>): NamedPeriod | null {
  for (const read of readers) {
    const period = read(...of);
    if (period !== null) return period;
  }
  return null;
}

const offsets = valuesByWord([
  [0, 'this current'],
  [1, 'coming next'],
  [-1, 'last past previous'],
]);

const unitWords = valuesByWord<Unit>([
  ['day', 'day days'],
  ['week', 'week weeks'],
  ['weekend', 'weekend'],
  ['month', 'month months'],
  ['quarter', 'quarter quarters'],
  ['year', 'year years'],
]);

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
  const unit = unitWords.get(sentence.key(at + 1));
  if (unit !== undefined) return { ...unitPeriods[unit](now, offset), end: at + 2, isSure: true };
  const count = countOf(sentence.key(at + 1));
  const units = unitWords.get(sentence.key(at + 2));
  if (count === null || units === undefined || offset === 0) return null;
  return { ...spanOf(now, units, count * offset), end: at + 3, isSure: true };
}

/** Reads "two years ago", and the age in "older than 100 years" and "at least ten years old". */
function ago(sentence: Sentence, at: number, now: Date): NamedPeriod | null {
  const count = /^an?$/.test(sentence.key(at)) ? 1 : countOf(sentence.key(at));
  const unit = unitWords.get(sentence.key(at + 1));
  const after = sentence.key(at + 2);
  const isCompared = /^(older|newer|younger)$/.test(sentence.key(at - 2));
  const isAge = isCompared || (after === 'old' && /^(than|least|over|under)$/.test(sentence.key(at - 1)));
  if (count === null || unit === undefined || !(isAge || after === 'ago')) return null;
  const end = /^(ago|old)$/.test(after) ? at + 3 : at + 2;
  return { ...unitPeriods[unit](now, -count), end, isSure: after === 'ago' };
}

/** Reads a year at a word, also "of 2024" and "'s 2024", with the position of its end. */
function yearAt(sentence: Sentence, at: number, now: Date): { readonly year: number; readonly end: number } | null {
  const from = sentence.key(at) === 'of' || sentence.key(at) === 'in' ? at + 1 : at;
  const key = sentence.key(from);
  if (/^(1[6-9]|20)\d\d$/.test(key)) return { year: Number(key), end: from + 1 };
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

type PartSize = number | { readonly unit: Unit; readonly count: number };

/** Returns the size of parts such as "quarter", or of several units. */
function partSizeOf(key: string, several = 1): PartSize | undefined {
  if (several === 1 && /^(quarter|half)$/.test(key)) return key === 'half' ? 2 : 4;
  const unit = /^(day|week|month)s?$/.test(key) ? unitWords.get(key) : undefined;
  return unit && { unit, count: several };
}

/** A part of a period: the last one has the index -1. */
interface Part {
  readonly index: number;
  readonly size: PartSize;
  readonly end: number;
}

function partAt({ key }: Sentence, at: number): Part | null {
  const short = /^([qh])([1-4])$/.exec(key(at));
  if (short !== null) {
    const [size, index] = [short[1] === 'q' ? 4 : 2, Number(short[2]) - 1];
    return index < size ? { index, size, end: at + 1 } : null;
  }
  const third = thirds.get(key(at));
  if (third !== undefined) return { index: third, size: 3, end: at + 1 };
  const index = ordinals.get(key(at));
  // "The last two weeks of april".
  const several = key(at + 3) === 'of' ? countOf(key(at + 1)) : null;
  const end = several === null ? at + 2 : at + 3;
  const size = partSizeOf(key(end - 1), several ?? 1);
  const exists = index !== undefined && size !== undefined && (typeof size !== 'number' || index < size);
  return exists ? { index, size, end } : null;
}

/** Reads "q3 2024", "first week of june", "late may", "the end of the year", "early 2000s". */
function partOf(sentence: Sentence, at: number, now: Date): NamedPeriod | null {
  const [, joined = '', rest] = /^(early|mid|late)(\w{3,})$/.exec(sentence.key(at)) ?? [];
  // "Mid-june 2024".
  if (rest !== undefined) {
    const words = createSentence([joined, rest, keysFrom(sentence, at + 1)].join(' ').trimEnd());
    const read = partOf(words, 0, now);
    return read === null ? null : { ...read, end: at + read.end - 1 };
  }
  const part = partAt(sentence, at);
  if (part === null) return null;
  const start = afterThe(sentence, /^(of|in)$/.test(sentence.key(part.end)) ? part.end + 1 : part.end);
  const isPresent = sentence.key(start) === 'year';
  const present = { ...unitPeriods.year(now, 0), end: isPresent ? start + 1 : part.end, isSure: isPresent };
  const whole = isPresent ? present : firstPeriod([relative, monthOrSeason, yearOrYears], sentence, start, now);
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

/**
 * Reads "june", "june 2025", "next june", "this autumn", "summer 2025". A month or season without a year is the one under
 * way or the next.
 */
function monthOrSeason(sentence: Sentence, at: number, now: Date): NamedPeriod | null {
  const offset = offsets.get(sentence.key(at));
  const place = offset === undefined ? at : at + 1;
  const [key, next] = [sentence.key(place), sentence.key(place + 1)];
  const months = seasonMonths.has(key) ? 3 : 1;
  const first = seasonMonths.get(key) ?? monthNumbers.get(key);
  // "5 june", "june 5": a day.
  if (first === undefined || (months === 1 && /^\d{1,2}(st|nd|rd|th)?$/.test(next))) return null;
  const named = yearAt(sentence, place + 1, now);
  if (named !== null) return { ...monthsFrom(named.year, first, months), end: named.end, isSure: true };
  // "March to may 2024": both are of that year.
  const later = monthNumbers.has(sentence.key(place + 2)) ? yearAt(sentence, place + 3, now) : null;
  const upcoming = upcomingYear(first, months, now);
  const isUnderWay = offset === 1 && monthsFrom(upcoming, first, months).from <= dateText(now);
  const year = later?.year ?? upcoming + (offset === -1 ? -1 : 0) + (isUnderWay ? 1 : 0);
  const isSure = offset !== undefined || later !== null;
  return { ...monthsFrom(year, first, months), end: place + 1, isSure, isYearly: !isSure };
}

/** Returns the year of a month's or season's present or next occurrence. */
function upcomingYear(firstMonth: number, months: number, now: Date): number {
  const year = now.getUTCFullYear();
  // In January, the present winter began last year.
  if (monthsFrom(year - 1, firstMonth, months).until > dateText(now)) return year - 1;
  return monthsFrom(year, firstMonth, months).until > dateText(now) ? year : year + 1;
}

const dateText = (date: Date): string => date.toISOString().slice(0, 10);

/** "2024", "2018-2020", "the 2010s". */
function yearOrYears({ key, words }: Sentence, at: number): NamedPeriod | null {
  const name = words[at]?.name ?? '';
  const [, from = '', until = ''] = /^((?:1[6-9]|20)\d\d)[-‐-―/]((?:1[6-9]|20)\d\d)$/.exec(name) ?? [];
  if (from !== '' && until >= from) {
    return { ...monthsFrom(Number(from), 0, (Number(until) - Number(from) + 1) * 12), end: at + 1, isSure: true };
  }
  if (/^(1[6-9]|20)\d\d$/.test(key(at))) return { ...monthsFrom(Number(key(at)), 0, 12), end: at + 1, isSure: false };
  const nth = /^([1-9]\d?)(st|nd|rd|th)$/.exec(key(at))?.[1];
  if (nth !== undefined && key(at + 1) === 'century') {
    return { ...monthsFrom((Number(nth) - 1) * 100, 0, 1_200), end: at + 2, isSure: true };
  }
  const named = decadeWords.indexOf(key(at));
  const decade = named < 0 ? /^((?:19|20)?\d0)s$/.exec(key(at))?.[1] : `${(named + 2) * 10}`;
  if (decade === undefined) return null;
  const century = Number(decade) < 30 ? 2_000 : 1_900;
  const year = decade.length === 4 ? Number(decade) : century + Number(decade);
  return { ...monthsFrom(year, 0, 120), end: at + 1, isSure: false };
}

const decadeWords = 'twenties thirties forties fifties sixties seventies eighties nineties'.split(' ');

/** Words with which a day may begin; others are skipped. */
const dayStart =
  /^(\d|(mon|tues?|wed|wednes|thu|thurs?|fri|sat|satur|sun)(day)?$|this$|next$|last$|to(day|night|morrow)$|yesterday$)/;

/** Reads a day or several with chrono: "5 june 2025", "march 3 to 9", "next friday". */
function day(sentence: Sentence, at: number, now: Date): NamedPeriod | null {
  const first = sentence.key(at);
  if (!dayStart.test(first) && !monthNumbers.has(first)) return null;
  const words = [];
  for (let place = at; sentence.isFree(place); place += 1) words.push(sentence.words[place]?.name ?? '');
  // "Between 1 and 15 september".
  if (words[1] === 'and') words[1] = 'to';
  const [found] = chrono.casual.parse(words.join(' '), { instant: now, timezone: 'UTC' }, { forwardDate: true });
  // A time of day isn't a date; neither are "12" and "5 may" of "5 maybe".
  if (found === undefined || found.index !== 0 || found.start.isCertain('hour')) return null;
  const isDay = (['day', 'weekday'] as const).some((part) => found.start.isCertain(part));
  const end = wordsIn(words, found.text);
  if (!isDay || end === null) return null;
  const last = found.end ?? found.start;
  const { from } = daysFrom(found.start.date(), 0, 1);
  const { until } = daysFrom(last.date(), 0, 1);
  // "Sun" by itself is a token, or a family.
  return from < until ? { from, until, end: at + end, isSure: end > 1 } : null;
}

/** Returns the number of words at the beginning that a text covers; null if it ends inside a word. */
function wordsIn(words: readonly string[], text: string): number | null {
  const count = text.trim().split(' ').length;
  return words.slice(0, count).join(' ') === text.trim() ? count : null;
}
