/** A half-open range of calendar dates, YYYY-MM-DD, both ends known. */
export interface Period {
  readonly from: string;
  readonly until: string;
}

const firstMs = Date.parse('0001-01-01');
const lastMs = Date.parse('9999-12-31');

/** Returns a date, with months from 0 that may overflow as in `Date.UTC`. Years are limited to four digits. */
export function dateOf(year: number, month = 0, day = 1): string {
  // Date.UTC reads 99 as 1999.
  const date = new Date(0).setUTCFullYear(year, month, day);
  return new Date(Math.min(Math.max(date, firstMs), lastMs)).toISOString().slice(0, 10);
}

/** Returns the same day a number of years later, or earlier; 29 February is 1 March in other years. */
export function yearsLater(date: string, years: number): string {
  return dateOf(Number(date.slice(0, 4)) + years, Number(date.slice(5, 7)) - 1, Number(date.slice(8, 10)));
}

export function monthsFrom(year: number, month: number, months: number): Period {
  return { from: dateOf(year, month), until: dateOf(year, month + months) };
}

export function daysFrom(date: Date, offset: number, days: number): Period {
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + offset];
  return { from: dateOf(year, month, day), until: dateOf(year, month, day + days) };
}

/** Calendar units, each as the period around a date, a number of units away. Weeks begin on Mondays. */
export const unitPeriods = {
  day: (now: Date, offset: number): Period => daysFrom(now, offset, 1),
  week: (now: Date, offset: number): Period => daysFrom(now, offset * 7 - ((now.getUTCDay() + 6) % 7), 7),
  weekend: (now: Date, offset: number): Period => daysFrom(now, offset * 7 + 5 - ((now.getUTCDay() + 6) % 7), 2),
  month: (now: Date, offset: number): Period => monthsFrom(now.getUTCFullYear(), now.getUTCMonth() + offset, 1),
  quarter: (now: Date, offset: number): Period =>
    monthsFrom(now.getUTCFullYear(), (Math.floor(now.getUTCMonth() / 3) + offset) * 3, 3),
  year: (now: Date, offset: number): Period => monthsFrom(now.getUTCFullYear() + offset, 0, 12),
} as const;
export type Unit = keyof typeof unitPeriods;
export const units = Object.keys(unitPeriods) as Unit[];

/** Returns the period of a number of units that begins or ends at a date. */
export function spanOf(now: Date, unit: Unit, count: number): Period {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const [earlier, later] = count < 0 ? [count, 0] : [0, count];
  const at = (units: number): string => {
    if (unit === 'year') return dateOf(year + units, month, day);
    if (unit === 'quarter') return dateOf(year, month + units * 3, day);
    if (unit === 'month') return dateOf(year, month + units, day);
    return dateOf(year, month, day + units * (unit === 'day' ? 1 : 7));
  };
  return { from: at(earlier), until: at(later) };
}

/** Returns the value of each word, from rows of a value and its words. */
export function valuesByWord<Value>(rows: readonly (readonly [Value, string])[]): ReadonlyMap<string, Value> {
  return new Map(rows.flatMap(([value, words]) => words.split(' ').map((word) => [word, value] as const)));
}

/** Seasons of the northern half of the earth, by the month in which they begin; each has three. */
export const seasonMonths = valuesByWord([
  [2, 'spring springtime'],
  [5, 'summer summertime'],
  [8, 'autumn fall'],
  [11, 'winter'],
]);

const monthNames = 'january february march april may june july august september october november december'.split(' ');

/** Full names and first three letters. */
export const monthNumbers: ReadonlyMap<string, number> = new Map([
  ...monthNames.flatMap((name, month): (readonly [string, number])[] => [
    [name, month],
    [name.slice(0, 3), month],
  ]),
  ['sept', 8],
]);

const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety';

export const numberWords: ReadonlyMap<string, number> = new Map([
  ...small.split(' ').map((word, value) => [word, value] as const),
  ...tens.split(' ').map((word, at) => [word, (at + 2) * 10] as const),
]);
