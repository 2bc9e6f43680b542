import { segmentsFor } from '../../../indexer/reindex/merge-segments.ts';

const megabyte = 1_000_000;

test.each([
  ['an empty index', 0, 0, 1],
  ['a small index', 4_500, 9 * megabyte, 1],
  ['an index that two cores search in parallel', 196_000, 330 * megabyte, 2],
  ['an index of a million documents', 1_000_000, 1_700 * megabyte, 4],
  ['an index whose segments would be too large to merge again', 9_000_000, 15_300 * megabyte, 8],
  ['an index of few large documents', 10_000, 5_000 * megabyte, 3],
])('%s is merged into the right number of segments', (_, documents, bytes, segments) => {
  expect(segmentsFor(documents, bytes)).toBe(segments);
});
