import fc from 'fast-check';
import { advancesPosition, snapshotBefore } from '../../../indexer/change-log/positions.ts';

/** Returns the result of Postgres's pg_visible_in_snapshot. */
function sees(snapshot: string, xid: number): boolean {
  const [, end, underWay = ''] = snapshot.split(':');
  return xid < Number(end) && !underWay.split(',').includes(String(xid));
}

test('a step ends before a transaction and keeps what is under way', () => {
  expect(snapshotBefore('5:20:5,9,15', '12')).toBe('5:12:5,9');
  expect(snapshotBefore('20:20:', '12')).toBe('12:12:');
  expect(snapshotBefore('15:20:15', '12')).toBe('12:12:');
});

// Ids 1 to 40; each transaction ends at some moment or later than the present.
const ids = fc.uniqueArray(fc.integer({ min: 1, max: 39 }), { maxLength: 12 });

function snapshot(end: number, underWay: readonly number[]): string {
  const open = underWay.filter((xid) => xid < end).sort((a, b) => a - b);
  return `${open[0] ?? end}:${end}:${open.join(',')}`;
}

test('a step sees exactly what was applied: all that the position saw, and of the present all before the step', () => {
  fc.assert(
    fc.property(ids, ids, fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 10 }), (ended, stay, at, more) => {
      const present = snapshot(at + more, stay);
      const position = snapshot(at, [...new Set([...ended, ...stay])]);
      for (let xid = 1; xid < 41; xid += 1) {
        if (!advancesPosition(position, String(xid))) continue;
        const step = snapshotBefore(present, String(xid));
        for (let other = 1; other < 41; other += 1) {
          const applied = sees(position, other) || (other < xid && sees(present, other));
          if (xid <= at + more) expect([other, sees(step, other)]).toEqual([other, applied]);
        }
      }
    }),
  );
});
