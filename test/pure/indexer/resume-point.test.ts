import { LoadTracker } from '../../../indexer/reindex/resume-point.ts';

const item = (id: number, start: number) => ({ id, version: 1, start, documentStart: start + 2, end: start + 10 });

const batchOf = (...ids: readonly number[]) => ({
  items: ids.map((id, at) => item(id, at * 10)),
  body: Buffer.alloc(ids.length * 10),
});

const startOfLoad = { id: 0, rows: 0, bytes: 0 };

test('a batch acknowledged before an earlier one counts as progress, without moving the resume point', () => {
  const tracker = new LoadTracker({ id: 5, rows: 5, bytes: 50 });
  const [first, second] = [tracker.begin(batchOf(6, 7)), tracker.begin(batchOf(8))];
  second();
  expect(tracker.point).toEqual({ id: 5, rows: 5, bytes: 50 });
  expect(tracker.settled).toMatchObject({ rows: 6, bytes: 60 });
  first();
  expect(tracker.point).toEqual({ id: 8, rows: 8, bytes: 80 });
});

test('unreadable rows count as settled immediately, and in the resume point with the next batch', () => {
  const tracker = new LoadTracker(startOfLoad);
  tracker.addUnreadable(2);
  expect(tracker.settled.rows).toBe(2);
  expect(tracker.point.rows).toBe(0);
  tracker.begin(batchOf(7))();
  expect(tracker.point).toEqual({ id: 7, rows: 3, bytes: 10 });
  expect(tracker.settled.rows).toBe(3);
});

test('a deletion does not count as a row, and never moves the resume point', () => {
  const tracker = new LoadTracker(startOfLoad);
  tracker.begin(batchOf(3, 5))();
  const deletionOf = (id: number) => ({ id, version: 1, start: 0, documentStart: 10, end: 10 });
  const acknowledgeDeletion = tracker.begin({ items: [deletionOf(4)], body: Buffer.alloc(10) });
  const acknowledgeLast = tracker.begin(batchOf(9));
  acknowledgeDeletion();
  // A deletion and a document that is still under way: the load is not at its end.
  expect(tracker.point).toEqual({ id: 5, rows: 2, bytes: 30 });
  acknowledgeLast();
  expect(tracker.point).toEqual({ id: 9, rows: 3, bytes: 40 });
  // A page's first chunk has the deletions of the whole page, also of ids above later documents.
  tracker.begin({ items: [item(12, 0), deletionOf(256)], body: Buffer.alloc(20) })();
  expect(tracker.point).toEqual({ id: 12, rows: 4, bytes: 60 });
});
