import type { Hit, JudgedQuery, Judgments } from './judgments.ts';

/** Ranks beyond this one are ignored. */
const depth = 10;

export interface RankedScore {
  readonly success1: number;
  /** A result of grade 2 or 3 among the first five; of grade 1 if none is better. */
  readonly success5: number;
  readonly mrr: number;
  readonly ndcg: number;
  readonly recall: number;
}

/** A query that nothing should answer is measured by the number of its hits. */
export type QueryScore = RankedScore | { readonly absentHits: number };

/**
 * Scores one query's results, best first.
 *
 * Gains are 2^grade - 1, discounts log2(rank + 1). The wanted entities are all of the highest grade given;
 * recall counts grades 2 and 3 among the first ten. A condensed query's results outside its universe were never judged
 * and are left out before ranks are counted.
 */
export function scoreQuery(query: JudgedQuery, hits: readonly Hit[], universes: Judgments['universes']): QueryScore {
  if (query.eval === 'absent') return { absentHits: hits.length };
  const universe = query.eval === 'condensed' ? universes.get(query.universe ?? '') : undefined;
  const judged = universe === undefined ? hits : hits.filter((hit) => universe.has(hit.id));
  const gradeOf = new Map(query.relevant.map(({ kind, id, grade }) => [`${kind} ${id}`, grade]));
  const grades = judged.slice(0, depth).map((hit) => gradeOf.get(`${hit.kind} ${hit.id}`) ?? 0);
  const wanted = Math.max(...gradeOf.values());
  const firstWanted = grades.indexOf(wanted);
  const best = [...gradeOf.values()].sort((a, b) => b - a).slice(0, depth);
  const good = best.filter((grade) => grade >= 2).length;
  return {
    success1: firstWanted === 0 ? 1 : 0,
    success5: grades.slice(0, 5).some((grade) => grade >= Math.min(wanted, 2)) ? 1 : 0,
    mrr: firstWanted === -1 ? 0 : 1 / (firstWanted + 1),
    ndcg: discountedGain(grades) / discountedGain(best),
    recall: good === 0 ? 0 : grades.filter((grade) => grade >= 2).length / good,
  };
}

function discountedGain(grades: readonly number[]): number {
  return grades.reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0);
}

export interface ClassScore extends RankedScore {
  readonly class: string;
  readonly n: number;
}

export interface Summary {
  readonly classes: readonly ClassScore[];
  readonly all: RankedScore & { readonly n: number };
  /** The mean over classes of their nDCG@10: a class counts the same whatever its size. */
  readonly macro: number;
  readonly absent: { readonly n: number; readonly meanHits: number };
}

export interface ScoredQuery {
  readonly class: string;
  readonly score: QueryScore;
}

export function summarize(scored: readonly ScoredQuery[]): Summary {
  const byClass = new Map<string, RankedScore[]>();
  const absentHits: number[] = [];
  for (const { class: name, score } of scored) {
    if ('absentHits' in score) absentHits.push(score.absentHits);
    else byClass.set(name, [...(byClass.get(name) ?? []), score]);
  }
  const classes = [...byClass]
    .map(([name, scores]) => ({ class: name, n: scores.length, ...means(scores) }))
    .sort((a, b) => (a.class < b.class ? -1 : 1));
  const ranked = [...byClass.values()].flat();
  return {
    classes,
    all: { n: ranked.length, ...means(ranked) },
    macro: mean(classes.map(({ ndcg }) => ndcg)),
    absent: { n: absentHits.length, meanHits: mean(absentHits) },
  };
}

function means(scores: readonly RankedScore[]): RankedScore {
  return {
    success1: mean(scores.map((score) => score.success1)),
    success5: mean(scores.map((score) => score.success5)),
    mrr: mean(scores.map((score) => score.mrr)),
    ndcg: mean(scores.map((score) => score.ndcg)),
    recall: mean(scores.map((score) => score.recall)),
  };
}

/** The mean; 0 for an empty list. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Number of samples of a bootstrap. More move its bounds by less than the third digit. */
const samples = 2_000;

/**
 * Returns the bounds within which the mean of differences lies in 95 of 100 samples of as many queries, drawn with
 * repetition. A change whose interval contains 0 may be chance.
 * @param random from 0 up to 1
 */
export function interval(differences: readonly number[], random: () => number): readonly [number, number] {
  const means = Array.from({ length: samples }, () =>
    mean(differences.map(() => differences[Math.floor(random() * differences.length)] ?? 0)),
  );
  return [percentile(means, 0.025), percentile(means, 0.975)];
}

/** The value below which the share of the values lies, `share` from 0 to 1; 0 for an empty list. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
