import type { Run, SavedRun } from './run.ts';
import type { QueryScore, RankedScore } from './score.ts';

/** The table of a run for people. */
export function reportLines({ summary, latency }: Pick<Run, 'summary' | 'latency'>): string[] {
  const { classes, all, macro, absent } = summary;
  const width = Math.max(...classes.map((row) => row.class.length), 'all queries'.length) + 2;
  const line = (name: string, row: RankedScore & { readonly n: number }): string =>
    [
      name.padEnd(width),
      String(row.n).padStart(5),
      ...[row.success1, row.mrr, row.ndcg, row.recall].map((value) => value.toFixed(3).padStart(10)),
    ].join('');
  const head = ['class'.padEnd(width), '    n', ' success@1', '    MRR@10', '   nDCG@10', ' recall@10'].join('');
  return [
    head,
    ...classes.map((row) => line(row.class, row)),
    line('all queries', all),
    '',
    `macro nDCG@10 over ${classes.length} classes: ${macro.toFixed(4)}`,
    `absent: ${absent.meanHits.toFixed(2)} hits a query (n ${absent.n}, results cut at 50)`,
    `latency of a page of 20, one client: p50 ${latency.p50Ms.toFixed(1)} ms, p95 ${latency.p95Ms.toFixed(1)} ms`,
  ];
}

/** What moved between two runs, the worst losses first, each query with its first hits then and now. */
export function comparisonLines(before: SavedRun, now: Run): string[] {
  const beforeOf = new Map(before.queries.map((query) => [query.qid, query]));
  const moved = now.queries.flatMap((query) => {
    const earlier = beforeOf.get(query.qid);
    if (earlier === undefined) return [];
    const by = goodness(query.score) - goodness(earlier.score);
    return Math.abs(by) < 0.0005 ? [] : [{ query, earlier, by }];
  });
  moved.sort((a, b) => a.by - b.by);
  return [
    `macro nDCG@10: ${before.summary.macro.toFixed(4)} before, ${now.summary.macro.toFixed(4)} now; ${moved.length} queries moved`,
    ...moved.flatMap(({ query, earlier, by }) => [
      `${by > 0 ? '+' : ''}${by.toFixed(3)}  ${query.class}  "${query.q}"`,
      `        before: ${firstNames(earlier.hits)}`,
      `        now:    ${firstNames(query.hits)}`,
    ]),
  ];
}

/** nDCG, or for absent queries a hundredth off for each hit. */
function goodness(score: QueryScore): number {
  return 'absentHits' in score ? -score.absentHits / 100 : score.ndcg;
}

export function firstNames(hits: readonly { readonly name: string }[], count = 5): string {
  return hits.length === 0
    ? '(nothing)'
    : hits
        .slice(0, count)
        .map(({ name }) => name)
        .join(' | ');
}
