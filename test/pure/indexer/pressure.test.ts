import fc from 'fast-check';
import {
  type BackpressureLimits,
  nextPressure,
  type Pressure,
  type PressureSample,
  RequestLimiter,
  type RequestTurns,
} from '../../../indexer/write/backpressure.ts';
import { WeightedSemaphore } from '../../../src/lib/concurrency/weighted-semaphore.ts';

const limits: BackpressureLimits = { maxRequests: 8, decreaseEveryMs: 1_000 };
const never = new AbortController().signal;

function after(...seen: readonly PressureSample[]): Pressure {
  return seen.reduce((pressure, one) => nextPressure(pressure, one, limits), {
    window: limits.maxRequests,
    decreasedAtMs: Number.NEGATIVE_INFINITY,
  });
}

const calm = (atMs: number): PressureSample => ({ atMs, pushedBack: false });
const busy = (atMs: number): PressureSample => ({ atMs, pushedBack: true });

test('the window starts at the limit, halves on a refusal, and counts a burst of refusals once', () => {
  expect(after().window).toBe(8);
  expect(after(busy(0)).window).toBe(4);
  expect(after(busy(0), busy(10), busy(999)).window).toBe(4);
  expect(after(busy(0), busy(1_000), busy(2_000), busy(3_000), busy(4_000)).window).toBe(1);
});

test('each round of successful answers adds one request, up to the limit', () => {
  const halved = after(busy(0));
  const round = [1, 2, 3, 4].map((at) => calm(at));
  const risen = round.reduce((pressure, one) => nextPressure(pressure, one, limits), halved);
  expect(Math.round(risen.window)).toBe(5);
  const settled = Array.from({ length: 100 }, (_, at) => calm(at)).reduce(
    (p, one) => nextPressure(p, one, limits),
    halved,
  );
  expect(settled.window).toBe(8);
});

test('the window is always between one and the limit', () => {
  const observation = fc.record({ atMs: fc.nat(100_000), pushedBack: fc.boolean() });
  fc.assert(
    fc.property(fc.array(observation, { maxLength: 200 }), (seen) => {
      const { window } = after(...seen);
      expect(window).toBeGreaterThanOrEqual(1);
      expect(window).toBeLessThanOrEqual(limits.maxRequests);
    }),
  );
});

test('capacity is granted in order of arrival, and even beyond the limit when all of it is free', async () => {
  const capacity = new WeightedSemaphore(10);
  const log: string[] = [];
  const giveA = await capacity.acquire(6, never);
  const large = capacity.acquire(25, never).then((give) => {
    log.push('large');
    return give;
  });
  const small = capacity.acquire(1, never).then((give) => {
    log.push('small');
    return give;
  });
  giveA();
  giveA();
  (await large)();
  (await small)();
  expect(log).toEqual(['large', 'small']);
  expect(capacity.acquired).toBe(0);
});

test('a caller who stops waiting does not block those after it', async () => {
  const capacity = new WeightedSemaphore(1);
  const give = await capacity.acquire(1, never);
  const leaving = new AbortController();
  const left = capacity.acquire(5, leaving.signal);
  const next = capacity.acquire(1, never);
  leaving.abort(new Error('enough'));
  await expect(left).rejects.toThrow('enough');
  give();
  (await next)();
  expect(capacity.acquired).toBe(0);
  await expect(capacity.acquire(1, leaving.signal)).rejects.toThrow('enough');
});

test('a request of a quiet index waits for one request of a busy index, not for all of its queue', async () => {
  const limiter = new RequestLimiter({ ...limits, maxRequests: 1 });
  const leave = await limiter.acquire(never);
  const order: string[] = [];
  const send = async (name: string, turns: RequestTurns): Promise<void> => {
    const release = await turns.acquire(never);
    order.push(name);
    release();
  };
  const busy = limiter.share();
  const sent = [1, 2, 3, 4].map((number) => send(`busy ${number}`, busy));
  sent.push(send('quiet', limiter.share()));
  leave();
  await Promise.all(sent);
  expect(order.indexOf('quiet')).toBeLessThanOrEqual(1);
  expect(order).toHaveLength(5);
});

test('a request that is aborted while queued lets the next ones of its index pass', async () => {
  const limiter = new RequestLimiter({ ...limits, maxRequests: 1 });
  const leave = await limiter.acquire(never);
  const turns = limiter.share();
  const given = new AbortController();
  const first = turns.acquire(given.signal);
  const second = turns.acquire(never);
  given.abort(new Error('given up'));
  await expect(first).rejects.toThrow('given up');
  leave();
  (await second)();
  expect(limiter.inFlight).toBe(0);
});

test('the limiter admits fewer requests after a refusal', async () => {
  const limiter = new RequestLimiter(limits);
  for (const atMs of [0, 1_000]) limiter.record(busy(atMs));
  expect(limiter.window).toBe(2);
  const leave = await limiter.acquire(never);
  await limiter.acquire(never);
  let third = false;
  const waiting = limiter.acquire(never).then(() => {
    third = true;
  });
  await Promise.resolve();
  expect([limiter.inFlight, third]).toEqual([2, false]);
  leave();
  await waiting;
  expect(third).toBe(true);
});
