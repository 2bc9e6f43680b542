import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ChainFacts, judge, lagSeconds } from '../../src/payment/reconcile.ts';
import {
  type Event,
  events,
  ImpossibleEventError,
  nextState,
  type State,
  states,
  transitions,
} from '../../src/payment/states.ts';

describe('the states of a payment', () => {
  test.each(states)('%s knows every event, and leads to a state or says that it is impossible', (state) => {
    for (const event of events) {
      const next = transitions[state][event];
      if (next === null) expect(() => nextState(state, event)).toThrow(ImpossibleEventError);
      else expect(nextState(state, event)).toBe(next);
    }
  });

  /** What came of random events: those that were possible, with the states before and after. */
  const walks = fc.array(fc.constantFrom(...events), { maxLength: 60 }).map((happenings) => {
    let state: State = 'absent';
    return happenings.flatMap((event) => {
      const from = state;
      const to: State | null = transitions[from][event];
      if (to === null) return [];
      state = to;
      return [{ event, from, to }];
    });
  });
  const runs = { numRuns: 2_000 };

  test('whatever happens, a settlement that may have been sent is never forgotten without proof', () => {
    fc.assert(
      fc.property(walks, (steps) => {
        for (const { event, from, to } of steps) {
          if (from === 'unknown' && to === 'absent') expect(event).toBe('voided');
          if (from === 'settling' && event === 'lapsed') expect(to).toBe('unknown');
        }
      }),
      runs,
    );
  });

  test('money that has moved stays in the ledger, and nothing is settled without an intent', () => {
    fc.assert(
      fc.property(walks, (steps) => {
        for (const [at, { event, from, to }] of steps.entries()) {
          if (from === 'settled') expect(to === 'settled' || event === 'pruned').toBe(true);
          if (to !== 'settled') continue;
          const claimed = steps.slice(0, at).findLastIndex((step) => step.event === 'claimed');
          expect(steps.slice(claimed, at).some((step) => step.event === 'intended')).toBe(true);
        }
      }),
      runs,
    );
  });

  test('only a purchase with a stored intent can be of unknown outcome', () => {
    const into = (wanted: State): [State, Event][] =>
      states.flatMap((state) =>
        events.filter((event) => transitions[state][event] === wanted).map((event): [State, Event] => [state, event]),
      );
    expect(new Set(into('unknown').map(([state]) => state))).toEqual(new Set(['settling', 'unknown']));
    expect(into('settling')).toEqual([['processing', 'intended']]);
    expect(into('processing')).toEqual([['absent', 'claimed']]);
  });
});

describe('what the chain tells', () => {
  const transaction = `0x${'ab'.repeat(32)}` as const;
  const validBefore = 1_000n;
  const facts = (some: Partial<ChainFacts>): ChainFacts => ({
    headSeconds: 500,
    spent: false,
    transfer: null,
    cancelled: false,
    named: 'none',
    ...some,
  });

  test.each<[string, Partial<ChainFacts>, object]>([
    ['a transfer', { spent: true, transfer: transaction }, { kind: 'landed', transaction }],
    [
      'a transfer found late',
      { spent: true, transfer: transaction, headSeconds: 9_999 },
      { kind: 'landed', transaction },
    ],
    ['a cancellation', { spent: true, cancelled: true }, { kind: 'void', why: 'cancelled' }],
    ['unused and valid', {}, { kind: 'open' }],
    ['unused until the last second', { headSeconds: 999 }, { kind: 'open' }],
    ['unused and expired', { headSeconds: 1_000 }, { kind: 'void', why: 'expired' }],
    ['spent, and nobody sees by what', { spent: true }, { kind: 'wait' }],
    ['the same while nodes may lag', { spent: true, headSeconds: 1_000 + lagSeconds - 1 }, { kind: 'wait' }],
    [
      'the same long after it has expired',
      { spent: true, headSeconds: 1_000 + lagSeconds },
      { kind: 'void', why: 'spent_elsewhere' },
    ],
    ['a transaction on its way', { named: 'waiting' }, { kind: 'wait' }],
    ['a transaction that failed', { named: 'failed' }, { kind: 'open' }],
    ['a transaction that nobody knows', { named: 'not-found' }, { kind: 'open' }],
  ])('%s', (_what, some, verdict) => {
    expect(judge(facts(some), { validBefore })).toEqual(verdict);
  });

  test('an authorization that may still move money is never given up', () => {
    fc.assert(
      fc.property(
        fc.record({
          headSeconds: fc.integer({ min: 0, max: 3_000 }),
          spent: fc.boolean(),
          transfer: fc.constantFrom(null, transaction),
          cancelled: fc.boolean(),
          named: fc.constantFrom('none', 'waiting', 'failed', 'not-found'),
        }),
        (some: ChainFacts) => {
          const verdict = judge(some, { validBefore });
          const canMove = !some.spent && !some.cancelled && BigInt(some.headSeconds) < validBefore;
          if (verdict.kind === 'void') expect(canMove || some.transfer !== null).toBe(false);
          if (verdict.kind === 'open') expect(canMove).toBe(true);
        },
      ),
    );
  });
});
