import fc from 'fast-check';
import { localAsset as asset } from '../../../dev/chain/network.ts';
import type { Ledger } from '../../../dev/explore/payments/ledger.ts';
import { type Event, events, transitions } from '../../../src/payments/ledger/states.ts';
import type { Change, Claim, PaymentRow, PaymentRows, PaymentUpkeep } from '../../../src/payments/ports.ts';
import type { Hex } from '../../../src/payments/protocol/networks.ts';
import { type PaidRequest, requestHash } from '../../../src/payments/protocol/paid-search.ts';
import {
  decodePayment,
  encodeHeader,
  identifierName,
  type PaymentPayload,
} from '../../../src/payments/protocol/payload.ts';
import { signatureHash } from '../../../src/payments/protocol/signature.ts';

// The operations of the ledger as commands, for both the real and the simulated ledger.

/** Names one of a few payments, so that commands meet. */
export interface Which {
  readonly payer: number;
  readonly nonce: number;
  readonly query: number;
  /** 0: without an identifier. */
  readonly name: number;
}

/** A row from an earlier answer, the latest first. */
interface Aim {
  readonly row: number;
  /** True for the row's present state instead of its earlier one. */
  readonly fresh: boolean;
  /** Held by another process. */
  readonly foreign: boolean;
}

/**
 * The `event` of an advance is an index into the possible events, then all events. Without a change, the event's usual
 * one is used.
 */
export type Command =
  | (Which & {
      readonly do: 'claim';
      readonly owner: number;
      readonly onChain: Claim['onChain'];
    })
  | { readonly do: 'history'; readonly payer: number; readonly nonce: number }
  | { readonly do: 'find'; readonly payer: number; readonly nonce: number }
  | { readonly do: 'delivered' | 'looked'; readonly id: number }
  | (Aim & { readonly do: 'advance'; readonly event: number; readonly change: ChangePlan | null })
  | (Aim & { readonly do: 'take'; readonly owner: number })
  | (Aim & { readonly do: 'renew' })
  | { readonly do: 'due'; readonly max: number }
  | { readonly do: 'clear' }
  | { readonly do: 'pass'; readonly ms: number };

type ChangePlan = Omit<Change, 'purchase' | 'transaction'> & {
  readonly transaction?: number | null;
  readonly purchase?: Which;
};

/** Short, so that elapsed times reach their ends exactly, or with a millisecond difference. */
export const windows = { replayMs: 20_000, claimableMs: 30_000, repeatMs: 15_000 };
export const openMax = 2;
const leaseMs = 5_000;
const keepMs = 40_000;

/** Maximum number of events of a state. */
const possibleMax = 7;

const which = { payer: fc.nat(1), nonce: fc.nat(3), query: fc.nat(1), name: fc.nat(2) };
const id = fc.integer({ min: 1, max: 6 });
const aim = {
  row: fc.oneof({ weight: 3, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.nat(20) }),
  fresh: fc.integer({ min: 0, max: 3 }).map((n) => n > 0),
  foreign: fc.integer({ min: 0, max: 9 }).map((n) => n === 9),
};
const owner = fc.nat(2);

const change: fc.Arbitrary<ChangePlan> = fc.record(
  {
    leaseMs: fc.constantFrom(0, leaseMs),
    body: fc.constantFrom('one', 'two'),
    transaction: fc.option(fc.nat(1)),
    final: fc.boolean(),
    block: fc.constantFrom(7, 8),
    purchase: fc.record(which),
  },
  { requiredKeys: [] },
);

/** Returns the columns that the payment code writes with an event. */
function usualChange(event: Event): ChangePlan {
  switch (event) {
    case 'intended':
      return { body: 'one', leaseMs };
    case 'landed':
      return { transaction: 1, block: 7 };
    case 'dropped':
      return { transaction: null };
    case 'reopened':
      return { leaseMs, purchase: { payer: 0, nonce: 0, query: 0, name: 0 } };
    default:
      return {};
  }
}

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('claim' as const),
      ...which,
      owner,
      onChain: fc.option(
        fc.record({
          block: fc.constantFrom(6, 7),
          spent: fc.integer({ min: 0, max: 5 }).map((n) => n === 5),
          balance: fc.integer({ min: 0, max: 9 }).map((halves) => (BigInt(halves) * amount) / 2n),
          fromBlock: fc.constant(5),
        }),
        { freq: 9 },
      ),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('advance' as const),
      ...aim,
      event: fc.oneof(
        { weight: 9, arbitrary: fc.nat(possibleMax - 1) },
        { weight: 1, arbitrary: fc.nat(possibleMax + events.length - 1) },
      ),
      change: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: change }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('take' as const), ...aim, owner }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('renew' as const), ...aim }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('delivered', 'looked'), id }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('history', 'find'), payer: fc.nat(1), nonce: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('due' as const), max: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'clear' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(1, leaseMs, leaseMs + 1, 10_000) }),
  },
);

export const commandLists = fc.array(command, { minLength: 5, maxLength: 60, size: 'max' });

export const amount = 10_000n;
const payTo: Hex = `0x${'11'.repeat(20)}`;

export function addressOf(payer: number): Hex {
  return `0x${String(payer + 1).repeat(40)}`;
}

export function nonceOf(payer: number, nonce: number): Hex {
  return `0x${`${payer + 1}${nonce}`.padStart(64, '0')}`;
}

function ownerOf(n: number): string {
  return `00000000-0000-0000-0000-00000000000${n}`;
}

function requestOf(query: number): PaidRequest {
  return { q: `query ${query}`, type: 'all', limit: 10, page: 1 };
}

function paymentOf({ payer, nonce, name }: Which): PaymentPayload {
  const given = { scheme: 'exact', network: asset.network, amount: `${amount}`, asset: asset.address, payTo };
  const authorization = {
    from: addressOf(payer),
    to: payTo,
    value: `${amount}`,
    validAfter: '0',
    validBefore: '1800000012',
    nonce: nonceOf(payer, nonce),
  };
  const extensions = name === 0 ? undefined : { [identifierName]: { info: { id: `purchase-number-${name}` } } };
  const payload = { signature: `0x${nonceOf(payer, nonce).slice(2)}`, authorization };
  const decoded = decodePayment(encodeHeader({ x402Version: 2, accepted: given, payload, extensions }));
  if (!decoded.ok) throw new Error(decoded.message);
  return decoded.payment;
}

function purchaseOf(plan: Which) {
  const request = requestOf(plan.query);
  return { request, requestHash: requestHash(request), payment: paymentOf(plan) };
}

export function claimOf(plan: Command & { readonly do: 'claim' }): Claim {
  const purchase = purchaseOf(plan);
  const terms = { asset, payTo, amount, maxTimeoutSeconds: 60 };
  const signed = signatureHash(purchase.payment.signature);
  return { ...purchase, terms, signatureHash: signed, owner: ownerOf(plan.owner), leaseMs, onChain: plan.onChain };
}

function changeOf({ transaction, purchase, ...rest }: ChangePlan): Change {
  const hash: Hex | null | undefined =
    typeof transaction === 'number' ? `0x${'a'.repeat(63)}${transaction}` : transaction;
  return {
    ...rest,
    ...(hash !== undefined && { transaction: hash }),
    ...(purchase !== undefined && { purchase: purchaseOf(purchase) }),
  };
}

/** The commands of a ledger, real or simulated. */
export type AskedLedger = Omit<PaymentRows, 'isRecipient'> & PaymentUpkeep;

export function askedModel(ledger: Ledger): AskedLedger {
  const work = async <T>(answer: () => T): Promise<T> => answer();
  return {
    claim: (claim) => work(() => ledger.claim(claim)),
    history: (key) => work(() => ledger.history(key)),
    find: (key) => work(() => ledger.find(key)),
    advance: (held, event, given) => work(() => ledger.advance(held, event, given)),
    take: (held, by, ms) => work(() => ledger.take(held, by, ms)),
    renew: (held, ms) => work(() => ledger.renew(held, ms)),
    delivered: (row) => work(() => ledger.delivered(row)),
    due: (max) => work(() => ledger.due(max)),
    looked: (row) => work(() => ledger.looked(row)),
    clear: (ms) => work(() => ledger.clear(ms)),
  };
}

/**
 * Runs a command on one ledger.
 * @param known rows from earlier answers
 * @returns the answer, or the name of the error
 */
export async function ask(ledger: AskedLedger, it: Command, known: readonly PaymentRow[]): Promise<unknown> {
  try {
    return await answerOf(ledger, it, known);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (/^(BrokenCheckError|ImpossibleEventError)$/.test(error.name)) return error.name;
    if ('code' in error && error.code === '23514') return 'BrokenCheckError';
    throw error;
  }
}

async function answerOf(ledger: AskedLedger, it: Command, known: readonly PaymentRow[]): Promise<unknown> {
  if (it.do === 'pass') return null;
  if (it.do === 'claim') return ledger.claim(claimOf(it));
  if (it.do === 'history' || it.do === 'find') {
    const token = { network: asset.network, asset: asset.address.toLowerCase() as Hex };
    return ledger[it.do]({ ...token, payer: addressOf(it.payer), nonce: nonceOf(it.payer, it.nonce) });
  }
  if (it.do === 'due') return ledger.due(it.max);
  if (it.do === 'clear') return ledger.clear(keepMs);
  if ('id' in it) return ledger[it.do](it.id);
  const held = await aimed(ledger, it, known);
  if (held === null) return null;
  switch (it.do) {
    case 'advance': {
      const event = eventOf(held, it.event);
      return ledger.advance(held, event, changeOf(it.change ?? usualChange(event)));
    }
    case 'take':
      return ledger.take(held, ownerOf(it.owner), leaseMs);
    case 'renew':
      return ledger.renew(held, leaseMs);
    default:
      return it satisfies never;
  }
}

async function aimed(
  ledger: AskedLedger,
  { row, fresh, foreign }: Aim,
  known: readonly PaymentRow[],
): Promise<PaymentRow | null> {
  const then = known.at(-1 - row);
  const held = then !== undefined && fresh ? await ledger.find(then) : (then ?? null);
  return held !== null && foreign ? { ...held, leaseOwner: ownerOf(9) } : held;
}

function eventOf({ status }: PaymentRow, n: number): Event {
  const possible = events.filter((event) => transitions[status][event] !== undefined);
  const [choice, at] = n < possibleMax ? [possible, n] : [events, n - possibleMax];
  return choice[at % choice.length] ?? 'dropped';
}
