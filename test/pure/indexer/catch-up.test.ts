import { isCaughtUp } from '../../../indexer/reindex/catch-up.ts';

test('a quick round is enough, also the first', () => {
  expect(isCaughtUp(999, undefined)).toBe(true);
  expect(isCaughtUp(999, 500)).toBe(true);
});

test('rounds that get shorter go on; those that do not are as short as they get on a busy machine', () => {
  expect(isCaughtUp(5_000, undefined)).toBe(false);
  expect(isCaughtUp(5_000, 9_000)).toBe(false);
  expect(isCaughtUp(5_000, 5_000)).toBe(true);
});

test('rounds of minutes are a reader that does not keep up', () => {
  expect(isCaughtUp(60_000, 50_000)).toBe(false);
});
