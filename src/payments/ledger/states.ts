/**
 * A payment's life, as its row in `x402_payments` records it:
 *
 *   absent ─claimed─▶ processing ─intended─▶ settling ─landed─▶ settled ─denied─▶ denied
 *                       │    ▲                 │  └─unclear, lapsed─▶ unknown ─landed─▶ settled
 *                       │    └─reopened─┐      │                       │
 *                       └─▶ released or refused ◀──── notSent, refused, voided
 *                             │    └─landed─▶ settled
 *                             └─pruned─▶ absent (the chain has shown that it can move no money)
 *
 * - `processing`: claimed; the facilitator was asked to verify at most.
 * - `settling`: the answer and the intent are stored; one settlement may be under way.
 * - `unknown`: a settlement was asked for and its outcome is not known. Only the chain can end this state: a
 *   facilitator's refusal of a later attempt proves nothing about the earlier one.
 * - `released`: given up before a settlement was asked for. The answer was that nothing was charged and that the same
 *   payment can be repeated.
 * - `refused`: given up for good. The answer was a 402, and the payer may sign a new payment.
 * - `settled`: the money has moved, once. The answer may be fetched until it was delivered, and a while longer.
 * - `denied`: settled on the facilitator's word, or in a block that was taken back, and the chain has shown that the
 *   money never arrived.
 *
 * Anyone who has seen a signed authorization can send it to the chain until it expires. A row that was given up is
 * therefore kept until the chain has shown that its authorization can move no money. If it lands after all, it is
 * settled, and its payer is served.
 */
export const rowStatuses = ['processing', 'settling', 'unknown', 'released', 'refused', 'settled', 'denied'] as const;
export type RowStatus = (typeof rowStatuses)[number];
export const states = ['absent', ...rowStatuses] as const;
export type State = (typeof states)[number];

export const events = [
  /** A request with this authorization begins. */
  'claimed',
  /** The same authorization is tried again after it was given up. */
  'reopened',
  /** Verification could not be had, the search failed, or the client left: before any settlement. */
  'released',
  /** The answer is stored; settlement comes next. */
  'intended',
  /** The facilitator certainly did not get the settlement request. */
  'notSent',
  /** The facilitator refuses, and no settlement was asked for before. */
  'refused',
  /** No answer, no usable answer, or one that does not settle the matter. */
  'unclear',
  /** The money has moved: the chain shows it, or the facilitator reports it while the chain can't be asked. */
  'landed',
  /** The chain shows that this authorization moves no money: cancelled, used otherwise, or expired unused. */
  'voided',
  /** The chain shows finally that the money for a served answer has not moved. */
  'denied',
  /** The lease of the process that worked on it has expired. */
  'lapsed',
  /** The authorization can move no money any more, or the row was kept long enough. */
  'pruned',
] as const;
export type Event = (typeof events)[number];

/** The next state for each event. An event that is left out can't happen: meeting it is a bug. */
export const transitions: Readonly<Record<State, Readonly<Partial<Record<Event, State>>>>> = {
  absent: { claimed: 'processing' },
  processing: { released: 'released', refused: 'refused', intended: 'settling', lapsed: 'released' },
  settling: {
    notSent: 'released',
    refused: 'refused',
    unclear: 'unknown',
    landed: 'settled',
    voided: 'refused',
    denied: 'denied',
    lapsed: 'unknown',
  },
  unknown: {
    unclear: 'unknown',
    landed: 'settled',
    voided: 'refused',
    denied: 'denied',
    lapsed: 'unknown',
  },
  released: {
    reopened: 'processing',
    landed: 'settled',
    voided: 'refused',
    denied: 'denied',
    lapsed: 'released',
    pruned: 'absent',
  },
  refused: {
    reopened: 'processing',
    landed: 'settled',
    voided: 'refused',
    denied: 'denied',
    lapsed: 'refused',
    pruned: 'absent',
  },
  settled: { landed: 'settled', denied: 'denied', lapsed: 'settled', pruned: 'absent' },
  denied: { landed: 'settled', lapsed: 'denied', pruned: 'absent' },
};

/** An event that its state does not know: a bug, never something a payer or facilitator can cause. */
export class ImpossibleEventError extends Error {
  constructor(state: State, event: Event) {
    super(`A payment that is ${state} can't be ${event}.`);
    this.name = 'ImpossibleEventError';
  }
}

/** Returns the state after an event. Throws `ImpossibleEventError`. */
export function nextState(state: State, event: Event): State {
  const next = transitions[state][event];
  if (next === undefined) throw new ImpossibleEventError(state, event);
  return next;
}
