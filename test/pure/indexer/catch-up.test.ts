import { judgeRounds } from '../../../indexer/reindex/catch-up.ts';

test.each([
  ['a quick round is enough, also the first', [999], 'caught-up'],
  ['a quick round is enough after a quicker one', [500, 999], 'caught-up'],
  ['one long round is not', [5_000], 'behind'],
  ['rounds that get shorter go on', [9_000, 5_000], 'behind'],
  ['rounds that do not are as short as they get on a busy machine', [5_000, 5_000], 'caught-up'],
  ['rounds of minutes go on while they are few', [40_000, 50_000, 60_000], 'behind'],
  ['rounds of minutes go on while one was shorter', [40_000, 50_000, 45_000, 60_000], 'behind'],
  ['rounds of minutes that only grow have no end', [30_000, 40_000, 53_000, 71_000], 'outrun'],
] as const)('%s', (_, roundsMs, verdict) => {
  expect(judgeRounds(roundsMs)).toBe(verdict);
});
