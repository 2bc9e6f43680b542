import fc from 'fast-check';
import { localAsset } from '../../../dev/chain/network.ts';
import { guessBlock, readVerdict, type Verdict } from '../../../src/payments/ledger/evidence.ts';
import {
  type Event,
  events,
  ImpossibleEventError,
  nextState,
  type State,
  states,
  transitions,
} from '../../../src/payments/ledger/states.ts';
import type { ChainReads, PaymentRow, TransactionReceipt } from '../../../src/payments/ports.ts';
import type { Hex } from '../../../src/payments/protocol/networks.ts';

describe('the states of a payment', () => {
  test.each(states)('%s leads to a state for each event, or refuses it', (state) => {
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

  test('only the chain or age deletes a row, and once intended, only the chain ends a payment', () => {
    fc.assert(
      fc.property(walks, (steps) => {
        for (const { event, from, to } of steps.filter((step) => step.from !== step.to)) {
          if (to === 'absent') expect(['voided', 'pruned']).toContain(event);
          if (from === 'settling') expect(['landed', 'voided']).toContain(event);
          if (to === 'settled') expect(event).toBe('landed');
          if (event === 'pruned') expect(from).toBe('settled');
        }
      }),
      runs,
    );
  });

  test('only a claimed purchase can be intended', () => {
    const into = (wanted: State): [State, Event][] =>
      states.flatMap((state) =>
        events.filter((event) => transitions[state][event] === wanted).map((event): [State, Event] => [state, event]),
      );
    expect(into('settling').filter(([state]) => state !== 'settling')).toEqual([['processing', 'intended']]);
    expect(into('processing')).toEqual([
      ['absent', 'claimed'],
      ['released', 'reopened'],
    ]);
  });
});

/** A chain at block 100 with 10 blocks that may be taken back; its node refuses ranges of more than 4 blocks. */
interface View {
  readonly seconds: number;
  readonly finalSeconds?: number;
  readonly spent?: boolean;
  readonly use?: { readonly kind: 'used' | 'cancelled'; readonly block: number; readonly to?: Hex };
  /** The logs are indexed up to this block. */
  readonly logsTo?: number;
  readonly named?: 'waiting' | 'unknown' | 'mined';
  /** A part of the transaction other than in a payment. */
  readonly mined?: Partial<TransactionReceipt>;
}

const transaction = `0x${'ab'.repeat(32)}` as const;
const payer = `0x${'01'.repeat(20)}` as const;
const payTo = `0x${'02'.repeat(20)}` as const;
const nonce = `0x${'03'.repeat(32)}` as const;
const usedEvent = { kind: 'used', authorizer: payer, nonce } as const;
const transferEvent = { kind: 'transfer', from: payer, to: payTo, value: 10n } as const;
const { network } = localAsset;

function look(view: View): Promise<Verdict> {
  const { use, seconds, finalSeconds = seconds - 20, spent = use !== undefined, logsTo = 100, named, mined } = view;
  const receipt = async () => {
    if (use === undefined) return null;
    const events = [usedEvent, { ...transferEvent, to: use.to ?? payTo }];
    return { transaction, block: use.block, success: true, events, ...mined };
  };
  const chain: ChainReads = {
    reorgBlocks: 10,
    blockSeconds: 2,
    logRangeBlocks: 50,
    block: async (_network, which) =>
      which === 'latest' ? { number: 100, seconds } : { number: which, seconds: finalSeconds },
    isSpent: async () => spent,
    balance: async () => 0n,
    receipt: async () => (named === 'waiting' || named === 'unknown' ? null : receipt()),
    isKnown: async () => named === 'waiting',
    async findUse(_key, from, to) {
      if (to - from >= 4) throw new Error('too many blocks');
      const isIn = use !== undefined && use.block >= from && use.block <= Math.min(to, logsTo);
      return isIn ? { kind: use.kind, transaction, block: use.block } : null;
    },
  };
  const nothing = { paymentId: null, payment: null, body: null, deliveredAtMs: null, leaseOwner: null };
  const row: PaymentRow = {
    ...{ ...nothing, id: 1, network, asset: localAsset.address, payer, nonce, payTo, amount: 10n, status: 'settling' },
    ...{ requestHash: '', signatureHash: '', final: false, leased: false, claimable: false, createdAtMs: 0 },
    transaction: named === undefined ? null : transaction,
    fromBlock: 60,
    validBefore: 1_000n,
  };
  return readVerdict(chain, row);
}

describe('the verdict of the chain', () => {
  const used = (block: number, to: Hex = payTo): View => ({ seconds: 500, use: { kind: 'used', block, to } });
  const cancelled = (block: number): View => ({ seconds: 500, use: { kind: 'cancelled', block } });
  const landed = (block: number, final: boolean): Verdict => ({ kind: 'landed', transaction, block, final });

  test.each<[string, View, Verdict]>([
    [
      'a transfer without logs, in the named transaction',
      { ...used(95), logsTo: 0, named: 'mined' },
      landed(95, false),
    ],
    ['a transfer before the purchase began', used(59), { kind: 'wait' }],
    ['a cancellation', cancelled(91), { kind: 'wait' }],
    ['a final cancellation', cancelled(90), { kind: 'void', why: 'cancelled' }],
    ['another transfer', used(91, payer), { kind: 'wait' }],
    ['another final transfer', used(80, payer), { kind: 'void', why: 'spent_elsewhere' }],
    ['unused and valid', { seconds: 500 }, { kind: 'open' }],
    ['unused until the last second', { seconds: 999 }, { kind: 'open' }],
    ['unused and expired', { seconds: 1_000 }, { kind: 'wait' }],
    ['unused and finally expired', { seconds: 1_020 }, { kind: 'void', why: 'expired' }],
    ['used, but never with a log', { seconds: 999_999, spent: true }, { kind: 'wait' }],
    ['a pending transaction', { seconds: 500, named: 'waiting' }, { kind: 'wait' }],
    ['an unknown transaction', { seconds: 500, named: 'unknown' }, { kind: 'open' }],
  ])('%s', async (_what, view, verdict) => {
    expect(await look(view)).toEqual(verdict);
  });

  test.each<[string, Partial<TransactionReceipt>]>([
    ['failed', { success: false }],
    ["used another payer's authorization", { events: [{ ...usedEvent, authorizer: payTo }, transferEvent] }],
    ['moved the money of another payer', { events: [usedEvent, { ...transferEvent, from: payTo }] }],
    ['moved nothing', { events: [usedEvent] }],
  ])('a named transaction that %s is no payment', async (_what, mined) => {
    expect(await look({ ...used(80), logsTo: 0, named: 'mined', mined })).toEqual({ kind: 'wait' });
  });

  test('a transfer is found in any block since the purchase began, and final from some depth on', async () => {
    for (let block = 60; block <= 100; block += 1) expect(await look(used(block))).toEqual(landed(block, block <= 90));
  });

  test('an authorization that may still move money is never given up', async () => {
    const views = fc.record({ seconds: fc.integer({ min: 0, max: 3_000 }), spent: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(views, async (view) => {
        const { kind } = await look(view);
        if (kind === 'void') expect(view.spent || view.seconds - 20 < 1_000).toBe(false);
        if (kind === 'open') expect(!view.spent && view.seconds < 1_000).toBe(true);
      }),
    );
  });
});

test.each([
  [100, 890],
  [290, 985],
  [900, 990],
  [-9_000, 0],
])('the estimated block is well before the time %i s', (seconds, latest) => {
  const head = { number: 1_000, seconds: 300 };
  expect(guessBlock({ blockSeconds: 2 }, seconds, head)).toBeLessThanOrEqual(latest);
});
