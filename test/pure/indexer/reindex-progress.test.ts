import { barText, type KindStanding, paceOf, progressLine } from '../../../cli/progress/reindex.ts';

const standing: KindStanding = {
  kind: 'people',
  state: 'loading',
  rows: 2_500,
  total: 10_000,
  bytes: 4_200_000,
  deadLetters: 0,
  changes: 0,
  seconds: 5,
};

test('the pace is rows by seconds, and the rest of the time follows from it', () => {
  expect(paceOf(standing)).toEqual({ rowsPerSecond: 500, remainingSeconds: 15 });
  expect(paceOf({ rows: 0, total: 10, seconds: 5 })).toEqual({ rowsPerSecond: 0, remainingSeconds: undefined });
});

test('more rows than were estimated leave the remaining time open', () => {
  expect(paceOf({ rows: 30, total: 10, seconds: 1 }).remainingSeconds).toBeUndefined();
});

test('programs get a line of JSON', () => {
  expect(JSON.parse(progressLine(standing))).toEqual({
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
  expect(barText(standing)).toBe('loading · 2500/10000 rows, 500/s, 4.2 MB, 15 s left');
  expect(barText({ ...standing, rows: 10_000, state: 'verifying', deadLetters: 3 })).toBe(
    'verifying · 10000/10000 rows, 2000/s, 4.2 MB, 3 rejected',
  );
  expect(barText({ ...standing, rows: 100 })).toContain('8 min 15 s left');
});
