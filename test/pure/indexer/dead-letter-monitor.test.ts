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

test('rejections in a row are counted over answers, and one that is taken ends them', () => {
  const watch = new DeadLetterMonitor(limits);
  expect(watch.see([...rejected(4), ...taken(1), ...rejected(2)])).toBeUndefined();
  expect(watch.see(rejected(2))).toBeUndefined();
  expect(watch.see(rejected(1))).toContain('5 documents in a row');
});

test('a stop within an answer holds whatever follows in it', () => {
  expect(new DeadLetterMonitor(limits).see([...rejected(5), ...taken(500)])).toContain('in a row');
});

test('more letters than the total are too many', () => {
  const watch = new DeadLetterMonitor(limits);
  expect(watch.tooMany(1_000)).toBeUndefined();
  expect(watch.tooMany(1_001)).toContain('more than 1000 documents');
});

test('one document that is tried and rejected again and again counts once', () => {
  const watch = new DeadLetterMonitor(limits);
  const hot = { id: 7, rejected: true };
  for (let turn = 0; turn < 1_000; turn += 1) expect(watch.see([hot])).toBeUndefined();
  expect(watch.see(rejected(3))).toBeUndefined();
  expect(watch.see(rejected(1))).toContain('5 documents in a row');
  for (let turn = 0; turn < 100; turn += 1) expect(watch.see([...taken(1), hot])).toBeUndefined();
});
