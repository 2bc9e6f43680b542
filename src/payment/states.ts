/**
 * A payment's life, as its row in `x402_payments` tells it:
 *
 *   absent ──claimed──▶ processing ──intended──▶ settling ──landed──▶ settled ──pruned──▶ absent
 *     ▲                    │                     │    │                  ▲
 *     ├──dropped, lapsed───┘                     │    └─unclear, lapsed─▶ unknown ──landed──▶ settled
 *     ├──notSent, refused, voided────────────────┘                         │
 *     └──voided────────────────────────────────────────────────────────────┘
 *
 * - `processing`: claimed; the facilitator was asked to verify at most, so nothing can have been taken.
 * - `settling`: the result and the intent are stored; one settlement may be under way.
 * - `unknown`: a settlement was asked for and nobody can say how it ended. Only the chain can end this state: a
 *   facilitator's "no" to a later attempt says nothing about the earlier one.
 * - `settled`: the money has moved, once. The result may be fetched until it was delivered, and a while longer.
 *
 * Everything that ends in `absent` is certain to have taken nothing, but for `pruned`, which forgets after years.
 */
export const states = ['absent', 'processing', 'settling', 'unknown', 'settled'] as const;
export type State = (typeof states)[number];

export const events = [
  /** A request with this authorization begins. */
  'claimed',
  /** Verification refused it or could not be had, the search failed, or the client left: before any settlement. */
  'dropped',
  /** The result is stored; settlement comes next. */
  'intended',
  /** The facilitator certainly did not get the settlement request. */
  'notSent',
  /** The facilitator said no for a reason that leaves no transaction behind, and the chain says unused. */
  'refused',
  /** No answer, no usable answer, or one that does not settle the matter. */
  'unclear',
  /** The money has moved: the chain shows it, or the facilitator says so while the chain can't be asked. */
  'landed',
  /** The chain shows that this authorization can never move money: cancelled, or expired unused. */
  'voided',
  /** The process that worked on it has outstayed its lease: another takes over. */
  'lapsed',
  /** The payer has been sent the result. */
  'delivered',
  'pruned',
] as const;
export type Event = (typeof events)[number];

/** Where each event leads; null where it can't happen, so that meeting it is a bug. */
export const transitions: Readonly<Record<State, Readonly<Record<Event, State | null>>>> = {
  absent: {
    claimed: 'processing',
    dropped: null,
    intended: null,
    notSent: null,
    refused: null,
    unclear: null,
    landed: null,
    voided: null,
    lapsed: null,
    delivered: null,
    pruned: null,
  },
  processing: {
    claimed: null,
    dropped: 'absent',
    intended: 'settling',
    notSent: null,
    refused: null,
    unclear: null,
    landed: null,
    voided: null,
    lapsed: 'absent',
    delivered: null,
    pruned: null,
  },
  settling: {
    claimed: null,
    dropped: null,
    intended: null,
    notSent: 'absent',
    refused: 'absent',
    unclear: 'unknown',
    landed: 'settled',
    voided: 'absent',
    lapsed: 'unknown',
    delivered: null,
    pruned: null,
  },
  unknown: {
    claimed: null,
    dropped: null,
    intended: null,
    notSent: 'unknown',
    refused: 'unknown',
    unclear: 'unknown',
    landed: 'settled',
    voided: 'absent',
    lapsed: 'unknown',
    delivered: null,
    pruned: null,
  },
  settled: {
    claimed: null,
    dropped: null,
    intended: null,
    notSent: null,
    refused: null,
    unclear: null,
    landed: 'settled',
    voided: null,
    lapsed: 'settled',
    delivered: 'settled',
    pruned: 'absent',
  },
};

/** An event that its state does not know: a bug, never something a payer or facilitator can cause. */
export class ImpossibleEventError extends Error {
  constructor(state: State, event: Event) {
    super(`A payment that is ${state} can't be ${event}.`);
    this.name = 'ImpossibleEventError';
  }
}

/** The state after an event. Throws `ImpossibleEventError`. */
export function nextState(state: State, event: Event): State {
  const next = transitions[state][event];
  if (next === null) throw new ImpossibleEventError(state, event);
  return next;
}
