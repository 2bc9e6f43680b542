import { baselineOf, parseBaseline, regressions } from '../../../dev/eval/baseline.ts';
import { type Hit, type JudgedQuery, parseJudgments } from '../../../dev/eval/judgments.ts';
import { interval, type Summary, scoreQuery, summarize } from '../../../dev/eval/score.ts';
import { seededRandom } from '../../../dev/torture/random.ts';

const graded: JudgedQuery = {
  qid: 'q-1',
  class: 'topic',
  type: 'companies',
  q: 'lending',
  eval: 'graded',
  relevant: [
    { kind: 'companies', id: 1, grade: 3 },
    { kind: 'companies', id: 2, grade: 2 },
    { kind: 'companies', id: 3, grade: 1 },
  ],
};
const none = new Map<string, ReadonlySet<number>>();

function hits(...ids: readonly number[]): Hit[] {
  return ids.map((id) => ({ kind: 'companies', id, name: `No. ${id}` }));
}

describe('one query’s score', () => {
  test('is 1 throughout for the ideal order', () => {
    expect(scoreQuery(graded, hits(1, 2, 3), none)).toEqual({ success1: 1, success5: 1, mrr: 1, ndcg: 1, recall: 1 });
  });

  test('has gains of 2^grade - 1 and discounts of log2(rank + 1)', () => {
    // Ranks 1 to 4 hold grades 2, 0, 3, 1:  3/1 + 0 + 7/2 + 1/2.321928 = 6.930677
    // Ideal: grades 3, 2, 1:                7/1 + 3/1.584963 + 1/2     = 9.392789
    const score = scoreQuery(graded, hits(2, 99, 1, 3), none);
    expect(score).toMatchObject({ success1: 0, success5: 1, mrr: 1 / 3, recall: 1 });
    expect('ndcg' in score && score.ndcg).toBeCloseTo(6.930677 / 9.392789, 6);
  });

  test('ignores hits beyond the tenth rank', () => {
    const others = Array.from({ length: 10 }, (_, at) => 100 + at);
    expect(scoreQuery(graded, hits(...others, 1, 2), none)).toEqual({
      success1: 0,
      success5: 0,
      mrr: 0,
      ndcg: 0,
      recall: 0,
    });
  });

  test('measures recall out of ten if more are relevant', () => {
    const many = Array.from({ length: 20 }, (_, at) => ({ kind: 'companies', id: at + 1, grade: 2 }) as const);
    const ten = Array.from({ length: 10 }, (_, at) => at + 1);
    const score = scoreQuery({ ...graded, relevant: [...many] }, hits(...ten), none);
    expect(score).toEqual({ success1: 1, success5: 1, mrr: 1, ndcg: 1, recall: 1 });
  });

  test('skips unjudged hits if the query is condensed', () => {
    const condensed: JudgedQuery = { ...graded, eval: 'condensed', universe: 'tagged' };
    const universes = new Map([['tagged', new Set([1, 2, 3])]]);
    expect(scoreQuery(condensed, hits(50, 1, 51, 2, 3), universes)).toMatchObject({
      success1: 1,
      success5: 1,
      ndcg: 1,
    });
  });

  test('is the number of hits if the query should find nothing', () => {
    expect(scoreQuery({ ...graded, eval: 'absent', relevant: [] }, hits(4, 5), none)).toEqual({ absentHits: 2 });
  });
});

describe('a run’s summary', () => {
  test('weights small and large classes equally in the macro mean, and excludes absent queries', () => {
    const good = { success1: 1, success5: 1, mrr: 1, ndcg: 1, recall: 1 };
    const bad = { success1: 0, success5: 0, mrr: 0, ndcg: 0.4, recall: 0 };
    const summary = summarize([
      { class: 'large', score: good },
      { class: 'large', score: good },
      { class: 'large', score: good },
      { class: 'small', score: bad },
      { class: 'absent', score: { absentHits: 3 } },
      { class: 'absent', score: { absentHits: 0 } },
    ]);
    expect(summary.macro).toBeCloseTo(0.7);
    expect(summary.all).toMatchObject({ n: 4, success1: 0.75 });
    expect(summary.classes.map((row) => [row.class, row.n])).toEqual([
      ['large', 3],
      ['small', 1],
    ]);
    expect(summary.absent).toEqual({ n: 2, meanHits: 1.5 });
  });
});

describe('a file of judgments', () => {
  test('is refused if a condensed query names no universe of the file', () => {
    const query = { ...graded, eval: 'condensed', universe: 'nowhere' };
    expect(() => parseJudgments(JSON.stringify({ queries: [query] }))).toThrow('has no universe "nowhere"');
  });

  test('is refused if a query has nothing relevant', () => {
    const query = { ...graded, relevant: [] };
    expect(() => parseJudgments(JSON.stringify({ queries: [query] }))).toThrow('q-1 has no relevant entity');
  });
});

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

describe('compared with a baseline', () => {
  test('equal or better figures are not a regression', () => {
    expect(regressions(before, summaryOf({ large: 0.95, small: 0.9 }))).toEqual([]);
    expect(regressions(before, summaryOf({ large: 1, small: 1 }, 0))).toEqual([]);
  });

  test('a class may lose 0.02 or the share of one query, whichever is more', () => {
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
      'small was not run',
      'absent queries have 1.50 hits each, more than 1.00',
    ]);
  });
});

test('the interval of a change contains 0 unless most queries moved in the same direction', () => {
  const of = (changes: readonly number[]) => interval(changes, seededRandom(1).next);
  const [low, high] = of([0.9, ...Array.from({ length: 59 }, () => 0)]);
  expect([low, high > 0]).toEqual([0, true]);
  expect(of([0.1, 0.2, 0.1, 0.3, 0.1, 0.2])[0]).toBeGreaterThan(0.1);
  expect(of([0.2, -0.2, 0.2, -0.2]).map(Math.sign)).toEqual([-1, 1]);
});
