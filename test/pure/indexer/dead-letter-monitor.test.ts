import { DeadLetterMonitor } from '../../../indexer/dead-letters/monitor.ts';

const limits = { total: 1_000, inARow: 5 };
let lastId = 0;
function settled(rejections: readonly boolean[]) {
  return rejections.map((rejected) => {
    lastId += 1;
    return { id: lastId, rejected };
  });
}
const taken = (count: number) => settled(Array.from({ length: count }, () => false));
const rejected = (count: number) => settled(Array.from({ length: count }, () => true));

test('consecutive rejections are counted across responses until a document is accepted', () => {
  const watch = new DeadLetterMonitor(limits);
  expect(watch.see([...rejected(4), ...taken(1), ...rejected(2)])).toBeUndefined();
  expect(watch.see(rejected(2))).toBeUndefined();
  expect(watch.see(rejected(1))).toContain('5 documents in a row');
});

test('a response with too many consecutive rejections stops the load, even if later items are accepted', () => {
  expect(new DeadLetterMonitor(limits).see([...rejected(5), ...taken(500)])).toContain('in a row');
});

test('more dead letters than the total limit stop the load', () => {
  const watch = new DeadLetterMonitor(limits);
  expect(watch.tooMany(1_000)).toBeUndefined();
  expect(watch.tooMany(1_001)).toContain('more than 1000 documents');
});

test('a document that is rejected repeatedly counts once', () => {
  const watch = new DeadLetterMonitor(limits);
  const hot = { id: 7, rejected: true };
  for (let turn = 0; turn < 1_000; turn += 1) expect(watch.see([hot])).toBeUndefined();
  expect(watch.see(rejected(3))).toBeUndefined();
  expect(watch.see(rejected(1))).toContain('5 documents in a row');
  for (let turn = 0; turn < 100; turn += 1) expect(watch.see([...taken(1), hot])).toBeUndefined();
});
