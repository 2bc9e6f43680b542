import { z } from 'zod';
import type { Figure, Spread } from './figures.ts';

const spread = z.object({ median: z.number(), min: z.number(), max: z.number() });
const earlierFigure = z.object({
  bench: z.string(),
  figure: z.string().optional(),
  rows: z.number().optional(),
  subject: z.number(),
  ratio: spread.nullable().default(null),
  better: z.enum(['higher', 'lower']),
  rounds: z.object({ subject: z.array(z.number()) }).optional(),
});
export type EarlierFigure = z.infer<typeof earlierFigure>;

export class NotFiguresError extends Error {
  override readonly name = 'NotFiguresError';
}

/** Reads lines of JSON; where a figure comes twice, the later one counts. Throws `NotFiguresError` with the line's number. */
export function parseFigures(text: string): readonly EarlierFigure[] {
  const figures = new Map<string, EarlierFigure>();
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const figure = parseLine(line);
    if (figure === undefined) throw new NotFiguresError(`Line ${at + 1} is no figure of a bench.`);
    figures.set(keyOf(figure), figure);
  }
  return [...figures.values()];
}

function parseLine(line: string): EarlierFigure | undefined {
  return earlierFigure.safeParse(parseJson(line)).data;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The change of a figure. `unpaired`: the earlier run lacks it, or measured it with another number of rows. */
export interface Comparison {
  readonly name: string;
  readonly verdict: 'worse' | 'better' | 'same' | 'unpaired';
  readonly text: string;
}

/** Changes below this share of the earlier value are noise, however close together the rounds of one run are. */
const noise = 0.05;

/**
 * Pairs figures by their names. One got worse when its ratio's median (without a floor: the subject's) moved to the
 * bad side by more than the wider of the two spreads, and by more than a twentieth.
 */
export function compareFigures(before: readonly EarlierFigure[], now: readonly Figure[]): readonly Comparison[] {
  const earlier = new Map(before.map((figure) => [keyOf(figure), figure]));
  return now.map((figure) => {
    const name = keyOf(figure);
    const other = earlier.get(name);
    if (other === undefined) return { name, verdict: 'unpaired', text: `${name}: the earlier run does not have it` };
    if (other.rows !== undefined && other.rows !== figure.rows) {
      const text = `${name}: not compared, ${other.rows} rows then and ${figure.rows} now`;
      return { name, verdict: 'unpaired', text };
    }
    return compared(name, spreadIn(other), spreadIn(figure), figure.better);
  });
}

function compared(name: string, then: Spread, now: Spread, better: 'higher' | 'lower'): Comparison {
  const gain = better === 'higher' ? now.median - then.median : then.median - now.median;
  const width = Math.max(then.max - then.min, now.max - now.min, noise * Math.abs(then.median));
  const verdict = gain < -width ? 'worse' : gain > width ? 'better' : 'same';
  const text = `${name}: ${then.median} (${then.min} to ${then.max}) then, ${now.median} (${now.min} to ${now.max}) now: ${verdict}`;
  return { name, verdict, text };
}

interface Comparable {
  readonly ratio: Spread | null;
  readonly subject: number;
  readonly rounds?: { readonly subject: readonly number[] } | undefined;
}

function spreadIn({ ratio, subject, rounds }: Comparable): Spread {
  if (ratio !== null) return ratio;
  const values = rounds?.subject ?? [subject];
  return { median: subject, min: Math.min(...values), max: Math.max(...values) };
}

function keyOf({ bench, figure }: { readonly bench: string; readonly figure?: string | undefined }): string {
  return figure === undefined ? bench : `${bench} (${figure})`;
}
