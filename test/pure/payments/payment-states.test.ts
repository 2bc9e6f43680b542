import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ChainFacts, judge, lagSeconds } from '../../../src/payments/ledger/evidence.ts';
import {
  type Event,
  events,
  ImpossibleEventError,
  nextState,
  type State,
  states,
  transitions,
} from '../../../src/payments/ledger/states.ts';

describe('the states of a payment', () => {
  test.each(states)('%s leads to a state by each event, or refuses it', (state) => {
    for (const event of events) {
      const next = transitions[state][event];
      if (next === undefined) expect(() => nextState(state, event)).toThrow(ImpossibleEventError);
      else expect(nextState(state, event)).toBe(next);
    }
  });

  /** The possible ones of random events, with the states before and after. */
  const walks = fc.array(fc.constantFrom(...events), { maxLength: 60 }).map((happenings) => {
    let state: State = 'absent';
    return happenings.flatMap((event) => {
      const from = state;
      const to: State | undefined = transitions[from][event];
      if (to === undefined) return [];
      state = to;
      return [{ event, from, to }];
    });
  });
  const runs = { numRuns: 2_000 };

  test('a row goes only where the chain has shown that nothing can come of it, and a settlement of unknown outcome ends by the chain alone', () => {
    fc.assert(
      fc.property(walks, (steps) => {
        for (const { event, from, to } of steps) {
          if (to === 'absent') expect(event).toBe('pruned');
          if (from === 'unknown' && to !== 'unknown') expect(['landed', 'voided', 'denied']).toContain(event);
          if (from === 'settling' && event === 'lapsed') expect(to).toBe('unknown');
        }
      }),
      runs,
    );
  });

  test('money that has moved stays in the ledger, unless the chain denies it', () => {
    fc.assert(
      fc.property(walks, (steps) => {
        for (const { event, from, to } of steps) {
          if (from === 'settled') expect(to === 'settled' || event === 'denied' || event === 'pruned').toBe(true);
          if (to === 'settled') expect(event === 'landed' || event === 'lapsed').toBe(true);
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
    expect(into('processing')).toEqual([
      ['absent', 'claimed'],
      ['released', 'reopened'],
      ['refused', 'reopened'],
    ]);
  });
});

describe('the verdict of the chain', () => {
  const transaction = `0x${'ab'.repeat(32)}` as const;
  const validBefore = 1_000n;
  const head = { number: 100, seconds: 500, finalNumber: 90, finalSeconds: 480 };
  const at = (seconds: number, finalSeconds = seconds - 20) => ({ ...head, seconds, finalSeconds });
  const facts = (some: Partial<ChainFacts>): ChainFacts => ({
    head,
    spent: false,
    spending: null,
    named: 'none',
    ...some,
  });
  const transfer = (block: number) => ({ kind: 'transfer', transaction, block }) as const;

  test.each<[string, Partial<ChainFacts>, object]>([
    ['a transfer', { spent: true, spending: transfer(91) }, { kind: 'landed', transaction, block: 91, final: false }],
    [
      'a transfer that stays',
      { spent: true, spending: transfer(90) },
      { kind: 'landed', transaction, block: 90, final: true },
    ],
    [
      'a transfer, shown by its receipt alone',
      { head: null, spent: true, spending: transfer(90) },
      { kind: 'landed', transaction, block: 90, final: false },
    ],
    [
      'a transfer found late',
      { spent: true, spending: transfer(95), head: at(9_999) },
      { kind: 'landed', transaction, block: 95, final: false },
    ],
    [
      'a cancellation',
      { spent: true, spending: { kind: 'cancelled', block: 95 } },
      { kind: 'void', why: 'cancelled', final: false },
    ],
    [
      'another transfer',
      { spent: true, spending: { kind: 'other', block: 80 } },
      { kind: 'void', why: 'spent_elsewhere', final: true },
    ],
    ['unused and valid', {}, { kind: 'open', failed: false }],
    ['unused until the last second', { head: at(999) }, { kind: 'open', failed: false }],
    ['unused and expired', { head: at(1_000) }, { kind: 'void', why: 'expired', final: false }],
    ['unused and expired for good', { head: at(1_020) }, { kind: 'void', why: 'expired', final: true }],
    ['spent, and nobody sees by what', { spent: true }, { kind: 'wait' }],
    ['the same while nodes may lag', { spent: true, head: at(1_000 + lagSeconds - 1) }, { kind: 'wait' }],
    [
      'the same long after it has expired',
      { spent: true, head: at(1_000 + lagSeconds) },
      { kind: 'void', why: 'spent_elsewhere', final: false },
    ],
    [
      'the same a day later',
      { spent: true, head: at(1_000 + 86_400) },
      { kind: 'void', why: 'spent_elsewhere', final: true },
    ],
    ['a transaction on its way', { named: 'waiting' }, { kind: 'wait' }],
    ['a transaction that failed', { named: 'failed' }, { kind: 'open', failed: true }],
    ['a transaction that nobody knows', { named: 'not-found' }, { kind: 'open', failed: false }],
  ])('%s', (_what, some, verdict) => {
    expect(judge(facts(some), { validBefore })).toEqual(verdict);
  });

  test('an authorization that may still move money is never given up', () => {
    fc.assert(
      fc.property(
        fc.record({
          seconds: fc.integer({ min: 0, max: 3_000 }),
          spent: fc.boolean(),
          spending: fc.constantFrom(null, transfer(80), { kind: 'cancelled', block: 80 } as const),
          named: fc.constantFrom('none', 'waiting', 'failed', 'not-found'),
        }),
        ({ seconds, ...some }) => {
          const verdict = judge({ head: at(seconds), ...some }, { validBefore });
          const canMove = !some.spent && some.spending === null && BigInt(seconds) < validBefore;
          if (verdict.kind === 'void') expect(canMove || some.spending?.kind === 'transfer').toBe(false);
          if (verdict.kind === 'open') expect(canMove).toBe(true);
        },
      ),
    );
  });
});
