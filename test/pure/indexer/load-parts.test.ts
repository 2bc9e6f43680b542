import fc from 'fast-check';
import { rangesOf } from '../../../indexer/load/cut.ts';
import { nextShare, type Share } from '../../../indexer/load/share.ts';
import { PartTracker } from '../../../indexer/load/tracker.ts';
import { highestId } from '../../../indexer/read/read-all.ts';
import { RequestLimiter } from '../../../indexer/write/backpressure.ts';
import { BatchBuffers } from '../../../indexer/write/batch-buffers.ts';

const never = new AbortController().signal;

describe('the shares of workers', () => {
  interface Worker extends Share {
    inFlight: number;
  }
  type Event = { readonly who: number; readonly what: 'join' | 'leave' | 'beat' | 'begin' | 'end' };

  const steps: Readonly<Record<Event['what'], (total: number, workers: Worker[], at: number) => void>> = {
    join: (_total, workers) => void workers.push({ limit: 0, held: 0, inFlight: 0 }),
    leave: (_total, workers, at) => void workers.splice(at, 1),
    beat: (total, workers, at) =>
      workers.splice(at, 1, ...workers.slice(at, at + 1).map((one) => ({ ...one, ...shareOf(total, workers, at) }))),
    begin: (_total, workers, at) => send(workers[at], 1),
    end: (_total, workers, at) => send(workers[at], -1),
  };

  function send(worker: Worker | undefined, by: 1 | -1): void {
    if (worker === undefined) return;
    const isPossible = by === 1 ? worker.inFlight < worker.limit : worker.inFlight > 0;
    if (isPossible) worker.inFlight += by;
  }

  /** Workers that come, go, say that they are there, and send; shares change only when one says so. */
  function play(total: number, events: readonly Event[], after: (workers: readonly Worker[]) => void): void {
    const workers: Worker[] = [];
    for (const { who, what } of events) {
      steps[what](total, workers, workers.length === 0 ? 0 : who % workers.length);
      after(workers);
    }
  }

  function shareOf(total: number, workers: readonly Worker[], at: number): Share {
    const inFlight = workers[at]?.inFlight ?? 0;
    const held = workers.reduce((sum, one, place) => sum + (place === at ? 0 : one.held), 0);
    return nextShare({ total, rank: at, workers: workers.length, held, inFlight });
  }

  test('never come to more requests than all may have, whoever comes, goes or is late', () => {
    const event = fc.record({
      who: fc.nat(20),
      what: fc.constantFrom('join', 'leave', 'beat', 'beat', 'begin', 'begin', 'end'),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.array(event, { maxLength: 120 }), (total, events) => {
        play(total, events, (workers) => {
          const underWay = workers.reduce((sum, { inFlight }) => sum + inFlight, 0);
          expect(underWay).toBeLessThanOrEqual(total);
          expect(workers.reduce((sum, { held }) => sum + held, 0)).toBeLessThanOrEqual(total);
        });
      }),
      { numRuns: 500 },
    );
  });

  test('are let go of only as requests end, however often a worker says that it is there meanwhile', () => {
    const first = { total: 4, rank: 0, workers: 2, held: 0 };
    expect(nextShare({ ...first, inFlight: 4 })).toEqual({ limit: 2, held: 4 });
    expect(nextShare({ ...first, inFlight: 3 })).toEqual({ limit: 2, held: 3 });
    expect(nextShare({ ...first, inFlight: 1 })).toEqual({ limit: 2, held: 2 });
  });

  test('are equal but for one when everybody has said twice that he is there', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 12 }), (total, count) => {
        const workers: Worker[] = Array.from({ length: count }, () => ({ limit: 0, held: 0, inFlight: 0 }));
        for (const _ of [1, 2]) {
          workers.forEach((one, at) => {
            workers[at] = { ...one, ...shareOf(total, workers, at) };
          });
        }
        const limits = workers.map(({ limit }) => limit);
        expect(limits.reduce((sum, limit) => sum + limit, 0)).toBe(total);
        expect(Math.max(...limits) - Math.min(...limits)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

test('a limiter takes a smaller limit at once, and a larger one unless the cluster held it back', () => {
  const limits = { maxRequests: 8, slowFactor: 5, slowFloorMs: 100, decreaseEveryMs: 1_000 };
  const limiter = new RequestLimiter(limits);
  limiter.limitTo(3);
  expect(limiter.window).toBe(3);
  limiter.limitTo(6);
  expect(limiter.window).toBe(6);
  limiter.record({ atMs: 0, latencyMs: 1, pushedBack: true });
  limiter.limitTo(8);
  expect(limiter.window).toBe(3);
});

test('a budget of memory that is made smaller holds back until enough is released', async () => {
  const buffers = new BatchBuffers(400, 100);
  const held = await Promise.all([1, 2, 3].map(() => buffers.take(100, never)));
  buffers.resize(200);
  let isTaken = false;
  const next = buffers.take(100, never).then((buffer) => {
    isTaken = true;
    return buffer;
  });
  held[0]?.release(true);
  await Promise.resolve();
  expect(isTaken).toBe(false);
  held[1]?.release(true);
  await next;
  expect(buffers.heldBytes).toBe(200);
});

test('ranges have neither gaps nor overlaps, and the last one is open', () => {
  expect(rangesOf(0, [10, 10, 25])).toEqual([
    { afterId: 0, upToId: 10 },
    { afterId: 10, upToId: 25 },
    { afterId: 25, upToId: highestId },
  ]);
  expect(rangesOf(7, [])).toEqual([{ afterId: 7, upToId: highestId }]);
});

describe('how far parts are', () => {
  const item = (id: number) => ({ id, version: 1, start: id * 10, documentStart: id * 10 + 2, end: id * 10 + 10 });
  const part = (number: number, afterId: number, upToId: number, resumeId = afterId) => ({
    part: number,
    afterId,
    upToId,
    resumeId,
    rows: resumeId - afterId,
    bytes: (resumeId - afterId) * 10,
  });

  /** Documents of a part, read and put into a batch of their own. */
  const begin = (tracker: PartTracker, number: number, ids: readonly number[]) => {
    tracker.read(number, { documents: ids.length, unreadable: 0 });
    return tracker.begin(ids.map(item));
  };

  test('a batch that ends one part and begins another counts for both', () => {
    const tracker = new PartTracker();
    tracker.open(part(4, 0, 10));
    tracker.open(part(2, 10, 20));
    tracker.read(4, { documents: 2, unreadable: 0 });
    tracker.endReading(4);
    tracker.read(2, { documents: 2, unreadable: 0 });
    const acknowledged = tracker.begin([9, 10, 11, 12].map(item));
    expect(tracker.points().map(({ done }) => done)).toEqual([false, false]);
    acknowledged();
    expect(tracker.points()).toEqual([
      { part: 4, resumeId: 10, rows: 2, bytes: 20, done: true },
      { part: 2, resumeId: 12, rows: 2, bytes: 20, done: false },
    ]);
    tracker.keep(tracker.points());
    expect(tracker.points().map((point) => point.part)).toEqual([2]);
  });

  test('what is acknowledged before an earlier batch counts as progress, and not as a place to go on from', () => {
    const tracker = new PartTracker();
    tracker.open(part(1, 0, 100, 5));
    const [first, second] = [begin(tracker, 1, [6, 7]), begin(tracker, 1, [8])];
    second();
    expect(tracker.points()).toEqual([{ part: 1, resumeId: 5, rows: 5, bytes: 50, done: false }]);
    expect(tracker.settled()).toEqual({ rows: 6, bytes: 60 });
    first();
    expect(tracker.points()).toEqual([{ part: 1, resumeId: 8, rows: 8, bytes: 80, done: false }]);
  });

  test('rows that could not be read count, also where nothing is sent after them', () => {
    const tracker = new PartTracker();
    tracker.open(part(1, 0, 100));
    tracker.read(1, { documents: 0, unreadable: 2 });
    begin(tracker, 1, [3])();
    tracker.read(1, { documents: 0, unreadable: 1 });
    tracker.endReading(1);
    expect(tracker.points()).toEqual([{ part: 1, resumeId: 3, rows: 4, bytes: 10, done: true }]);
  });

  test('a part whose last rows wait in a batch that is not full is not done', () => {
    const tracker = new PartTracker();
    tracker.open(part(1, 0, 10));
    begin(tracker, 1, [3])();
    tracker.read(1, { documents: 1, unreadable: 0 });
    tracker.endReading(1);
    expect(tracker.points()).toEqual([{ part: 1, resumeId: 3, rows: 1, bytes: 10, done: false }]);
    tracker.begin([item(4)])();
    expect(tracker.points()).toEqual([{ part: 1, resumeId: 4, rows: 2, bytes: 20, done: true }]);
  });

  const idsFrom = (afterId: number, count: number) => Array.from({ length: count }, (_, at) => afterId + at + 1);

  test('whoever goes on from a saved point misses no row, whenever the points were saved', () => {
    type Event = 'read' | 'begin' | 'acknowledge' | 'save';
    const event = fc.record({
      what: fc.constantFrom<Event>('read', 'read', 'begin', 'acknowledge', 'save'),
      which: fc.nat(9),
    });
    const sizes = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(sizes, fc.array(event, { maxLength: 60 }), (rowsOfParts, events) => {
        const tracker = new PartTracker();
        const taken = new Set<number>();
        const parts = rowsOfParts.map((rows, at) => ({
          ...part(at, at * 10, at * 10 + 10),
          ids: idsFrom(at * 10, rows),
        }));
        const toRead = parts.flatMap((one) => (['open', ...one.ids, 'end'] as const).map((id) => ({ ...one, id })));
        const waiting: number[] = [];
        const sent: { readonly ids: readonly number[]; readonly acknowledge: () => void }[] = [];
        const steps: Readonly<Record<Event, (which: number) => void>> = {
          read: () => {
            const next = toRead.shift();
            if (next === undefined) return;
            if (next.id === 'end') return tracker.endReading(next.part);
            if (next.id === 'open') return tracker.open(next);
            tracker.read(next.part, { documents: 1, unreadable: 0 });
            waiting.push(next.id);
          },
          begin: () => {
            const ids = waiting.splice(0);
            if (ids.length > 0) sent.push({ ids, acknowledge: tracker.begin(ids.map(item)) });
          },
          acknowledge: (which) => {
            const [batch] = sent.splice(which % Math.max(1, sent.length), 1);
            batch?.acknowledge();
            for (const id of batch?.ids ?? []) taken.add(id);
          },
          save: () => {
            const points = tracker.points();
            for (const { part: number, resumeId, done } of points) {
              const ids = parts[number]?.ids ?? [];
              const leftOut = ids.filter((id) => (done || id <= resumeId) && !taken.has(id));
              expect(leftOut).toEqual([]);
            }
            tracker.keep(points);
          },
        };
        for (const { what, which } of events) steps[what](which);
      }),
      { numRuns: 2_000 },
    );
  });
});
