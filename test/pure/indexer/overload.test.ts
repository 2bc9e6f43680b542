import { detectOverload } from '../../../indexer/reindex/catch-up.ts';

const rounds = (...ms: readonly number[]) => ms.map((one) => ({ ms: one, changes: one }));

test.each([
  ['few rounds', rounds(40_000, 50_000, 60_000)],
  ['rounds that get shorter', rounds(90_000, 80_000, 70_000, 60_000)],
  ['rounds that are short', rounds(1_000, 2_000, 3_000, 4_000)],
  ['one that was shorter', rounds(40_000, 50_000, 45_000, 60_000)],
])('%s may come to an end', (_, some) => {
  expect(detectOverload(some, 30_000)).toBeUndefined();
});

test('rounds that only grow are reported with both rates', () => {
  const some = [
    { ms: 30_000, changes: 90_000 },
    { ms: 40_000, changes: 120_000 },
    { ms: 53_000, changes: 160_000 },
    { ms: 71_000, changes: 212_000 },
  ];
  expect(detectOverload(some, 30_000)?.message).toMatch(
    /^Writers outrun it: 4000 changes arrive in a second and 3000 are applied\./,
  );
});
