import { CircuitBreaker } from '../../../src/lib/circuit-breaker.ts';

function stage() {
  const clock = { nowMs: 0, elapsed: () => clock.nowMs };
  return { clock, breaker: new CircuitBreaker({ failuresMax: 3, pauseMs: 5_000 }, clock) };
}

function attempts(breaker: CircuitBreaker, outcomes: readonly ('failed' | 'succeeded')[]): readonly boolean[] {
  return outcomes.map((outcome) => breaker.allows() && breaker[outcome]());
}

test('it opens after failures in a row, and a success in between restarts the count', () => {
  const { breaker } = stage();
  attempts(breaker, ['failed', 'failed', 'succeeded', 'failed', 'failed']);
  expect([breaker.isOpen, breaker.allows()]).toEqual([false, true]);
  expect(breaker.failed()).toBe(true);
  expect([breaker.isOpen, breaker.allows()]).toEqual([true, false]);
});

test('after the pause one attempt decides', () => {
  const { breaker, clock } = stage();
  attempts(breaker, ['failed', 'failed', 'failed']);
  clock.nowMs = 4_999;
  expect(breaker.allows()).toBe(false);
  clock.nowMs = 5_000;
  expect([breaker.allows(), breaker.allows()]).toEqual([true, false]);
  expect(breaker.failed()).toBe(false);
  clock.nowMs = 9_999;
  expect([breaker.isOpen, breaker.allows()]).toEqual([true, false]);
  clock.nowMs = 10_000;
  expect([breaker.allows(), breaker.allows()]).toEqual([true, false]);
  expect(breaker.succeeded()).toBe(true);
  expect([breaker.isOpen, breaker.allows()]).toEqual([false, true]);
});

test('an attempt without an outcome is followed by another one after the pause', () => {
  const { breaker, clock } = stage();
  attempts(breaker, ['failed', 'failed', 'failed']);
  clock.nowMs = 5_000;
  expect([breaker.allows(), breaker.allows()]).toEqual([true, false]);
  clock.nowMs = 10_000;
  expect(breaker.allows()).toBe(true);
});

test('attempts that began before it opened do not prolong the pause, and one that succeeds ends it', () => {
  const { breaker, clock } = stage();
  attempts(breaker, ['failed', 'failed', 'failed']);
  clock.nowMs = 4_000;
  expect(breaker.failed()).toBe(false);
  clock.nowMs = 5_000;
  expect(breaker.allows()).toBe(true);
  expect(breaker.succeeded()).toBe(true);
  expect(breaker.allows()).toBe(true);
});
