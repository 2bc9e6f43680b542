import { baselineOf, parseBaseline, regressions } from '../../../dev/eval/baseline.ts';
import type { Summary } from '../../../dev/eval/score.ts';

function summaryOf(ndcgs: Readonly<Record<string, number>>, absentHits = 1): Summary {
  const rest = { success1: 1, success5: 1, mrr: 1, recall: 1 };
  const classes = Object.entries(ndcgs).map(([name, ndcg]) => ({
    class: name,
    n: name === 'small' ? 4 : 100,
    ndcg,
    ...rest,
  }));
  const macro = classes.reduce((sum, { ndcg }) => sum + ndcg, 0) / classes.length;
  return { classes, macro, all: { n: 1, ndcg: 1, ...rest }, absent: { n: 1, meanHits: absentHits } };
}

const before = parseBaseline(JSON.stringify(baselineOf(summaryOf({ large: 0.95, small: 0.9 }))));

describe('held against a baseline', () => {
  test('the same figures and better ones are no regression', () => {
    expect(regressions(before, summaryOf({ large: 0.95, small: 0.9 }))).toEqual([]);
    expect(regressions(before, summaryOf({ large: 1, small: 1 }, 0))).toEqual([]);
  });

  test('a class may lose 0.02 or what one of its queries is worth, whichever is more', () => {
    expect(regressions({ ...before, macro: 0 }, summaryOf({ large: 0.931, small: 0.66 }))).toEqual([]);
    expect(regressions({ ...before, macro: 0 }, summaryOf({ large: 0.92, small: 0.64 }))).toEqual([
      'large fell from 0.950 to 0.920, more than 0.020',
      'small fell from 0.900 to 0.640, more than 0.250',
    ]);
  });

  test('the mean over classes may lose 0.005', () => {
    expect(regressions(before, summaryOf({ large: 0.941, small: 0.9 }))).toEqual([]);
    expect(regressions(before, summaryOf({ large: 0.938, small: 0.9 }))).toEqual([
      'the macro nDCG@10 fell from 0.925 to 0.919, more than 0.005',
    ]);
  });

  test('a class without queries, and hits of absent queries, are reported', () => {
    expect(regressions({ ...before, macro: 0 }, summaryOf({ large: 0.95 }, 1.5))).toEqual([
      'small was not asked',
      'absent queries have 1.50 hits each, more than 1.00',
    ]);
  });
});
