import { rateOf } from '../../../cli/progress/display.ts';
import { describeProgress, type KindProgress } from '../../../cli/progress/reindex.ts';

const progress: KindProgress = {
  kind: 'people',
  state: 'loading',
  rows: 2_500,
  total: 10_000,
  bytes: 4_200_000,
  deadLetters: 0,
  changes: 0,
  seconds: 5,
};

test('the rate is rows by seconds, and the remaining time follows from it', () => {
  expect(rateOf(2_500, 10_000, 5)).toEqual({ perSecond: 500, remainingSeconds: 15 });
  expect(rateOf(0, 10, 5)).toEqual({ perSecond: 0, remainingSeconds: undefined });
});

test('more rows than were estimated leave the remaining time open', () => {
  expect(rateOf(30, 10, 1).remainingSeconds).toBeUndefined();
});

test('programs get a line of JSON', () => {
  expect(describeProgress(progress).line).toEqual({
    event: 'progress',
    kind: 'people',
    state: 'loading',
    rows: 2_500,
    total: 10_000,
    rows_per_second: 500,
    bytes: 4_200_000,
    dead_letters: 0,
    changes: 0,
    remaining_seconds: 15,
  });
});

test('people get text, with what is rejected only where something is', () => {
  expect(describeProgress(progress).text).toBe('loading · 2500/10000 rows, 500/s, 4.2 MB, 15 s left');
  expect(describeProgress({ ...progress, rows: 10_000, state: 'verifying', deadLetters: 3 }).text).toBe(
    'verifying · 10000/10000 rows, 2000/s, 4.2 MB, 3 rejected',
  );
  expect(describeProgress({ ...progress, rows: 100 }).text).toContain('8 min 15 s left');
});
