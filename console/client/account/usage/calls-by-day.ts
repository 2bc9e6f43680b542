import { dayMs, utcDay } from '../../../shared/durations.ts';

/** Calls of one day, endpoint and outcome. */
interface Count {
  readonly day: string;
  readonly endpoint: string;
  readonly outcome: string;
  readonly calls: number;
}

/** A day's calls, by endpoint in the order of `endpoints`. */
export interface DayOfCalls {
  /** Such as `2026-03-01`, in UTC. */
  readonly day: string;
  readonly total: number;
  readonly byEndpoint: readonly number[];
}

export interface CallsByDay {
  /** The endpoints with calls, the busiest first. */
  readonly endpoints: readonly { readonly name: string; readonly calls: number }[];
  /** All days of the period, the oldest first. */
  readonly days: readonly DayOfCalls[];
  readonly total: number;
}

/** @param nowMs a time on the last day in UTC */
export function callsByDay(counts: readonly Count[], days: number, nowMs: number): CallsByDay {
  const names = Array.from({ length: days }, (_, i) => utcDay(nowMs - (days - 1 - i) * dayMs));
  const within = counts.filter(({ day }) => day >= (names[0] ?? '') && day <= (names.at(-1) ?? ''));
  const endpoints = totals(within, ({ endpoint }) => endpoint).map(([name, calls]) => ({ name, calls }));
  return {
    endpoints,
    days: names.map((day) => {
      const ofDay = within.filter((count) => count.day === day);
      const byEndpoint = endpoints.map(({ name }) => sum(ofDay.filter(({ endpoint }) => endpoint === name)));
      return { day, byEndpoint, total: sum(ofDay) };
    }),
    total: sum(within),
  };
}

/** Returns refused calls by error code, the most frequent first. */
export function refusals(counts: readonly Count[]): readonly (readonly [code: string, calls: number])[] {
  return totals(
    counts.filter(({ outcome }) => outcome !== 'answered'),
    ({ outcome }) => outcome,
  );
}

/** Returns calls by a property, the largest first; equal ones by name. */
function totals(counts: readonly Count[], by: (count: Count) => string): readonly (readonly [string, number])[] {
  const found = new Map<string, number>();
  for (const count of counts) found.set(by(count), (found.get(by(count)) ?? 0) + count.calls);
  return [...found].sort(([nameA, a], [nameB, b]) => b - a || nameA.localeCompare(nameB));
}

function sum(counts: readonly Count[]): number {
  return counts.reduce((total, { calls }) => total + calls, 0);
}

/**
 * The lines of a scale from zero: a few, evenly spaced, at round numbers, the last not under `max`.
 * @param max the largest value; a scale of nothing has room for one
 */
export function scaleLines(max: number): readonly number[] {
  const linesMax = 4;
  const raw = Math.max(max, 1) / linesMax;
  const power = 10 ** Math.floor(Math.log10(raw));
  // Calls are whole, so no line lies between two of them.
  const step = Math.max(1, power * ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10));
  const count = Math.max(1, Math.ceil(max / step));
  return Array.from({ length: count + 1 }, (_, i) => i * step);
}

/** A coloured part of a day's bar, in units of the drawing. */
export interface Bar {
  readonly series: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * The size of the drawing in its own units: a day is `dayWidth` wide. The drawing is stretched to the width of the
 * page.
 */
export const dayWidth = 10;
export const chartHeight = 200;
const gap = 2;
/** Keeps a single call visible next to thousands. */
const heightMin = 2;

/** @param top the value at the upper edge */
export function stackedBars(days: readonly DayOfCalls[], top: number): readonly (readonly Bar[])[] {
  return days.map(({ byEndpoint }, i) => {
    let y = chartHeight;
    return byEndpoint.flatMap((calls, series) => {
      if (calls === 0) return [];
      const height = Math.max(heightMin, (calls / top) * chartHeight);
      y -= height;
      return [{ series, x: i * dayWidth + gap / 2, y: Math.max(0, y), width: dayWidth - gap, height }];
    });
  });
}
