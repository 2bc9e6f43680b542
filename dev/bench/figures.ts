import { cpus, loadavg } from 'node:os';

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** A promise about a figure: its ratio, the subject's own value, or the subject less its floor. */
export interface Goal {
  readonly of: 'ratio' | 'subject' | 'difference';
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** One figure as a bench measured it: one value a round on each side, in the order of rounds. */
export interface Measured {
  readonly bench: string;
  readonly figure?: string;
  readonly unit: string;
  readonly rows: number;
  readonly subject: readonly number[];
  /** Null where nothing is there to compare with. */
  readonly floor: readonly number[] | null;
  readonly sides: { readonly subject: string; readonly floor: string | null };
  readonly better: 'higher' | 'lower';
  readonly goals: readonly Goal[];
  /** The subject's own process: its highest resident set in any round, and its CPU time in all rounds. */
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
  if (upper === undefined || lower === undefined) throw new RangeError('there is no median of no values');
  return (lower + upper) / 2;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: medianOf(values), min: Math.min(...values), max: Math.max(...values) };
}

/** The value below which this share (0 to 1) of the values lies. Throws a RangeError for none. */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  const found = sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))];
  if (found === undefined) throw new RangeError('there is no quantile of no values');
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
  const values = { ratio: ratio?.median, difference: difference?.median, subject: medianOf(subject) };
  return {
    ...rest,
    subject: rounded(values.subject),
    floor: floor === null ? null : rounded(medianOf(floor)),
    ratio: ratio && roundedSpread(ratio),
    difference: difference && roundedSpread(difference),
    goals,
    met: goals.length === 0 ? null : goals.every((goal) => isMet(goal, values[goal.of])),
    sides,
    rounds: { subject: subject.map(rounded), floor: floor?.map(rounded) ?? null },
    ...machine,
  };
}

function isMet({ atLeast = Number.NEGATIVE_INFINITY, atMost = Infinity }: Goal, value: number | undefined): boolean {
  return value !== undefined && value >= atLeast && value <= atMost;
}

/** Four digits: what lies behind them no machine repeats. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

function roundedSpread({ median, min, max }: Spread): Spread {
  return { median: rounded(median), min: rounded(min), max: rounded(max) };
}

export function machineNow(versions: Machine['versions']): Machine {
  return { versions, cores: cpus().length, loadAverage: rounded(loadavg()[0] ?? 0) };
}

export function sentenceOf(figure: Figure): string {
  const { bench, unit, subject, floor, ratio, difference, goals, met, sides } = figure;
  const name = figure.figure === undefined ? bench : `${bench} (${figure.figure})`;
  const against = floor === null ? '' : ` against ${floor} (${sides.floor})`;
  const spread = ratio === null ? '' : `, ratio ${ratio.median} (${ratio.min} to ${ratio.max})`;
  const less = goals.some(({ of }) => of === 'difference') ? `, difference ${difference?.median}` : '';
  const promise = goals.map(goalText).join(' and ');
  const verdict = met === null ? '' : `; goal ${promise}: ${met ? 'met' : 'NOT met'}`;
  return `${name}: ${subject} ${unit}${against}${spread}${less}${verdict}`;
}

export function goalText({ of, atLeast, atMost }: Goal): string {
  return `${of} ${atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`}`;
}
