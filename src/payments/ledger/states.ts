/**
 * A payment's life, as its row in `x402_payments` records it:
 *
 *   absent ─claimed─▶ processing ─intended─▶ settling ─landed─▶ settled
 *     │                 │    ▲                 │                  │
 *     │              dropped └─reopened─┐      └──────voided──────┴─pruned─▶ absent
 *     └─recovered──▶ released ──────────┘
 *                       ├─landed─▶ settled
 *                       └─voided─▶ absent
 *
 * - `processing`: claimed; at most, the facilitator was asked to verify it.
 * - `released`: given up before a settlement was requested, or recovered from the chain after its row was lost.
 * - `settling`: the answer and the intent are stored, and a settlement may have been requested. Only the chain ends
 *   this state, whatever the facilitator answers.
 * - `settled`: the chain shows that the money has moved, once. The answer may be fetched until it was delivered, and
 *   a while longer.
 *
 * Anyone who has seen a signed authorization can send it to the chain until it expires. So every row stays until a
 * final block shows that its authorization moves no money, or until it was settled and kept long enough.
 */
export const rowStatuses = ['processing', 'released', 'settling', 'settled'] as const;
export type RowStatus = (typeof rowStatuses)[number];
export const states = ['absent', ...rowStatuses] as const;
export type State = (typeof states)[number];

export const events = [
  /** A request with this authorization begins. */
  'claimed',
  /** The chain shows that an authorization without a row was used. */
  'recovered',
  /** A payment that was given up is tried again: this authorization is still unused. */
  'reopened',
  /** The request ended without a result, or the lease of its process expired. */
  'dropped',
  /** The answer is stored; settlement comes next. */
  'intended',
  /** The chain shows that the money has moved. */
  'landed',
  /** A final block shows that this authorization can't pay us: it was cancelled, used otherwise, or expired unused. */
  'voided',
  /** The settled row was kept long enough. */
  'pruned',
] as const;
export type Event = (typeof events)[number];

/** The next state for each event. An event that is missing here can't happen in that state. */
export const transitions: Readonly<Record<State, Readonly<Partial<Record<Event, State>>>>> = {
  absent: { claimed: 'processing', recovered: 'released' },
  processing: { dropped: 'released', intended: 'settling' },
  released: { reopened: 'processing', dropped: 'released', landed: 'settled', voided: 'absent' },
  settling: { dropped: 'settling', landed: 'settled', voided: 'absent' },
  settled: { dropped: 'settled', landed: 'settled', voided: 'absent', pruned: 'absent' },
};

/** An event that can't happen in a state. This is a bug, never something a payer or facilitator can cause. */
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
