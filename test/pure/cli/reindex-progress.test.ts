import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { rateOf } from '../../../cli/progress/display.ts';
import { describeProgress, type KindProgress, ReindexProgress } from '../../../cli/progress/reindex.ts';
import { createTerminal } from '../../../cli/terminal.ts';

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

test('a line is written only if more than the rate differs from the one before', async () => {
  const stderr = new PassThrough();
  let nowMs = 0;
  const shown = new ReindexProgress(createTerminal(new PassThrough(), stderr), () => (nowMs += 1_000));
  shown.onStart('events', 'events-1', 3);
  shown.onProgress('events', { rows: 1, bytes: 100, deadLetters: 0 });
  for (const state of ['created', 'created', 'loading', 'loading', 'live'] as const) shown.onState('events', state);
  shown[Symbol.dispose]();
  stderr.end();
  const lines = (await text(stderr)).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line)).map(({ event, state }) => state ?? event)).toEqual([
    'start',
    'created',
    'loading',
    'live',
  ]);
});
