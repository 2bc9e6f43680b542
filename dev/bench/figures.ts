import { cpus, loadavg } from 'node:os';

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** A promise about a figure: its ratio, the subject's own value, or the subject minus its floor. */
export interface Goal {
  readonly of: 'ratio' | 'subject' | 'difference';
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** A measured figure: one value per round on each side, in the order of rounds. */
export interface Measured {
  readonly bench: string;
  readonly figure?: string;
  readonly unit: string;
  readonly rows: number;
  readonly subject: readonly number[];
  /** Null without anything to compare with. */
  readonly floor: readonly number[] | null;
  readonly sides: { readonly subject: string; readonly floor: string | null };
  readonly better: 'higher' | 'lower';
  readonly goals: readonly Goal[];
  /** The subject's own process: its highest resident set in any round, and its CPU time in a round. */
  readonly rssMaxMb: number | null;
  readonly cpuSeconds: number | null;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface Machine {
  readonly versions: Readonly<Record<string, string>>;
  readonly cores: number;
  /** Runnable processes, averaged over the minute before the bench began. */
  readonly loadAverage: number;
}

export interface Figure extends Omit<Measured, 'subject' | 'floor' | 'sides'>, Machine {
  readonly subject: number;
  readonly floor: number | null;
  readonly ratio: Spread | null;
  readonly difference: Spread | null;
  readonly sides: Measured['sides'];
  readonly rounds: { readonly subject: readonly number[]; readonly floor: readonly number[] | null };
  readonly met: boolean | null;
}

/** The middle one; of an even number, the mean of the two in the middle. Throws a RangeError for none. */
export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new RangeError('an empty list has no median');
  return (lower + upper) / 2;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: medianOf(values), min: Math.min(...values), max: Math.max(...values) };
}

/** The value below which this share (0 to 1) of the values lies. Throws a RangeError for none. */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  const found = sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))];
  if (found === undefined) throw new RangeError('an empty list has no quantile');
  return found;
}

/** Round by round, so that a machine that grows slower meanwhile does not show as a difference of the two. */
function paired(
  subject: readonly number[],
  floor: readonly number[] | null,
  combine: (subject: number, floor: number) => number,
): Spread | null {
  if (floor === null) return null;
  if (floor.length !== subject.length) throw new RangeError(`${subject.length} rounds against ${floor.length}`);
  return spreadOf(subject.map((value, round) => combine(value, floor[round] ?? Number.NaN)));
}

/** The line of a figure: medians, the spread of ratios round by round, and whether goals were met. */
export function figureOf(measured: Measured, machine: Machine): Figure {
  const { subject, floor, sides, goals, ...rest } = measured;
  const ratio = paired(subject, floor, (own, other) => own / other);
  const difference = paired(subject, floor, (own, other) => own - other);
  const spreads = { ratio, difference, subject: spreadOf(subject) };
  const verdicts = goals.map((goal) => judge(goal, spreads[goal.of]));
  return {
    ...rest,
    subject: rounded(spreads.subject.median),
    floor: floor === null ? null : rounded(medianOf(floor)),
    ratio: ratio && roundedSpread(ratio),
    difference: difference && roundedSpread(difference),
    goals,
    met: verdicts.includes(false) ? false : verdicts.length === 0 || verdicts.includes(null) ? null : true,
    sides,
    rounds: { subject: subject.map(rounded), floor: floor?.map(rounded) ?? null },
    ...machine,
  };
}

/** Rounds that differ by more than this share of their median, on both sides of a goal, show only a busy machine. */
const spreadMax = 0.2;

/** Returns null if the rounds differ too much to judge. */
function judge({ atLeast = Number.NEGATIVE_INFINITY, atMost = Infinity }: Goal, spread: Spread | null): boolean | null {
  if (spread === null) return false;
  const { median, min, max } = spread;
  const isMet = (value: number): boolean => value >= atLeast && value <= atMost;
  const isWide = max - min > spreadMax * Math.abs(median);
  return isWide && isMet(min) !== isMet(max) ? null : isMet(median);
}

/** Four digits; further ones aren't reproducible. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

function roundedSpread({ median, min, max }: Spread): Spread {
  return { median: rounded(median), min: rounded(min), max: rounded(max) };
}

export function machineNow(versions: Machine['versions']): Machine {
  return { versions, cores: cpus().length, loadAverage: rounded(loadavg()[0] ?? 0) };
}

const notJudged = 'not judged, because the rounds differ by more than a fifth (was the machine busy?)';

export function sentenceOf(figure: Figure): string {
  const { bench, unit, subject, floor, ratio, difference, goals, met, sides } = figure;
  const name = figure.figure === undefined ? bench : `${bench} (${figure.figure})`;
  const against = floor === null ? '' : ` against ${floor} (${sides.floor})`;
  const spread = ratio === null ? '' : `, ratio ${ratio.median} (${ratio.min} to ${ratio.max})`;
  const less = goals.some(({ of }) => of === 'difference') ? `, difference ${difference?.median}` : '';
  const promise = goals.map(goalText).join(' and ');
  const verdict = goals.length === 0 ? '' : `; goal ${promise}: ${met === null ? notJudged : met ? 'met' : 'NOT met'}`;
  return `${name}: ${subject} ${unit}${against}${spread}${less}${verdict}`;
}

export function goalText({ of, atLeast, atMost }: Goal): string {
  return `${of} ${atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`}`;
}
