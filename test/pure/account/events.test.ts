import fc from 'fast-check';
import {
  mergeEvents,
  type NumberedEvent,
  newestEvents,
  readEventCursor,
  writeEventCursor,
} from '../../../src/account/events.ts';

const eventsOf = (sort: string, times: readonly number[]): readonly NumberedEvent[] =>
  times
    .toSorted((one, other) => one - other)
    .map((at, index) => ({
      id: `${sort}-${index + 1}`,
      number: index + 1,
      at: new Date(at).toISOString(),
      action: 'x',
      actor: 'x',
      detail: {},
      ip: null,
    }))
    .toReversed();

test('page by page every event comes once, the newest first', () => {
  const times = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 12 });
  fc.assert(
    fc.property(times, times, fc.integer({ min: 1, max: 5 }), (ofAccount, ofKeys, limit) => {
      const [account, keys] = [eventsOf('account', ofAccount), eventsOf('key', ofKeys)];
      const read = [];
      let cursor: string | null = writeEventCursor(newestEvents);
      while (cursor !== null) {
        const before = readEventCursor(cursor);
        if (before === null) throw new Error('a cursor of ours was refused');
        const some = (all: readonly NumberedEvent[], last: number) =>
          all.filter(({ number }) => number < last).slice(0, limit + 1);
        const page = mergeEvents(some(account, before.account), some(keys, before.keys), limit, before);
        if (page.next !== null) expect(page.events).toHaveLength(limit);
        read.push(...page.events);
        cursor = page.next === null ? null : writeEventCursor(page.next);
      }
      expect(read.map(({ at }) => Date.parse(at))).toEqual([...ofAccount, ...ofKeys].toSorted((a, b) => b - a));
      expect(new Set(read.map(({ id }) => id)).size).toBe(read.length);
    }),
  );
});

test.each(['', '1', '1.', '.1', '1.2.3', '-1.2', ' 1.2', '1.2\n', `${'1'.repeat(16)}.1`])('%j is no cursor', (text) => {
  expect(readEventCursor(text)).toBeNull();
});
