import { z } from 'zod';
import type { Summary } from './score.ts';

/** Figures that later runs are compared with: nDCG@10 per class, without data. */
const baselineFile = z.object({
  macro: z.number(),
  absentMeanHits: z.number(),
  classes: z.record(z.string(), z.object({ n: z.int(), ndcg: z.number() })),
});
export type Baseline = z.infer<typeof baselineFile>;

export function parseBaseline(text: string): Baseline {
  return baselineFile.parse(JSON.parse(text));
}

export function baselineOf({ classes, macro, absent }: Summary): Baseline {
  const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;
  return {
    macro: rounded(macro),
    absentMeanHits: rounded(absent.meanHits),
    classes: Object.fromEntries(classes.map(({ class: name, n, ndcg }) => [name, { n, ndcg: rounded(ndcg) }])),
  };
}

const macroLossMax = 0.005;
const classLossMin = 0.02;
const absentHitsMax = 1;

export function regressions(before: Baseline, now: Summary): string[] {
  const found: string[] = [];
  const fall = (name: string, from: number, to: number, max: number): void => {
    if (from - to > max)
      found.push(`${name} fell from ${from.toFixed(3)} to ${to.toFixed(3)}, more than ${max.toFixed(3)}`);
  };
  fall('the macro nDCG@10', before.macro, now.macro, macroLossMax);
  const nowOf = new Map(now.classes.map((row) => [row.class, row]));
  for (const [name, { n, ndcg }] of Object.entries(before.classes)) {
    const row = nowOf.get(name);
    if (row === undefined) found.push(`${name} was not run`);
    else fall(name, ndcg, row.ndcg, Math.max(classLossMin, 1 / n));
  }
  const hitsMax = Math.max(absentHitsMax, before.absentMeanHits);
  if (now.absent.meanHits > hitsMax) {
    found.push(`absent queries have ${now.absent.meanHits.toFixed(2)} hits each, more than ${hitsMax.toFixed(2)}`);
  }
  return found;
}
