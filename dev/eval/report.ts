import { seededRandom } from '../torture/random.ts';
import type { Run, SavedRun } from './run.ts';
import { interval, mean, type QueryScore, type RankedScore } from './score.ts';

export function reportLines({ summary, latency }: Pick<Run, 'summary' | 'latency'>): string[] {
  const { classes, all, macro, absent } = summary;
  const width = Math.max(...classes.map((row) => row.class.length), 'all queries'.length) + 2;
  const line = (name: string, row: RankedScore & { readonly n: number }): string =>
    [
      name.padEnd(width),
      String(row.n).padStart(5),
      ...[row.success1, row.success5, row.mrr, row.ndcg, row.recall].map((value) => value.toFixed(3).padStart(10)),
    ].join('');
  const head = [
    'class'.padEnd(width),
    '    n',
    ' success@1',
    ' success@5',
    '    MRR@10',
    '   nDCG@10',
    ' recall@10',
  ].join('');
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

/** Two runs of the same queries side by side, by class: without and with vectors. */
export function pairLines(without: Run, withVectors: Run): string[] {
  const others = new Map(withVectors.summary.classes.map((row) => [row.class, row]));
  const width = Math.max(...without.summary.classes.map((row) => row.class.length)) + 2;
  const figures = (row: RankedScore | undefined) =>
    [row?.ndcg ?? 0, row?.success5 ?? 0].map((value) => value.toFixed(3));
  const semantic = withVectors.queries.filter(({ matchedBy }) => matchedBy === 'semantic').length;
  return [
    `${'class'.padEnd(width)}    n   nDCG@10  with vectors   success@5  with vectors`,
    ...without.summary.classes.map((row) => {
      const [ndcg = '', success = ''] = figures(row);
      const [ndcgWith = '', successWith = ''] = figures(others.get(row.class));
      const columns = [ndcg.padStart(9), ndcgWith.padStart(13), success.padStart(11), successWith.padStart(13)];
      return `${row.class.padEnd(width)}${String(row.n).padStart(5)} ${columns.join(' ')}`;
    }),
    '',
    `macro nDCG@10: ${without.summary.macro.toFixed(4)}, with vectors ${withVectors.summary.macro.toFixed(4)}; ${semantic} of ${withVectors.queries.length} queries answered by meaning`,
    `absent: ${without.summary.absent.meanHits.toFixed(2)} hits, with vectors ${withVectors.summary.absent.meanHits.toFixed(2)}`,
    `latency p50, p95: ${[without, withVectors].map(({ latency }) => `${latency.p50Ms.toFixed(1)}, ${latency.p95Ms.toFixed(1)} ms`).join('; with vectors ')}`,
  ];
}

/**
 * Compares two runs: the mean change of each class with its interval, and the queries that moved, worst losses first,
 * each with its first hits then and now.
 */
export function comparisonLines(before: SavedRun, now: Run): string[] {
  const random = seededRandom(1).next;
  const beforeOf = new Map(before.queries.map((query) => [query.qid, query]));
  const moved = now.queries.flatMap((query) => {
    const earlier = beforeOf.get(query.qid);
    if (earlier === undefined) return [];
    const by = goodness(query.score) - goodness(earlier.score);
    return Math.abs(by) < 0.0005 ? [] : [{ query, earlier, by }];
  });
  moved.sort((a, b) => a.by - b.by);
  const classes = [...Map.groupBy(moved, ({ query }) => query.class)].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    `macro nDCG@10: ${before.summary.macro.toFixed(4)} before, ${now.summary.macro.toFixed(4)} now; ${moved.length} queries moved`,
    ...classes.map(([name, ofClass]) => {
      const { length } = now.queries.filter((query) => query.class === name);
      const changes = Array.from({ length }, (_, at) => ofClass[at]?.by ?? 0);
      const [low, high] = interval(changes, random).map(signed);
      return `${signed(mean(changes))} [${low}, ${high}]  ${name}: ${ofClass.length} of ${length} queries moved`;
    }),
    ...moved.flatMap(({ query, earlier, by }) => [
      `${signed(by)}  ${query.class}  "${query.q}"`,
      `        before: ${firstNames(earlier.hits)}`,
      `        now:    ${firstNames(query.hits)}`,
    ]),
  ];
}

function signed(value: number): string {
  return `${value > 0 ? '+' : ''}${value.toFixed(3)}`;
}

/** nDCG, or for absent queries minus a hundredth per hit. */
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
