import { segmentsFor } from '../../../indexer/reindex/merge-segments.ts';

const megabyte = 1_000_000;

test.each([
  ['nothing', 0, 0, 1],
  ['a small index', 4_500, 9 * megabyte, 1],
  ['as much as two cores search at the same time', 196_000, 330 * megabyte, 2],
  ['a million', 1_000_000, 1_700 * megabyte, 4],
  ['what would make segments that never lose what was deleted', 9_000_000, 15_300 * megabyte, 8],
  ['few large documents', 10_000, 5_000 * megabyte, 3],
])('%s', (_, documents, bytes, segments) => {
  expect(segmentsFor(documents, bytes)).toBe(segments);
});
